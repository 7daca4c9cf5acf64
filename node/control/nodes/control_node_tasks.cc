// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "node/control/control_handlers.h"
#include "node/control/job_name.h"
#include "node/control/nodes/tasks_cursor.h"
#include "node/ids.h"
#include "node/task/task_about.h"
#include "node/wall_clock.h"
#include "sched/frontend/job_state.h"
#include "sched/peer_view.h"

// The verb `node_tasks`: what runs on this node, whose it is, and what it takes; then what it is
// about to run, and what waits here. A worker knows of a task what it must, and its executor what
// people ask for.
namespace dunlin::node {
namespace {

/// Tasks of one answer. A line costs some microseconds, and others wait meanwhile.
constexpr std::int64_t kNodeTasksMax = 200;
constexpr std::int64_t kNodeTasksUsual = 100;

using Part = TasksCursor::Part;
/// The owners that are known here of the numbers by which workers know users.
using Owners = std::map<std::uint64_t, std::string>;

/// The worker's view: a job's home may not have heard of a change yet.
std::string_view state_here(const sched::RunningTask& task) {
  if (task.waits || task.borrows) return "starting";
  if (task.killed) return "ending";
  return task.suspended ? "suspended" : "running";
}

/// Since the task's start; how old the figures are stands beside them.
Json use_of(const RunningUse& use) {
  Json json = {{"cpu_ns", use.cpu.count()},
      {"cpu_milli", use.cpu_lately ? Json(*use.cpu_lately) : Json(nullptr)},
      {"memory_bytes", use.memory}, {"sampled_ago_ns", use.sampled_ago.count()}};
  if (use.has_disk) {
    json["disk_read_bytes"] = use.disk_read;
    json["disk_written_bytes"] = use.disk_written;
  }
  if (use.has_net) {
    json["net_received_bytes"] = use.net_received;
    json["net_sent_bytes"] = use.net_sent;
  }
  return json;
}

Json devices_json(const std::vector<TaskDevices>& devices) {
  Json all = Json::array();
  for (const TaskDevices& each : devices) {
    if (!each.numbers.empty()) {
      all.push_back({{"resource", each.resource}, {"numbers", each.numbers}});
    }
  }
  return all;
}

/// One answer: a page of what is here.
class NodeTasks {
 public:
  NodeTasks(AgentServices& agent, const Principal& viewer, std::size_t limit)
      : agent_(agent),
        viewer_(viewer),
        limit_(limit) {}

  Json tell(const sched::Worker& worker, TasksCursor from) {
    if (from.part == Part::running) from = tell_running(worker, from);
    if (from.part == Part::asking) from = tell_asking(worker, from);
    if (from.part == Part::queued) tell_queued(worker, from);
    return answer(worker.running().size(), worker.asking().size(), worker.queue().size());
  }

  /// Before the first task of the node.
  Json tell_none() { return answer(0, 0, 0); }

 private:
  Json answer(std::size_t running, std::size_t asking, std::size_t queued) {
    return {{"node", to_string(agent_.id())}, {"node_name", agent_.peer().self().name},
        {"running", running}, {"asking", asking}, {"queued", queued}, {"tasks", std::move(tasks_)},
        {"next", next_ ? Json(to_text(*next_)) : Json(nullptr)}};
  }

  bool full() const { return tasks_.size() >= limit_; }

  // In the order of their names, which stands still while tasks come and go: so a page begins where
  // the one before ended.
  TasksCursor tell_running(const sched::Worker& worker, const TasksCursor& from) {
    std::vector<std::pair<sched::AttemptKey, const sched::RunningTask*>> left;
    for (const sched::RunningTask& task : worker.running()) {
      const sched::AttemptKey key = sched::key_of(task.task, task.attempt);
      if (!from.begins || key > from.after) left.emplace_back(key, &task);
    }
    const std::size_t shown = std::min(left.size(), limit_);
    std::ranges::partial_sort(left, left.begin() + static_cast<std::ptrdiff_t>(shown));
    for (std::size_t i = 0; i < shown; ++i) tasks_.push_back(running_json(*left[i].second));
    if (shown < left.size()) {
      next_ = TasksCursor{.part = Part::running, .begins = true, .after = left[shown - 1].first};
      return {.part = Part::end};
    }
    return {.part = Part::asking};
  }

  TasksCursor tell_asking(const sched::Worker& worker, const TasksCursor& from) {
    const auto& asking = worker.asking();
    for (std::size_t i = from.count; i < asking.size(); ++i) {
      if (full()) {
        next_ = TasksCursor{.part = Part::asking, .count = i};
        return {.part = Part::end};
      }
      Json task = waiting_json(worker, asking[i].reservation, "asking");
      task["tasks"] = asking[i].room;
      tasks_.push_back(std::move(task));
    }
    return {.part = Part::queued};
  }

