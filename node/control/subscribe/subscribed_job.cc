// SPDX-License-Identifier: MIT
#include "node/control/subscribe/subscribed_job.h"

#include <utility>

#include "node/control/control_handlers.h"
#include "node/ids.h"
#include "sched/peer_view.h"

// One job of a subscription: its counts as they change, the results of its tasks if they are
// wanted, and its end. A client acts upon an end, so it is told only once it is durable, and after
// the last result.
namespace dunlin::node {

using sched::TaskState;

SubscribedJob::SubscribedJob(const sched::JobState& job, std::optional<TaskBits> told)
    : id_(job.id()),
      name_(to_string(job.id())),
      has_replicas_(job.job().replicas > 0) {
  if (!told) return;
  feed_.emplace(id_, std::move(*told));
  const auto& counts = job.counts();
  const bool has_past =
      counts[TaskState::waiting] + counts[TaskState::launched] + counts[TaskState::cancelling] <
      job.task_count();
  // No task has a result yet, so the database need not be asked: a job that is subscribed to as it
  // is submitted is of this kind.
  if (!has_past) feed_->skip_past();
}

SubscribedJob::Told SubscribedJob::state_of(const sched::JobState& job) {
  const auto& counts = job.counts();
  return {.running = counts[TaskState::launched] + counts[TaskState::cancelling],
      .done = counts[TaskState::succeeded],
      .failed = counts[TaskState::failed],
      .cancelled = counts[TaskState::cancelled],
      .ever = true};
}

bool SubscribedJob::has_news(const sched::JobState* job) const {
  if (job == nullptr || job->finished()) return true;
  return state_of(*job) != told_ || (feed_ && !feed_->whole());
}

Json SubscribedJob::leave(const Error& error) {
  left_ = true;
  return {{"job", name_}, {"ended", false},
      {"error", {{"kind", word_of(error.kind)}, {"text", error.text}}}};
}

Result<bool> SubscribedJob::ended(AgentServices& agent, const sched::JobState& job) {
  if (!job.finished()) {
    end_.reset();  // A user may have had tasks of it run again.
    return false;
  }
  // Told only once it is on disk: a client acts upon an end, and must not see it undone by a power
  // cut.
  if (!end_) end_ = agent.record_mark(id_);
  if (agent.is_void(*end_)) {
    return failure(ErrorKind::elsewhere, "another node took over job " + name_ + " meanwhile");
  }
  return agent.durable(*end_);
}

// Null if there is nothing to tell.
Json SubscribedJob::take(AgentServices& agent, const sched::JobState* job) {
  if (job == nullptr) {
    // Of a job with replicas another node drives it on, which the client should ask.
    const ErrorKind kind = has_replicas_ ? ErrorKind::elsewhere : ErrorKind::not_found;
    return leave({kind, "job " + name_ + " is not driven here any more"});
  }
  const auto is_ended = ended(agent, *job);
  if (!is_ended) return leave(is_ended.error());
  if (job->finished() && !*is_ended) return nullptr;
  Json results = Json::array();
  if (feed_ && !feed_->whole()) {
    const auto taken = feed_->take(agent, results);
    if (!taken) return leave(taken.error());
    if (!*taken) return nullptr;
  }
  const Told now = state_of(*job);
  // The end comes with the last results or after them, never before.
  left_ = *is_ended && (!feed_ || feed_->whole());
  if (now == told_ && results.empty() && !left_) return nullptr;
  told_ = now;
  Json news = {{"job", name_}, {"state", sched::state_word(*job)}, {"tasks", job->task_count()},
      {"running", now.running}, {"done", now.done}, {"failed", now.failed},
      {"cancelled", now.cancelled}, {"ended", left_}};
  if (feed_) news["results"] = std::move(results);
  return news;
}

}  // namespace dunlin::node
