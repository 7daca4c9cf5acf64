// SPDX-License-Identifier: MIT
#include "node/control/submit/said_job.h"

#include <span>
#include <string>

#include "node/codec.h"
#include "node/control/command_json.h"
#include "node/control/submit/label_json.h"
#include "node/control/submit/limit_signal_json.h"
#include "node/control/submit/script_json.h"
#include "node/control/submit/term_json.h"
#include "node/ids.h"
#include "node/task/soft_limits.h"
#include "overlay/field_info.h"
#include "sched/constraints.h"
#include "sched/inputs/input_text.h"
#include "sched/replica/record.h"
#include "sched/resources.h"

// The way back from a job to the request that made it: parse_job() in reverse, by the same walks.
// What was not said is left out, so that estimates and defaults do to the copy what they did to the
// job.
namespace dunlin::node {
namespace {

using GroupTerms = sched::replica::PutGroup::Terms;

void put(Json& json, const char* key, const std::string& bytes) {
  if (!bytes.empty()) json[key] = bytes_json(bytes);
}

/// "0-9,12,20-40:5": ranges of equal steps. The indices are ascending.
std::string array_text(const sched::Lines& entries) {
  std::vector<std::uint64_t> indices;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    indices.push_back(std::stoull(std::string(entries[i])));
  }
  std::string text;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t last = i;
    const std::uint64_t step = i + 1 < indices.size() ? indices[i + 1] - indices[i] : 1;
    while (last + 1 < indices.size() && indices[last + 1] - indices[last] == step) ++last;
    // Two alone are no range, or "1,5,6" would become "1-5:4,6".
    if (last == i + 1 && step > 1) last = i;
    text += (text.empty() ? "" : ",") + std::to_string(indices[i]);
    if (last > i) text += "-" + std::to_string(indices[last]);
    if (last > i && step > 1) text += ":" + std::to_string(step);
    i = last + 1;
  }
  return text;
}

/// What the schema names of the group, and its tasks: by an array, by lines or by number.
void put_terms(Json& json, const sched::TaskGroup& group, const TaskSpec& spec) {
  const TermWriter write(json);
  sched::replica::PutGroup::terms(group, [&](const overlay::FieldInfo& info, const auto& member) {
    if (&info == &GroupTerms::count && group.entries.size() != 0) return;
    if (&info == &GroupTerms::at_once && spec.array) return;
    write(info, member);
  });
  if (spec.array) {
    json["array"] =
        array_text(group.entries) + (group.at_once == 0 ? "" : "%" + std::to_string(group.at_once));
    return;
  }
  if (group.entries.size() == 0) return;
  Json lines = Json::array();
  for (std::size_t i = 0; i < group.entries.size(); ++i) {
    lines.push_back(bytes_json(group.entries[i]));
  }
  json["entries"] = std::move(lines);
}

Json demand_json(const sched::TaskGroup& group) {
  sched::Resources said = group.demand;
  // Of a group with inputs it is the demand elsewhere: see settle_input_rates().
  if (!group.inputs.empty()) {
    said.disk_read = group.inputs.disk_read;
    said.net_in = group.inputs.net_in;
  }
  Json demand = to_json(said);
  if (group.cpu_unsaid) demand.erase("cpu_milli");
  if (group.memory_unsaid) demand.erase("memory_mib");
  return demand;
}

void put_limits(Json& json, const TaskSpec& spec) {
  // One more than the mask: 0 stands for none.
  if (spec.umask != 0) json["umask"] = spec.umask - 1;
  for (const SoftLimit& limit : spec.limits) {
    if (limit.resource >= kLimitNames.size()) continue;  // Of a newer build.
    json["limits"][std::string(kLimitNames.at(limit.resource).name)] =
        limit.max == kUnlimited ? std::int64_t{-1} : static_cast<std::int64_t>(limit.max);
  }
}

