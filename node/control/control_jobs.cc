// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "node/codec.h"
#include "node/control/after/after_jobs.h"
#include "node/control/after/end_command.h"
#include "node/control/after/stages.h"
#include "node/control/command_json.h"
#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/control/from_disk.h"
#include "node/control/inputs/input_nodes.h"
#include "node/control/job_name.h"
#include "node/control/listing/task_entry.h"
#include "node/control/safety_text.h"
#include "node/control/submit/said_job.h"
#include "node/control/submit/script_json.h"
#include "node/control/use/figure_book.h"
#include "node/ids.h"
#include "node/store/results.h"
#include "sched/constraints.h"
#include "sched/ledger/cell_books.h"
#include "sched/logs/log_part.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"

// The answer about one job comes from two places: its state, from the frontend that drives it, and
// the results of its tasks, from the disk. A result that is not on disk yet, or that standbys lack,
// may never have been: so an answer waits until all that was known when it was asked for is
// durable, or says that it is not.
//
// Every answer is bounded, and so is what is read for it in one turn: a page of tasks, the first
// that failed, a piece of the results for their figures. A job may have a million tasks, and the
// loop has other users.
namespace dunlin::node {
namespace {

Json constraints_json(const std::vector<sched::Constraint>& constraints) {
  Json texts = Json::array();
  for (const auto& constraint : constraints) texts.push_back(sched::to_string(constraint));
  return texts;
}

Json group_json(const AgentServices& agent, const sched::JobState& job, std::uint16_t index) {
  const sched::TaskGroup& group = job.spec_of(index);
  const auto& state = job.groups()[index];
  const auto& probes = sched::frontend_of(agent.peer(), job.id()).probes(job, index);
  const TaskSpec spec = decode_task_spec(std::as_bytes(std::span(group.spec))).value_or(TaskSpec{});
  Json json = {{"name", group.name}, {"first", state.first}, {"count", group.count},
      {"demand", to_json(group.demand)}, {"guessed", amounts_json(state.guessed)},
      {"constraints", constraints_json(group.constraints)}, {"priority", group.priority},
      {"retries", group.retries}, {"at_once", group.at_once}, {"gang", group.gang},
      {"after", stages_json(job, index)}, {"inputs", inputs_json(job, index)},
      {"time_limit_ns", group.time_limit.count()}, {"duration_ns", group.duration.count()},
      {"command", command_json(spec)}, {"directory", bytes_json(spec.directory)},
      {"stdin", bytes_json(spec.stdin_path)}, {"stdout", bytes_json(spec.stdout_path)},
      {"stderr", bytes_json(spec.stderr_path)}, {"input", word_of(spec.input)},
      {"literal", spec.literal}, {"truncate", spec.truncate}, {"limit_signal", spec.limit_signal},
      {"limit_signal_time_ns", spec.limit_signal_time.count()}, {"waiting", state.waiting},
      {"resting", state.resting}, {"probes", probes.size()}};
  put_script_summary(json, spec);
  return json;
}

/// The results of those tasks, which ascend. Tasks that are near each other are read together, and
/// the rows between others are not: a user may want the three of a million that failed.
Result<std::map<std::uint32_t, ResultRow>> results_of(
    AgentServices& agent, const sched::JobId& job, std::span<const std::uint32_t> tasks) {
  constexpr std::uint32_t kGapMax = 8;
  std::map<std::uint32_t, ResultRow> by_index;
  for (std::size_t i = 0; i < tasks.size();) {
    std::size_t end = i + 1;
    while (end < tasks.size() && tasks[end] - tasks[end - 1] <= kGapMax) ++end;
    auto rows = agent.results({.job = job,
        .first = tasks[i],
        .limit = tasks[end - 1] - tasks[i] + 1,
        .listed = Listed::all});
    if (!rows) return tl::unexpected(rows.error());
    for (ResultRow& row : *rows) by_index.emplace(row.report.index, std::move(row));
    i = end;
  }
  return by_index;
}

/// The first tasks in that state.
std::vector<std::uint32_t> first_in(const sched::JobState& job, sched::TaskState state) {
  std::vector<std::uint32_t> tasks;
  const std::size_t wanted = std::min<std::size_t>(job.counts()[state], kTasksShown);
  for (std::uint32_t i = 0; i < job.task_count() && tasks.size() < wanted; ++i) {
    if (job.task(i).state == state) tasks.push_back(i);
  }
  return tasks;
}

/// The first tasks that failed, or were stopped on request, with their earlier attempts.
Result<Json> ended_json(AgentServices& agent, const sched::JobState& job, sched::TaskState state) {
  Json ended = Json::array();
  const auto tasks = first_in(job, state);
  const auto rows = results_of(agent, job.id(), tasks);
  if (!rows) return tl::unexpected(rows.error());
  for (const std::uint32_t index : tasks) {
    const auto row = rows->find(index);
    if (row == rows->end()) continue;
    Json task = task_of(agent, row->second);
    add_entry(agent, job, index, task);
    Json attempts = Json::array();
    const auto earlier = agent.attempts(job.id(), index);
    if (!earlier) return tl::unexpected(earlier.error());
    for (const AttemptRow& attempt : *earlier) attempts.push_back(attempt_json(agent, attempt));
    task["attempts"] = std::move(attempts);
    ended.push_back(std::move(task));
  }
  return ended;
}

/// Tasks of a page with their attempts: each of them is read from disk by itself.
constexpr std::size_t kAttemptsPageMax = 100;
/// The states a listing may be asked for.
constexpr std::string_view kStates[] = {
    "all", "waiting", "running", "cancelling", "done", "failed", "cancelled"};

/// By the state that the frontend knows: on disk there are no tasks that wait or run.
bool is_listed(std::string_view wanted, const sched::JobState& job, std::uint32_t index) {
  const auto state = static_cast<std::size_t>(job.task(index).state);
  return wanted == "all" || wanted == sched::kTaskStateWords[state];
}

}  // namespace

Result<Json> handle_find(AgentServices& agent, Args& args) {
  const std::string word = args.text("name", 256);
  if (word.empty()) args.fail("name", "NODE.NUMBER or NODE.NUMBER.TASKS");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  auto name = read_job_name(word, named_nodes(agent), true);
  if (!name) return tl::unexpected(name.error());
  if (!name->node) name->node = agent.id();
  return Json{{"job", to_string(name->node) + "." + std::to_string(name->number)},
      {"number", name->number}, {"node", to_string(name->node)},
      {"node_name", agent.name_of(name->node)}, {"tasks", name->tasks}};
}

namespace {

/// The standbys that have all of the job, and would go on with it.
Json standbys_json(const AgentServices& agent, const sched::JobState& job) {
  Json standbys = Json::array();
  const sched::Frontend& frontend = sched::frontend_of(agent.peer(), job.id());
  for (const sched::LogReplica& standby : frontend.office().standbys) {
    standbys.push_back(
        {{"node", to_string(standby.node)}, {"node_name", agent.name_of(standby.node)}});
  }
  return standbys;
}

Result<Json> job_json(AgentServices& agent, const sched::JobState& job, const Principal& viewer) {
  Json json = summary_of(agent, job, viewer);
  json["known_as"] = job_text(agent, job.id());
  json["node"] = to_string(agent.id());
  json["node_name"] = agent.name_of(agent.id());
  json["standbys"] = standbys_json(agent, job);
  json["exposed"] = exposure_text(agent, job);
  if (const sched::PeerLogs* const logs = agent.peer().logs()) {
    const auto* const log = logs->parts().find(job.id());
    if (log != nullptr) json["books"] = log->books().voters();
  }
  json["comment"] = job.job().comment;
  json["after_jobs"] = after_json(agent, job);
  json["on_end"] = end_command_json(job);
  Json groups = Json::array();
  for (std::size_t i = 0; i < job.groups().size(); ++i) {
    groups.push_back(group_json(agent, job, static_cast<std::uint16_t>(i)));
  }
  json["groups"] = std::move(groups);

  constexpr std::pair<const char*, sched::TaskState> kLists[] = {
      {"failed", sched::TaskState::failed}, {"cancelled", sched::TaskState::cancelled}};
  for (const auto& [name, state] : kLists) {
    auto ended = ended_json(agent, job, state);
    if (!ended) return ended;
    const std::uint32_t all = job.counts()[state];
    const auto shown = static_cast<std::uint32_t>(ended->size());
    json[name] = std::move(*ended);
    json[std::string(name) + "_more"] = all > shown ? all - shown : 0;
  }

  auto preempted = preempted_json(agent, job);
  if (!preempted) return preempted;
  json["preempted"] = std::move(*preempted);
  agent.local().figures.last().put(json);
  return json;
}

/// Adds the attempts before the last one; nothing if the task has had none.
Result<void> add_attempts(AgentServices& agent, const sched::JobState& job, Json& task) {
  const auto rows = agent.attempts(job.id(), task["index"].get<std::uint32_t>());
  if (!rows) return tl::unexpected(rows.error());
  for (const AttemptRow& row : *rows) task["attempts"].push_back(attempt_json(agent, row));
  return {};
}

/// The tasks that are asked for: in state `wanted`, from task `from` on.
struct TaskPage {
  std::string wanted;
  std::uint32_t from = 0;
  std::size_t limit = kPageMax;
  bool attempts = false;  ///< With their earlier attempts.
};

Result<Json> tasks_json(AgentServices& agent, const sched::JobState& job, const TaskPage& asked) {
  if (job.pruned()) return Json{{"tasks", Json::array()}, {"next", nullptr}, {"pruned", true}};
  const auto& [wanted, from, limit, attempts] = asked;
  std::vector<std::uint32_t> page;
  std::uint32_t index = from;
  for (; index < job.task_count() && page.size() < limit; ++index) {
    if (is_listed(wanted, job, index)) page.push_back(index);
  }
  Json tasks = Json::array();
  if (!page.empty()) {
    const auto results = results_of(agent, job.id(), page);
    if (!results) return tl::unexpected(results.error());
    for (const std::uint32_t task : page) {
      const auto result = results->find(task);
      const bool recorded = result != results->end();
      Json json = recorded ? task_of(agent, result->second) : task_of(agent, job, task);
      add_entry(agent, job, task, json);
      if (attempts) {
        if (auto added = add_attempts(agent, job, json); !added) {
          return tl::unexpected(added.error());
        }
      }
      tasks.push_back(std::move(json));
    }
  }
  return Json{{"tasks", std::move(tasks)},
      {"next", index < job.task_count() ? Json(index) : Json(nullptr)}, {"pruned", false}};
}

}  // namespace

PendingResult handle_job(AgentServices& agent, ControlSession& session, Args& args) {
  const auto found = find_job(agent, args);
  const bool said = args.flag("request");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (!found) return tl::unexpected(found.error());
  return std::make_unique<FromDisk>(agent, **found,
      [said, viewer = session.speaker()](
          AgentServices& services, const sched::JobState& job) -> FromDisk::Answered {
        const std::uint32_t epoch = sched::frontend_of(services.peer(), job.id()).office().epoch;
        const auto whole = services.local().figures.read(services, job, epoch, services.now());
        if (!whole) return tl::unexpected(whole.error());
        if (!*whole) return std::nullopt;
        auto json = job_json(services, job, viewer);
        if (!json) return tl::unexpected(json.error());
        if (!said) return std::move(*json);
        auto request = said_job(job.job());
        if (!request) return tl::unexpected(request.error());
        (*json)["request"] = std::move(*request);
        return std::move(*json);
      });
}

PendingResult handle_tasks(AgentServices& agent, ControlSession&, Args& args) {
  const auto found = find_job(agent, args);
  TaskPage page{.wanted = args.text("state", 16)};
  if (page.wanted.empty()) page.wanted = "all";
  if (std::ranges::find(kStates, page.wanted) == std::end(kStates)) {
    args.fail("state", "all, waiting, running, cancelling, done, failed or cancelled");
  }
  page.from = static_cast<std::uint32_t>(args.number("from", 0, UINT32_MAX, 0));
  page.limit = static_cast<std::size_t>(args.number("limit", 1, kPageMax, kPageMax));
  page.attempts = args.flag("attempts");
  if (page.attempts) page.limit = std::min(page.limit, kAttemptsPageMax);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (!found) return tl::unexpected(found.error());
  return std::make_unique<FromDisk>(agent, **found,
      [page](AgentServices& services, const sched::JobState& job) -> FromDisk::Answered {
        auto json = tasks_json(services, job, page);
        if (!json) return tl::unexpected(json.error());
        return std::move(*json);
      });
}

}  // namespace dunlin::node
