// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/control/job_limits.h"
#include "node/control/job_name.h"
#include "node/control/safety_text.h"
#include "node/control/usage/day_usage.h"
#include "sched/peer_view.h"

// The verbs by which the owner of a job changes it. Each is answered when the change is on disk,
// and where standbys of the job are promised at those: what was answered outlives the node.
namespace dunlin::node {
namespace {

using sched::JobState;
using sched::TaskState;

/// Answers once all that was recorded so far is on disk.
class ChangePending final : public Pending {
 public:
  /// `done` is the change, in a word.
  ChangePending(std::string done, Json answer, const RecordMark& mark)
      : done_(std::move(done)),
        answer_(std::move(answer)),
        mark_(mark) {}

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (agent.durable(mark_)) {
      reply.end(std::move(answer_));
      return false;
    }
    if (agent.is_void(mark_)) {
      reply.fail({ErrorKind::elsewhere,
          "another node took the job over, and may not know that it was " + done_ + ": ask again"});
      return false;
    }
    if (agent.store_error().empty()) return true;
    reply.fail(
        {ErrorKind::io, done_ + ", but this could not be stored yet: " + agent.store_error()});
    return false;
  }

  std::string waits_for(const AgentServices& agent) const override {
    return waits_for_record(agent, mark_);
  }

 private:
  std::string done_;
  Json answer_;
  RecordMark mark_;
};

PendingResult once_durable(
    AgentServices& agent, const sched::JobId& job, std::string done, Json answer) {
  return std::make_unique<ChangePending>(
      std::move(done), std::move(answer), agent.record_mark(job));
}

std::uint32_t count_of(const JobState& job, std::initializer_list<TaskState> states) {
  return std::accumulate(states.begin(), states.end(), 0U,
      [&](std::uint32_t sum, TaskState state) { return sum + job.counts()[state]; });
}

/// The tasks that the request names; none if it names none.
std::vector<std::uint32_t> tasks_of(Args& args, const JobState* job) {
  return args.numbers("tasks", kSubmitTasksMax, job == nullptr ? 0 : job->task_count(),
      "a list of the job's task numbers, which count from 0");
}

std::string count_text(std::size_t tasks) {
  return std::to_string(tasks) + (tasks == 1 ? " task" : " tasks");
}

PendingResult hold(AgentServices& agent, ControlSession& session, Args& args, bool on) {
  const auto job = find_job(agent, args);
  if (!job) return tl::unexpected(job.error());
  // Before the change: the answer tells how many tasks it keeps, or lets go.
  const std::uint32_t waiting = (*job)->counts()[TaskState::waiting];
  auto done = agent.change((*job)->id(), {.held = on, .terms = {}});
  if (!done) return tl::unexpected(for_people(agent, (*job)->id(), done.error()));
  note_action(
      agent, session.speaker(), {.verb = on ? "hold" : "release", .object = object_of(args)});
  return once_durable(
      agent, (*job)->id(), on ? "held" : "released", {{"held", on}, {"waiting", waiting}});
}

/// The tasks of a job that ended without success: failed ones, and unless `failed_only` cancelled
/// ones.
std::vector<std::uint32_t> unsuccessful(const JobState& job, bool failed_only) {
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t index = 0; index < job.task_count(); ++index) {
    const TaskState state = job.task(index).state;
    if (state == TaskState::failed || (state == TaskState::cancelled && !failed_only)) {
      tasks.push_back(index);
    }
  }
  return tasks;
}

/// When it should have ended, by the wall clock; 0: no matter when.
std::int64_t due_at_ns(const sched::Job& job) {
  return job.deadline ? job.submitted_at + job.deadline->count() : 0;
}

/// What the request `set` asks for.
sched::NewTerms terms_of(Args& args, const JobState* job, overlay::Time now) {
  sched::NewTerms terms;
  if (args.has("priority")) {
    terms.priority = static_cast<std::int16_t>(
        args.number("priority", sched::kPriorityMin, sched::kPriorityMax));
  }
  if (args.has("deadline_ns")) {
    const sched::Duration left{args.number("deadline_ns", 0, sched::kTaskTimeMax.count())};
    terms.deadline.emplace();
    // The request counts from now, the job from its submit.
    if (left > sched::Duration{0} && job != nullptr) *terms.deadline = now - job->accepted() + left;
  }
  if (terms == sched::NewTerms{}) args.fail("priority", "given, or 'deadline_ns'");
  return terms;
}

std::string text_of(const sched::NewTerms& terms) {
  std::string text;
  if (terms.priority) text += ", priority " + std::to_string(*terms.priority);
  if (terms.deadline) text += *terms.deadline ? ", a deadline" : ", no deadline";
  return text;
}

/// Nodes that have attempts which are to end and run again, and do not answer: "n2 (down, last
/// heard of 12 s ago)". Those attempts go on until that is known.
Json silent_nodes(const AgentServices& agent, const JobState& job) {
  constexpr std::size_t kShown = 8;
  std::set<overlay::PeerId> silent;
  for (const auto& [index, binding] : job.bindings()) {
    if (!binding.requeued || binding.launching || binding.worker.id == agent.id()) continue;
    const auto& nodes = sched::directory_of(agent.peer()).nodes();
    const auto node = nodes.find(binding.worker.id);
    const auto state =
        node == nodes.end() ? sched::NodeState::down : node->second.state(agent.now());
    const bool answers = state != sched::NodeState::down && state != sched::NodeState::suspect;
    if (!answers && silent.size() < kShown) silent.insert(binding.worker.id);
  }
  Json texts = Json::array();
  for (const overlay::PeerId node : silent) texts.push_back(node_text(agent, node));
  return texts;
}

