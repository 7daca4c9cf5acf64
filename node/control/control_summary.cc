// SPDX-License-Identifier: MIT
#include <algorithm>

#include "node/control/after/after_jobs.h"
#include "node/control/after/stages.h"
#include "node/control/control_handlers.h"
#include "node/control/job_name.h"
#include "node/control/safety_text.h"
#include "node/control/submit/label_json.h"
#include "node/control/use/figures.h"
#include "node/ids.h"
#include "node/memory_kills.h"
#include "node/store/results.h"
#include "overlay/param_entries.h"
#include "sched/constraints.h"
#include "sched/peer_view.h"
#include "sched/resources.h"

// The answers about a job, about a task, and why it does not run.
namespace dunlin::node {
namespace {

using sched::TaskState;

/// "exit 1", "signal 9", "time limit", "out of memory", ...
std::string outcome_text(sched::Outcome outcome, std::int32_t status) {
  using enum sched::Outcome;
  switch (outcome) {
    case exited:
      return "exit " + std::to_string(status);
    case signalled:
      return "signal " + std::to_string(status);
    case time_limit:
      return "time limit reached";
    case out_of_memory:
      return "out of memory";
    case not_found:
      return "command not found";
    case not_executable:
      return "command not executable";
    case spawn_failed:
      return "could not start";
    case killed:
      return "killed";
    case preempted:
      return "preempted";
    case lost:
      return "lost";
  }
  return "ended";
}

/// "task 57: exit 1 on merlin".
std::string failure_reason(AgentServices& agent, const sched::JobState& job) {
  if (job.pruned()) return "what became of each task is forgotten";
  const auto failed =
      agent.results({.job = job.id(), .first = 0, .limit = 1, .listed = Listed::failed});
  if (!failed || failed->empty()) return "";
  const ResultRow& row = failed->front();
  const std::string& detail = row.report.detail;
  const std::string task = "task " + std::to_string(row.report.index) + ": ";
  const std::string where = " on " + agent.name_of(row.worker);
  // These details are sentences that say it all: "command 'mkae' not found".
  const bool alone = row.report.outcome == sched::Outcome::not_found ||
      row.report.outcome == sched::Outcome::not_executable;
  if (alone && !detail.empty()) return task + detail + where;
  const std::string text = task + outcome_text(row.report.outcome, row.report.status) + where;
  return detail.empty() ? text : text + " (" + detail + ")";
}

/// The end of the last attempt of a task that rests: "cannot fork on merlin".
std::string last_setback(AgentServices& agent, const sched::JobState& job, std::uint32_t index) {
  const auto attempts = agent.attempts(job.id(), index);
  if (!attempts || attempts->empty()) return "";
  const AttemptRow& last = attempts->back();
  return (last.report.detail.empty() ? "no reason told" : last.report.detail) + " on " +
      agent.name_of(last.worker);
}

/// Why the tasks of `group` wait.
/// From the reason that no time heals to the one that it does: each asks something that makes sense
/// only if the ones before do not hold.
std::string waiting_reason(AgentServices& agent, const sched::JobState& job, std::uint16_t group) {
  const overlay::Time now = agent.now();
  if (job.held_until() > now) return "this agent restarted; workers may still report their tasks";
  const sched::TaskGroup& spec = job.spec_of(group);
  const sched::Directory& directory = sched::directory_of(agent.peer());
  const sched::Census census = directory.census(now, spec.demand, spec.constraints);
  const std::string wanted = sched::to_string(spec.demand);
  if (census.could_fit == 0 && census.aside_count > 0) {
    return "no node that could fit takes tasks: " + aside_text(agent, census);
  }
  if (census.up == 0) return "no node is up and takes tasks";
  if (census.matching == 0) return "no node satisfies " + constraints_text(spec.constraints);
  if (census.could_fit == 0) {
    const auto never = directory.why_never(now, spec.demand, spec.constraints);
    return never.value_or("no node can ever fit " + wanted);
  }
  // A gang needs room for all at once, which the single task's census does not tell.
  if (spec.gang) {
    if (const auto never = directory.why_never(now, spec)) return *never;
  }
  if (census.fit_now == 0) {
    return "no node has " + wanted + " free (" + std::to_string(census.could_fit) + " could fit)";
  }
  const std::size_t probes = sched::frontend_of(agent.peer(), job.id()).probes(job, group).size();
  return "being placed: " + std::to_string(probes) + (probes == 1 ? " probe" : " probes") + " out";
}

/// The counts of its tasks by state, in the words of the protocol.
Json counts_json(const sched::JobState& job) {
  const auto& counts = job.counts();
  return {{"waiting", counts[TaskState::waiting]}, {"running", counts[TaskState::launched]},
      {"cancelling", counts[TaskState::cancelling]}, {"done", counts[TaskState::succeeded]},
      {"failed", counts[TaskState::failed]}, {"cancelled", counts[TaskState::cancelled]}};
}

}  // namespace

// Names the first of them and says for how long: "merlin (draining for 5m)".
std::string aside_text(const AgentServices& agent, const sched::Census& census) {
  std::string text;
  for (const sched::Census::Aside& node : census.aside) {
    const auto since = std::chrono::floor<std::chrono::seconds>(node.since);
    text += (text.empty() ? "" : ", ") + agent.name_of(node.node) + " (" +
        std::string(to_string(node.state)) + " for " + overlay::to_string(since) + ")";
  }
  if (census.aside_count > census.aside.size()) {
    text += " and " + std::to_string(census.aside_count - census.aside.size()) + " more";
  }
  return text;
}

std::string constraints_text(const std::vector<sched::Constraint>& constraints) {
  std::string text;
  for (const auto& constraint : constraints) {
    text += (text.empty() ? "" : " and ") + sched::to_string(constraint);
  }
  return text;
}

// The first task that rests stands for all: they rest for reasons that are mostly one.
std::string resting_text(AgentServices& agent, const sched::JobState& job, std::uint16_t group) {
  const std::uint32_t count = job.groups()[group].resting;
  const std::uint32_t first = job.groups()[group].first;
  const std::uint32_t end = first + job.spec_of(group).count;
  for (std::uint32_t index = first; count > 0 && index < end; ++index) {
    if (!job.setbacks().rests(index)) continue;
    const std::string why = last_setback(agent, job, index);
    return std::to_string(count) + (count == 1 ? " task rests" : " tasks rest") +
        " after a start that failed: " + (why.empty() ? "no reason told" : why);
  }
  return "";
}

/// Why tasks were cancelled, if not because somebody asked for it.
std::string cancel_reason(const AgentServices& agent, const sched::JobState& job) {
  const auto& progress = job.progress();
  const std::uint32_t count = job.counts()[TaskState::cancelled];
  const bool by_user = progress.cancelled_by == sched::CancelledBy::user;
  if (!progress.cancelled) return missed_stage_text(job);
  if (by_user || count == 0) return "";
  const bool late = progress.cancelled_by == sched::CancelledBy::deadline;
  return (late ? "it missed its deadline" : missed_text(agent, job)) + ", which cancelled " +
      std::to_string(count) + (count == 1 ? " task" : " tasks");
}

std::string held_text(const AgentServices& agent, const sched::JobState& job) {
  return "on hold: it starts no task until `dunlin release " + job_text(agent, job.id()) + "`";
}

std::string begin_text(const AgentServices& agent, const sched::JobState& job) {
  const sched::Duration left = std::max(sched::Duration{0}, job.begins_at() - agent.now());
  return "its user has it begin later: in " +
      overlay::to_string(std::chrono::ceil<std::chrono::seconds>(left));
}

/// When its user has it begin, by the wall clock; 0: at once.
std::int64_t begin_at(const sched::Job& job) {
  return job.begin ? sched::wall_after(job.submitted_at, *job.begin) : 0;
}

/// Its tasks that stand still, as their workers last said.
std::uint64_t suspended_of(const sched::JobState& job) {
  const auto stands = [](const auto& each) { return each.second.suspended; };
  return static_cast<std::uint64_t>(std::ranges::count_if(job.bindings(), stands));
}

// What a person should hear first goes first: tasks that stand still, then why it ended, then what
// holds back tasks that wait; placement, which changes each second, comes last.
std::string reason_of(AgentServices& agent, const sched::JobState& job) {
  const std::uint64_t suspended = suspended_of(job);
  if (suspended > 0 && suspended == job.bindings().size()) {
    return "what runs of it is suspended: others that matter more have its CPUs";
  }
  if (job.counts()[TaskState::waiting] == 0) {
    std::string why = job.counts()[TaskState::failed] > 0 ? failure_reason(agent, job) : "";
    const std::string cancelled = cancel_reason(agent, job);
    if (!why.empty() && !cancelled.empty()) why += "; ";
    return why + cancelled;
  }
  if (job.progress().held) return held_text(agent, job);
  if (std::string unsafe = safety_text(agent, job); !unsafe.empty()) return unsafe;
  if (sched::waits_for_jobs(job)) return after_text(agent, job);
  if (job.waits_to_begin()) return begin_text(agent, job);
  if (job.counts()[TaskState::launched] > 0) return "";  // It gets on.
  const auto& groups = job.groups();
  const auto count = static_cast<std::uint16_t>(groups.size());
  for (std::uint16_t group = 0; group < count; ++group) {
    const bool held = job.stages().holds(group);
    if (groups[group].waiting > 0 && !held) return waiting_reason(agent, job, group);
  }
  for (std::uint16_t group = 0; group < count; ++group) {
    if (groups[group].resting > 0) return resting_text(agent, job, group);
  }
  return stage_text(job);
}

/// Of all its tasks, together.
std::uint64_t preemptions_of(const sched::JobState& job) {
  std::uint64_t sum = 0;
  for (const auto& [index, count] : job.preempted()) sum += count;
  return sum;
}

// Empty: the job was not cancelled as a whole.
std::string_view cancelled_by(const sched::JobState& job) {
  if (!job.progress().cancelled) return "";
  return sched::kCancelledByWords[static_cast<std::size_t>(job.progress().cancelled_by)];
}

Json summary_of(AgentServices& agent, const sched::JobState& job, const Principal& viewer) {
  const sched::TaskGroup& first = job.job().groups.front();
  const std::optional<sched::EndFacts>& end = job.progress().ended;
  return {{"number", job.id().number}, {"job", to_string(job.id())},
      {"lineage", lineage_text(job.id())}, {"name", job.job().name}, {"owner", job.job().owner},
      {"state", state_word(job)}, {"tasks", job.task_count()}, {"counts", counts_json(job)},
      {"demand", to_json(first.demand)}, {"groups", job.groups().size()}, {"class", class_of(job)},
      {"deadline_ns", sched::to_wire(job.job().deadline)},
      {"past_deadline",
          sched::kPastDeadlineWords[static_cast<std::size_t>(job.job().past_deadline)]},
      {"cancelled_by", cancelled_by(job)}, {"priority", first.priority},
      {"preemptions", preemptions_of(job)}, {"suspended", suspended_of(job)},
      {"on_preempt", sched::word_of(job.job().on_preempt)},
      {"submitted_at_ns", job.job().submitted_at}, {"started_at_ns", sched::started_at(job)},
      {"ended_at_ns", sched::ended_at(job)}, {"exit", end ? Json(end->exit) : Json(nullptr)},
      {"worst_outcome", end ? Json(sched::word_of(end->worst)) : Json(nullptr)},
      {"pruned", job.pruned()}, {"age_ns", (agent.now() - job.accepted()).count()},
      {"finished", job.finished().has_value()},
      // A reason names nodes, commands and errors of the owner's tasks: others get the rest of the
      // line.
      {"reason", may_act_for(viewer, job.job().owner) ? reason_of(agent, job) : ""},
      {"home", to_string(agent.id())}, {"home_name", agent.peer().self().name},
      {"origin", to_string(job.id().home)}, {"origin_name", agent.name_of(job.id().home)},
      {"replicas", job.job().replicas}, {"replicas_required", job.job().replicas_required},
      {"labels", labels_json(job.job().labels)}, {"begin_at_ns", begin_at(job.job())},
      {"rerun", sched::kRerunWords[static_cast<std::size_t>(job.job().rerun)]}};
}

// From its result alone, which is on disk: the job's state may be further on.
Json task_of(AgentServices& agent, const ResultRow& row) {
  const sched::Report& report = row.report;
  const bool success = sched::is_success(report);
  const bool cancelled = report.outcome == sched::Outcome::killed;
  Json task = {{"index", report.index},
      {"state",
          success         ? "done"
              : cancelled ? "cancelled"
                          : "failed"},
      {"attempt", sched::number_of(report.attempt)}, {"worker", to_string(row.worker)},
      {"worker_name", agent.name_of(row.worker)},
      {"outcome", sched::kOutcomeWords[static_cast<std::size_t>(report.outcome)]},
      {"status", report.status},
      {"shell_status", sched::shell_status(report.outcome, report.status)},
      {"wall_ns", report.wall.count()}, {"cpu_ns", report.cpu.count()},
      {"memory_peak_bytes", report.memory_peak}, {"out_bytes", report.out_bytes},
      {"err_bytes", report.err_bytes}, {"started_at_ns", report.started_at}};
  if (auto use = use_json(report.use); !use.is_null()) task["use"] = std::move(use);
  if (!report.detail.empty()) task["detail"] = report.detail;
  if (const auto kills = memory_kills_in(report.detail); kills > 0) task["memory_kills"] = kills;
  return task;
}

// The entry of a task without a result on disk.
Json task_of(AgentServices& agent, const sched::JobState& job, std::uint32_t index) {
  auto state = job.task(index).state;
  // An end that is not on disk may yet become another one.
  const bool ended = state == sched::TaskState::succeeded || state == sched::TaskState::failed;
  if (ended) state = sched::TaskState::launched;
  Json task = {
      {"index", index}, {"state", sched::kTaskStateWords[static_cast<std::size_t>(state)]}};
  if (const auto count = job.preemptions(index); count > 0) task["preemptions"] = count;
  const auto binding = job.bindings().find(index);
  if (binding != job.bindings().end()) {
    task["attempt"] = sched::number_of(binding->second.attempt);
    task["worker"] = to_string(binding->second.worker.id);
    task["worker_name"] = agent.name_of(binding->second.worker.id);
    if (binding->second.suspended) task["suspended"] = true;
  }
  return task;
}

// A lost attempt tells only that it was lost, and when that was noticed.
Json attempt_json(AgentServices& agent, const AttemptRow& row) {
  Json attempt = {{"attempt", sched::number_of(row.report.attempt)},
      {"worker", to_string(row.worker)}, {"worker_name", agent.name_of(row.worker)},
      {"lost", row.lost}};
  if (row.lost) {
    attempt["lost_at_ns"] = row.report.started_at;
    return attempt;
  }
  attempt["outcome"] = sched::kOutcomeWords[static_cast<std::size_t>(row.report.outcome)];
  attempt["status"] = row.report.status;
  attempt["cause"] = sched::word_of(row.report.cause);
  attempt["wall_ns"] = row.report.wall.count();
  attempt["cpu_ns"] = row.report.cpu.count();
  attempt["memory_peak_bytes"] = row.report.memory_peak;
  attempt["out_bytes"] = row.report.out_bytes;
  attempt["err_bytes"] = row.report.err_bytes;
  if (auto use = use_json(row.report.use); !use.is_null()) attempt["use"] = std::move(use);
  attempt["started_at_ns"] = row.report.started_at;
  if (!row.report.detail.empty()) attempt["detail"] = row.report.detail;
  return attempt;
}

// Those attempts alone that had to make room, for users who ask why a task took so long.
Result<Json> preempted_json(AgentServices& agent, const sched::JobState& job) {
  Json tasks = Json::array();
  for (const auto& [index, count] : job.preempted()) {
    if (tasks.size() == kTasksShown) break;
    const auto rows = agent.attempts(job.id(), index);
    if (!rows) return tl::unexpected(rows.error());
    Json attempts = Json::array();
    for (const AttemptRow& row : *rows) {
      const bool yielded = !row.lost && row.report.outcome == sched::Outcome::preempted;
      if (yielded) attempts.push_back(attempt_json(agent, row));
    }
    tasks.push_back({{"index", index}, {"preemptions", count}, {"attempts", std::move(attempts)}});
  }
  return tasks;
}

}  // namespace dunlin::node
