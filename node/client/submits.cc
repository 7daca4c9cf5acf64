// SPDX-License-Identifier: MIT
#include "node/client/submits.h"

#include <algorithm>
#include <utility>

#include "node/client/include/dunlin.h"

// Submits survive broken connections. Each has a key, so it may be said again; but only to the node
// that may have taken it, because another one would not know the key and take the job a second
// time. So the library remembers where it said it first, and until that node, or another for it,
// has answered, the job is neither there nor not.
namespace dunlin::client {
namespace {

constexpr std::chrono::seconds kSubmitRest{1};

}  // namespace

void Submits::advance(Conversation& agent, const std::string& node, Later& later) {
  upload_.advance(agent);
  const std::size_t submits_max = under_way_max(agent.requests_max());
  while (!queue_.empty() && under_way_ < submits_max && agent.has_room()) {
    // Those behind it wait, too: jobs are submitted in the order of the calls.
    if (!queue_.front()->pieces.empty() && upload_.busy()) return;
    const JobPtr job = std::move(queue_.front());
    queue_.pop_front();
    send(job, agent, node, later);
  }
}

void Submits::send(const JobPtr& job, Conversation& agent, const std::string& node, Later& later) {
  const bool elsewhere = !job->node.empty() && job->node != node;
  const bool large = !job->pieces.empty();
  ++under_way_;
  // The node may be gone for good, and this one may have taken over its jobs: ask in turns.
  if (elsewhere && job->tries % 2 == 1) return ask_for(job, {}, agent, later);
  // Pieces are not passed on.
  if (elsewhere && large) return ask_for(job, job->node, agent, later);
  if (large) {
    return upload_.begin(job, node, agent, [this, job, &later](const Reply& reply) {
      --under_way_;
      hear(job, false, reply, later);
    });
  }
  // From here on the job may be there, so later tries ask for that node: another would not know the
  // key, and take the job a second time.
  job->node = elsewhere ? job->node : node;
  std::string members = job->members + ",\"key\":\"" + job->key + "\"";
  // The agent at hand passes it on.
  if (elsewhere) members += ",\"at\":\"" + job->node + "\"";
  agent.ask("submit", members, [this, job, elsewhere, &later](const Reply& reply) {
    --under_way_;
    hear(job, elsewhere, reply, later);
  });
}

void Submits::ask_for(const JobPtr& job, const std::string& at, Conversation& agent, Later& later) {
  std::string members = "\"key\":\"" + job->key + "\"";
  if (!at.empty()) members += ",\"at\":\"" + at + "\"";
  agent.ask("submitted", members, [this, job, there = !at.empty(), &later](const Reply& reply) {
    --under_way_;
    if (there || !reply.failed() || reply.problem.status == DUNLIN_LOST) {
      return hear(job, there, reply, later);
      // The agent at hand does not know the key: the next try goes the other way.
    }
    ++job->tries;
    queue_.push_back(job);
  });
}

void Submits::rest(const JobPtr& job, std::chrono::milliseconds pause, Later& later) {
  later.in(pause, [this, job] {
    if (job->over()) return settle(job);
    queue_.push_back(job);
  });
}

void Submits::hear(const JobPtr& job, bool asked_elsewhere, const Reply& reply, Later& later) {
  if (!reply.failed()) return take(job, reply.ok);
  const int status = reply.problem.status;
  if (status == DUNLIN_LOST) {
    if (!job->may_be_there) job->lost_at = later.now();
    job->may_be_there = !job->node.empty();
    // In front, where it was: it was submitted before those that wait.
    queue_.push_front(job);
    return;
  }
  const bool busy = may_try_again(reply.problem, later.now(), job->busy_at);
  if (busy || reply.problem.again) {
    // What is about to stop, or busy, took nothing, but it may have before it was lost.
    if (!job->may_be_there) job->node.clear();
    return rest(job, busy ? pause_of(reply.problem) : kSubmitRest, later);
  }
  // Another agent was asked to pass it on: it may not know the node yet, or any more.
  const bool unsettled =
      asked_elsewhere && (status == DUNLIN_TIMEOUT || status == DUNLIN_NOT_FOUND);
  const bool patient =
      status == DUNLIN_TIMEOUT ? later.now() - job->lost_at < kSilentMax : job->tries < kTriesMax;
  if (unsettled && patient) {
    ++job->tries;
    job->trouble = reply.problem;
    return rest(job, kSubmitRest, later);
  }
  job->phase = Job::Phase::failed;
  job->problem = reply.problem;
  if (unsettled) {
    job->problem = {DUNLIN_LOST,
        "node " + job->node +
            ", which may have taken the job, does not answer: " + reply.problem.text};
  }
  settle(job);
  failed_(job);
}

void Submits::take(const JobPtr& job, const Json& answer) {
  job->id = text_of(answer, "job");
  job->lineage = text_of(answer, "lineage");
  job->tasks = number_of<std::uint32_t>(answer, "tasks");
  settle(job);
  // Large, and not needed again: a job that was taken is never sent anew.
  job->members = {};
  job->pieces = {};
  if (job->id.empty()) {
    job->phase = Job::Phase::failed;
    job->problem = {DUNLIN_CORRUPT, "the agent took a job and did not say which"};
    return failed_(job);
  }
  job->phase = Job::Phase::known;
  job->trouble = {};
  // Until the first word about it: no job begins elsewhere.
  job->state = "waiting";
  taken_(job);
}

// One that may be with an agent must be cancelled there.
bool Submits::take_back(const JobPtr& job) {
  const auto at = std::ranges::find(queue_, job);
  if (at == queue_.end() || job->may_be_there) return false;
  queue_.erase(at);
  settle(job);
  return true;
}

void Submits::fail_all(const Problem& why) {
  for (const JobPtr& job : std::exchange(queue_, {})) {
    job->phase = Job::Phase::failed;
    job->problem = why;
    settle(job);
    failed_(job);
  }
}

}  // namespace dunlin::client