void put_spec(Json& json, const TaskSpec& spec) {
  put_words(json, spec);
  if (spec.literal) json["literal"] = true;
  if (spec.truncate) json["truncate"] = true;
  put_limit_signal(json, spec);
  put_limits(json, spec);
  for (const Variable& variable : spec.environment) {
    json["environment"][variable.name] = bytes_json(variable.value);
  }
  put(json, "directory", spec.directory);
  put(json, "stdin", spec.stdin_path);
  put(json, "stdout", spec.stdout_path);
  put(json, "stderr", spec.stderr_path);
  put(json, "submit_directory", spec.submit_directory);
  if (spec.input == TaskInput::file) return;
  json["input"] = word_of(spec.input);
  const TermWriter write(json);
  write(TaskSpec::Terms::rows, spec.rows);
  write(TaskSpec::Terms::columns, spec.columns);
}

Json group_json(const sched::Job& job, const sched::TaskGroup& group, const TaskSpec& spec) {
  Json json = Json::object();
  put_terms(json, group, spec);
  json["demand"] = demand_json(group);
  for (const auto& constraint : group.constraints) {
    json["constraints"].push_back(sched::to_string(constraint));
  }
  for (const std::uint16_t before : group.after) {
    json["after"].push_back(job.groups.at(before).name);
  }
  for (std::size_t i = 0; i < group.inputs.tasks.size(); ++i) {
    json["inputs"].push_back(sched::input_text(group.inputs, i));
  }
  put_spec(json, spec);
  return json;
}

std::optional<TaskSpec> spec_of(const std::string& bytes) {
  return decode_task_spec(std::as_bytes(std::span(bytes)));
}

/// What becomes of tasks in the way of others.
void put_yielding(Json& json, const sched::Job& job, const TaskSpec& spec) {
  if (job.on_preempt == sched::OnPreempt::requeue) return;
  json["on_preempt"] = sched::word_of(job.on_preempt);
  if (job.on_preempt != sched::OnPreempt::checkpoint) return;
  json["checkpoint_signal"] = spec.checkpoint_signal;
  json["checkpoint_time_ns"] = spec.checkpoint_time.count();
}

}  // namespace

Result<Json> said_job(const sched::Job& job) {
  Json json = Json::object();
  sched::replica::PutJob::terms(job, TermWriter(json));
  put(json, "class", job.service_class);
  if (job.rerun != sched::Rerun::always) {
    json["rerun"] = sched::kRerunWords[static_cast<std::size_t>(job.rerun)];
  }
  if (!job.labels.empty()) json["labels"] = labels_json(job.labels);
  if (job.past_deadline != sched::PastDeadline::run) {
    json["past_deadline"] = sched::kPastDeadlineWords[static_cast<std::size_t>(job.past_deadline)];
  }
  for (const sched::AfterJob& after : job.after_jobs) {
    Json wish = {{"job", to_string(after.job)}, {"when", sched::when_word(after)}};
    if (after.begun_for > overlay::Duration{0}) wish["delay_ns"] = after.begun_for->count();
    json["after_jobs"].push_back(std::move(wish));
  }
  if (const auto command = spec_of(job.end_command); command && !job.end_command.empty()) {
    json["on_end"] = {{"command", command_json(*command)}};
    put(json["on_end"], "directory", command->directory);
  }
  std::size_t lines = 0;
  for (const sched::TaskGroup& group : job.groups) lines += group.entries.text.size();
  if (lines > kSaidLinesMax) {
    return failure(ErrorKind::refused, "the lines of its tasks are larger than 1 MiB");
  }
  json["groups"] = Json::array();
  for (const sched::TaskGroup& group : job.groups) {
    const auto spec = spec_of(group.spec);
    if (!spec) return failure(ErrorKind::corrupt, "the command of its tasks makes no sense");
    if (json["groups"].empty()) put_yielding(json, job, *spec);
    json["groups"].push_back(group_json(job, group, *spec));
  }
  return json;
}

}  // namespace dunlin::node