/// How many of these tasks, or of all if none are named, have not ended and are not being
/// cancelled.
std::uint32_t unfinished_of(const JobState& job, const std::vector<std::uint32_t>& tasks) {
  if (tasks.empty()) return count_of(job, {TaskState::waiting, TaskState::launched});
  const std::set<std::uint32_t> named(tasks.begin(), tasks.end());
  return static_cast<std::uint32_t>(std::ranges::count_if(named, [&](std::uint32_t index) {
    const TaskState state = job.task(index).state;
    return state == TaskState::waiting || state == TaskState::launched;
  }));
}

}  // namespace

PendingResult handle_cancel(AgentServices& agent, ControlSession& session, Args& args) {
  const auto job = find_job(agent, args);
  const std::vector<std::uint32_t> tasks = tasks_of(args, job ? *job : nullptr);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (!job) return tl::unexpected(job.error());

  // What a restarted home still asks its workers about ends a moment later, and counts all the
  // same.
  const std::uint32_t cancelled = unfinished_of(**job, tasks);
  const sched::JobId id = (*job)->id();
  if (auto done = agent.cancel(id, tasks); !done) {
    return tl::unexpected(for_people(agent, id, done.error()));
  }
  note_action(agent, session.speaker(),
      {.verb = "cancel",
          .object = object_of(args) +
              (tasks.empty() ? "" : ", " + std::to_string(tasks.size()) + " tasks named")});
  return once_durable(agent, id, "cancelled", {{"cancelled", cancelled}});
}

PendingResult handle_hold(AgentServices& agent, ControlSession& session, Args& args) {
  return hold(agent, session, args, true);
}

PendingResult handle_release(AgentServices& agent, ControlSession& session, Args& args) {
  return hold(agent, session, args, false);
}

PendingResult handle_retry(AgentServices& agent, ControlSession& session, Args& args) {
  const auto found = find_job(agent, args);
  const JobState* const job = found ? *found : nullptr;
  std::vector<std::uint32_t> tasks = tasks_of(args, job);
  const bool failed_only = args.flag("failed");
  if (failed_only && !tasks.empty()) args.fail("failed", "given, or 'tasks', but not both");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (!found) return tl::unexpected(found.error());

  if (tasks.empty()) tasks = unsuccessful(*job, failed_only);
  const auto count = static_cast<std::uint32_t>(tasks.size());
  // A job that had ended counts in its owner's budget once more.
  const bool again = job->finished() && count > 0;
  auto may = check_quota(agent, session.speaker(), job->job().owner,
      {.jobs = again ? 1u : 0u, .tasks = count, .bytes = again ? sched::bytes_of(job->job()) : 0});
  if (may) may = check_day(agent, session.speaker(), job->job());
  if (!may) return tl::unexpected(may.error());
  if (auto done = agent.retry(job->id(), tasks); !done) {
    return tl::unexpected(for_people(agent, job->id(), done.error()));
  }
  note_action(agent, session.speaker(),
      {.verb = "retry", .object = object_of(args) + ", " + count_text(count)});
  return once_durable(agent, job->id(), "retried", {{"retried", count}});
}

PendingResult handle_requeue(AgentServices& agent, ControlSession& session, Args& args) {
  const auto job = find_job(agent, args);
  const std::vector<std::uint32_t> tasks = tasks_of(args, job ? *job : nullptr);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (!job) return tl::unexpected(job.error());
  const auto count = agent.requeue((*job)->id(), tasks);
  if (!count) return tl::unexpected(for_people(agent, (*job)->id(), count.error()));
  note_action(agent, session.speaker(),
      {.verb = "requeue", .object = object_of(args) + ", " + count_text(*count)});
  return once_durable(agent, (*job)->id(), "requeued",
      {{"requeued", *count}, {"silent_nodes", silent_nodes(agent, **job)}});
}

PendingResult handle_set(AgentServices& agent, ControlSession& session, Args& args) {
  const auto found = find_job(agent, args);
  const JobState* const job = found ? *found : nullptr;
  const sched::NewTerms terms = terms_of(args, job, agent.now());
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (!found) return tl::unexpected(found.error());

  if (terms.priority) {
    auto may = check_priority(agent, session.speaker(), *terms.priority);
    if (!may) return tl::unexpected(may.error());
  }
  const sched::JobId id = job->id();
  if (auto done = agent.change(id, {.held = {}, .terms = terms}); !done) {
    return tl::unexpected(for_people(agent, id, done.error()));
  }
  note_action(
      agent, session.speaker(), {.verb = "set", .object = object_of(args) + text_of(terms)});
  return once_durable(agent, id, "set",
      {{"priority", job->spec_of(0).priority}, {"deadline_ns", sched::to_wire(job->job().deadline)},
          {"due_at_ns", due_at_ns(job->job())}});
}

}  // namespace dunlin::node
