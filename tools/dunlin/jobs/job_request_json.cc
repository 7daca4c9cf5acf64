// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "node/control/command_json.h"
#include "node/control/submit/term_json.h"
#include "node/task/soft_limits.h"
#include "sched/constraints.h"
#include "sched/replica/record.h"
#include "sched/resources.h"
#include "tools/dunlin/jobs/job_request.h"

// A job in the words of the control protocol. Terms that the schema names are written by a walk of
// it; by hand stand those that it does not name, or names otherwise.
namespace dunlin::cli {
namespace {

/// Writes what the schema does not name, or names otherwise, as far as it was said: an agent of
/// before would ignore a word that it does not know.
void put_said(Json& json, const node::TaskSpec& spec) {
  if (!spec.script.empty()) json["script"] = node::bytes_json(spec.script);
  if (spec.literal) json["literal"] = true;
  if (spec.truncate) json["truncate"] = true;
  if (spec.limit_signal != 0) {
    json["limit_signal"] = spec.limit_signal;
    json["limit_signal_time_ns"] = spec.limit_signal_time.count();
  }
  // Kept plus 1, as 0 stands for none said: 0 is a umask, too.
  if (spec.umask != 0) json["umask"] = spec.umask - 1;
  for (const node::SoftLimit& limit : spec.limits) {
    const bool none = limit.max == node::kUnlimited;
    json["limits"][std::string(node::kLimitNames.at(limit.resource).name)] =
        none ? std::int64_t{-1} : static_cast<std::int64_t>(limit.max);
  }
  if (!spec.stdin_path.empty()) json["stdin"] = node::bytes_json(spec.stdin_path);
  // The size of a terminal is of use only where the task gets one.
  if (spec.input == node::TaskInput::file) return;
  const bool terminal = spec.input == node::TaskInput::terminal;
  json["input"] = terminal ? "terminal" : "client";
  if (terminal) json["rows"] = spec.rows;
  if (terminal) json["columns"] = spec.columns;
}

Json to_json(const GroupRequest& group) {
  Json custom = Json::object();
  for (const auto& amount : group.demand.custom) custom[amount.name] = amount.count;
  Json constraints = Json::array();
  for (const auto& constraint : group.constraints) constraints.push_back(to_string(constraint));
  Json environment = Json::object();
  for (const auto& variable : group.spec.environment) {
    environment[variable.name] = node::bytes_json(variable.value);
  }
  Json demand = {{"custom", std::move(custom)}};
  // What nobody said is left out, not sent as a default: the agent may know from earlier runs what
  // such tasks take.
  if (group.cpus_said) demand["cpu_milli"] = group.demand.cpu;
  if (group.memory_said) demand["memory_mib"] = group.demand.memory;
  for (const sched::Rate& rate : sched::kRates) {
    if (group.demand.*rate.amount > 0) demand["rates"][rate.key] = group.demand.*rate.amount;
  }
  Json json = {{"name", group.name}, {"demand", std::move(demand)},
      {"constraints", std::move(constraints)}, {"priority", group.priority},
      {"retries", group.retries}, {"time_limit_ns", group.time_limit.count()},
      {"duration_ns", group.duration.count()}, {"command", node::command_json(group.spec)},
      {"environment", std::move(environment)},
      {"directory", node::bytes_json(group.spec.directory)},
      {"stdout", node::bytes_json(group.spec.stdout_path)},
      {"stderr", node::bytes_json(group.spec.stderr_path)},
      {"submit_directory", node::bytes_json(group.spec.submit_directory)}};
  // What the schema names and is not there yet, if it was said.
  sched::replica::PutGroup::terms(group, node::TermWriter(json));
  if (!group.after.empty()) json["after"] = group.after;
  if (!group.inputs.empty()) json["inputs"] = group.inputs;
  if (!group.entries.empty()) {
    json["entries"] = group.entries;
  } else if (group.array.empty()) {
    json["count"] = group.count;
  } else {
    json["array"] = group.array;
  }
  put_said(json, group.spec);
  return json;
}

}  // namespace

Json to_json(const JobRequest& request) {
  Json groups = Json::array();
  for (const GroupRequest& group : request.groups) groups.push_back(to_json(group));
  Json json = {{"name", request.name}, {"owner", user_name()}, {"groups", std::move(groups)},
      {"allow_unsatisfiable", request.allow_unsatisfiable}};
  sched::replica::PutJob::terms(request, node::TermWriter(json));
  // An agent that does not know scripts would run their arguments.
  const auto has_script = [](const GroupRequest& group) { return !group.spec.script.empty(); };
  if (std::ranges::any_of(request.groups, has_script)) json["strict"] = true;
  if (!request.service_class.empty()) json["class"] = request.service_class;
  for (const sched::Label& label : request.labels) json["labels"][label.key] = label.value;
  if (!request.past_deadline.empty()) json["past_deadline"] = request.past_deadline;
  if (!request.rerun.empty()) json["rerun"] = request.rerun;
  if (!request.on_preempt.empty()) json["on_preempt"] = request.on_preempt;
  if (request.checkpoint_signal != 0) json["checkpoint_signal"] = request.checkpoint_signal;
  if (request.checkpoint_time > overlay::Duration{0}) {
    json["checkpoint_time_ns"] = request.checkpoint_time.count();
  }
  for (const AfterRequest& after : request.after) {
    // As the user wrote them: which node "12" means is seen by the agent.
    json["after_jobs"].push_back({{"job", after.job}, {"when", when_word(after)}});
    if (after.begun_for > overlay::Duration{0}) {
      json["after_jobs"].back()["delay_ns"] = after.begun_for->count();
    }
  }
  if (!request.on_end.command.empty()) {
    json["on_end"] = {{"command", node::command_json(request.on_end)},
        {"directory", node::bytes_json(request.on_end.directory)}};
  }
  return json;
}

}  // namespace dunlin::cli