  void tell_queued(const sched::Worker& worker, const TasksCursor& from) {
    const auto& waiting = worker.queue().waiting();
    for (std::size_t i = from.count; i < waiting.size(); ++i) {
      if (full()) {
        next_ = TasksCursor{.part = Part::queued, .count = i};
        return;
      }
      Json task = waiting_json(worker, waiting[i], "queued");
      task["place"] = i + 1;
      tasks_.push_back(std::move(task));
    }
  }

  /// What every line begins with. `owner` and `name` are empty where they are not known here.
  Json line_of(const sched::JobId& job,
      const std::string& owner,
      const std::string& name,
      std::string_view state,
      overlay::Duration age) const {
    return {{"job", to_string(job)}, {"known_as", job_text(agent_, job)},
        {"lineage", lineage_text(job)}, {"owner", owner}, {"name", name}, {"state", state},
        {"since_at_ns", wall_clock_ns() - age.count()}, {"age_ns", age.count()}};
  }

  Json running_json(const sched::RunningTask& task) const {
    const auto told = agent_.local().tasks.about(task.task, task.attempt);
    const TaskAbout about = told ? told->about : about_here(task.task.job);
    const overlay::Duration age = std::max(overlay::Duration{0}, agent_.now() - task.started);
    Json json = line_of(task.task.job, about.owner, about.job_name, state_here(task), age);
    json["index"] = task.task.index;
    json["attempt"] = sched::number_of(task.attempt);
    json["demand"] = to_json(task.demand);
    json["holds"] = to_json(sched::held_by(task));
    if (told && told->use && told->use->sampled) json["used"] = use_of(*told->use);
    if (told) {
      json["slot"] = told->slot;
      json["devices"] = devices_json(told->devices);
    }
    // What a task runs, and for whom it must go, is its owner's own.
    if (!may_act_for(viewer_, about.owner)) return json;
    Json command = Json::array();
    for (const std::string& word : about.command) command.push_back(bytes_json(word));
    json["command"] = std::move(command);
    if (!task.preempted_for.empty()) json["why"] = task.preempted_for;
    return json;
  }

  Json waiting_json(const sched::Worker& worker,
      const sched::QueuedReservation& waiting,
      std::string_view state) {
    const sched::Reserve& reserve = waiting.reserve;
    TaskAbout about = about_here(reserve.job);
    if (about.owner.empty()) about.owner = owner_of(worker, reserve.user);
    const overlay::Duration age = std::max(overlay::Duration{0}, agent_.now() - waiting.born);
    Json json = line_of(reserve.job, about.owner, about.job_name, state, age);
    json["group"] = reserve.group;
    json["demand"] = to_json(reserve.demand);
    json["priority"] = reserve.priority;
    json["tasks"] = reserve.tasks_max;
    return json;
  }

  /// What is known of a job because it is driven here.
  TaskAbout about_here(const sched::JobId& id) const {
    const sched::JobState* const job = sched::find_job(agent_.peer(), id);
    if (job == nullptr) return {};
    return {.owner = job->job().owner, .job_name = job->job().name, .command = {}};
  }

  /// A reservation has a number for its user. Tasks of the same user that run here tell the name.
  std::string owner_of(const sched::Worker& worker, std::uint64_t user) {
    if (user == 0) return "";
    if (!owners_) {
      owners_.emplace();
      for (const sched::RunningTask& task : worker.running()) {
        if (task.user == 0 || owners_->contains(task.user)) continue;
        const auto told = agent_.local().tasks.about(task.task, task.attempt);
        if (told && !told->about.owner.empty()) (*owners_)[task.user] = told->about.owner;
      }
    }
    const auto known = owners_->find(user);
    return known == owners_->end() ? "" : known->second;
  }

  AgentServices& agent_;
  const Principal& viewer_;
  std::size_t limit_;
  Json tasks_ = Json::array();
  std::optional<TasksCursor> next_;
  std::optional<Owners> owners_;  ///< Once a request asked for them.
};

}  // namespace

Result<Json> handle_node_tasks(AgentServices& agent, ControlSession& session, Args& args) {
  const auto limit = args.number("limit", 1, kNodeTasksMax, kNodeTasksUsual);
  const std::string after = args.text("after", kTasksCursorMax);
  const auto from = read_tasks_cursor(after);
  if (!from) args.fail("after", "the `next` of an answer before");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  NodeTasks tasks(agent, session.speaker(), static_cast<std::size_t>(limit));
  const sched::Worker* const worker = agent.peer().worker();
  return worker == nullptr ? tasks.tell_none() : tasks.tell(*worker, *from);
}

}  // namespace dunlin::node
