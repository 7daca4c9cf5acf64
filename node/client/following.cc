// SPDX-License-Identifier: MIT
#include "node/client/following.h"

#include <algorithm>
#include <utility>

#include "node/base64.h"
#include "node/client/include/dunlin.h"

// How the library hears of many jobs by few requests. All are in one subscription; a job that the
// agent at hand does not know is watched by a request of its own, which the agent relays to
// wherever the job is. After a reconnect all of it is asked again, with the tasks whose results
// were told, so that none is told twice or missed.
namespace dunlin::client {
namespace {

constexpr std::chrono::seconds kWatchRest{1};
/// An agent does not take larger jobs.
constexpr std::uint32_t kTasksMax = 4'000'000;

/// The tasks with known results, a bit each, as the agent reads it; empty if there is none.
std::string told_text(const Job& job) {
  std::string bits((job.tasks + 7) / 8, '\0');
  bool any = false;
  for (std::size_t task = 0; task < job.attempts.size(); ++task) {
    if (job.attempts[task] == 0) continue;
    any = true;
    auto& byte = bits[task / 8];
    byte = static_cast<char>(static_cast<unsigned char>(byte) | 1u << task % 8);
  }
  return any ? node::to_base64(bits) : std::string();
}

std::string wish_of(const Job& job) {
  std::string wish = "{\"job\":" + json_text(job.id);
  if (!job.lineage.empty()) wish += ",\"lineage\":" + json_text(job.lineage);
  if (job.wants_results) {
    wish += ",\"results\":true";
    // After a retry the bits are wrong: tasks that run again have new results to tell.
    if (const std::string told = told_text(job); !told.empty() && !job.retried)
      wish += ",\"told\":\"" + told + "\"";
  }
  return wish + "}";
}

TaskResult result_of(const Json& task) {
  static const Json kNotCounted = Json::object();
  const Json* const told = member(task, "use");
  const Json& use = told == nullptr ? kNotCounted : *told;
  return {.task = number_of<std::uint32_t>(task, "index"),
      .attempt = number_of<std::uint32_t>(task, "attempt"),
      .state = text_of(task, "state"),
      .outcome = text_of(task, "outcome"),
      .status = number_of<std::int32_t>(task, "status"),
      .shell_status = number_of<std::int32_t>(task, "shell_status"),
      .wall_ns = number_of<std::int64_t>(task, "wall_ns"),
      .cpu_ns = number_of<std::int64_t>(task, "cpu_ns"),
      .memory_peak = number_of<std::uint64_t>(task, "memory_peak_bytes"),
      .out_bytes = number_of<std::uint64_t>(task, "out_bytes"),
      .err_bytes = number_of<std::uint64_t>(task, "err_bytes"),
      .worker = text_of(task, "worker_name"),
      .detail = text_of(task, "detail"),
      .started_at_ns = number_of<std::int64_t>(task, "started_at_ns"),
      .disk_read_bytes = number_of<std::uint64_t>(use, "disk_read_bytes"),
      .disk_written_bytes = number_of<std::uint64_t>(use, "disk_written_bytes"),
      .net_received_bytes = number_of<std::uint64_t>(use, "net_received_bytes"),
      .net_sent_bytes = number_of<std::uint64_t>(use, "net_sent_bytes")};
}

/// Takes over how a job stands: `counts` has the numbers of tasks.
void take_state(Job& job, const Json& state, const Json& counts) {
  job.state = text_of(state, "state");
  job.tasks = std::min(number_of<std::uint32_t>(state, "tasks"), kTasksMax);
  job.running = number_of<std::uint32_t>(counts, "running");
  job.cancelling = number_of<std::uint32_t>(counts, "cancelling");
  job.done = number_of<std::uint32_t>(counts, "done");
  job.failed = number_of<std::uint32_t>(counts, "failed");
  job.cancelled = number_of<std::uint32_t>(counts, "cancelled");
  job.not_found = 0;
  job.trouble = {};
}

}  // namespace

bool Following::is_followed(const JobPtr& job) const {
  const auto at = jobs_.find(job->id);
  return at != jobs_.end() && at->second == job;
}

void Following::add(const JobPtr& job) {
  // One for each id: a program that finds a job twice has one job and two handles.
  jobs_[job->id] = job;
  to_subscribe_.push_back(job);
}

void Following::drop(const JobPtr& job) {
  if (is_followed(job)) jobs_.erase(job->id);
}

void Following::reset() {
  ++connections_;
  subscription_ = 0;
  watches_ = 0;
  to_watch_.clear();
  to_subscribe_.clear();
  for (const auto& [id, job] : jobs_) to_subscribe_.push_back(job);
}

void Following::advance(Conversation& agent, Later& later) {
  const auto ask = [&](const char* verb, const std::string& members, bool first) {
    // Replies of an earlier connection may still be on the way through the conversation: they are
    // not about what is asked now.
    const auto connection = connections_;
    return agent.ask(verb, members, [this, first, connection, &later](const Reply& reply) {
      if (connection != connections_) return;
      if (first || reply.failed()) hear_subscription(reply, later);
    });
  };
  while (!to_subscribe_.empty() && agent.has_room()) {
    std::string members = "\"jobs\":[";
    const std::size_t asked = std::min(to_subscribe_.size(), kAskedMax);
    // The last ones first: nothing has to be moved.
    for (std::size_t i = 0; i < asked; ++i) {
      const JobPtr job = std::move(to_subscribe_.back());
      to_subscribe_.pop_back();
      if (!is_followed(job)) continue;
      if (members.back() == '}') members += ',';
      members += wish_of(*job);
    }
    members += ']';
    if (subscription_ != 0) {
      ask("subscribe_more", members + ",\"subscription\":" + std::to_string(subscription_), false);
    } else {
      subscription_ = ask("subscribe", members, true);
    }
  }
  while (!to_watch_.empty() && watches_ < kWatchesMax && agent.has_room()) {
    const JobPtr job = std::move(to_watch_.front());
    to_watch_.pop_front();
    if (is_followed(job)) watch(job, agent, later);
  }
}

void Following::watch(const JobPtr& job, Conversation& agent, Later& later) {
  std::string members = "\"job\":" + json_text(job->id);
  if (!job->lineage.empty()) members += ",\"lineage\":" + json_text(job->lineage);
  // The agent tells results in any case. A program that reads none of them hears of none twice.
  if (const std::string told = told_text(*job); !told.empty() && !job->retried) {
    members += ",\"told\":\"" + told + "\"";
  }
  ++watches_;
  const auto connection = connections_;
  agent.ask("watch", members, [this, job, connection, &later](const Reply& reply) {
    if (connection != connections_) return;
    if (reply.last) --watches_;
    if (is_followed(job)) hear_watch(job, reply, later);
  });
}

void Following::hear_subscription(const Reply& reply, Later& later) {
  if (reply.failed()) {
    if (reply.problem.status == DUNLIN_LOST) return;
    // Too many jobs, or an agent that is odd: all are asked for again.
    later.in(kWatchRest, [this, connection = connections_] {
      if (connection == connections_) reset();
    });
    return;
  }
  for (const Json& news : list_of(reply.ok, "jobs")) hear_news(news);
}

void Following::hear_news(const Json& news) {
  const auto at = jobs_.find(text_of(news, "job"));
  if (at == jobs_.end()) return;
  const JobPtr job = at->second;
  if (const Json* const error = member(news, "error")) {
    const Problem why = problem_of(*error);
    // Another node may drive it by now.
    if (why.status == DUNLIN_NOT_FOUND) return to_watch_.push_back(job);
    return fail(job, why);
  }
  take_state(*job, news, news);
  take_results(job, list_of(news, "results"));
  if (flag_of(news, "ended")) return end(job);
  changed_(job);
}

void Following::hear_watch(const JobPtr& job, const Reply& reply, Later& later) {
  if (!reply.failed()) {
    const Json* const progress = member(reply.ok, "progress");
    if (progress != nullptr) {
      const Json* const counts = member(*progress, "counts");
      take_state(*job, *progress, counts != nullptr ? *counts : *progress);
      if (job->lineage.empty()) job->lineage = text_of(*progress, "lineage");
    }
    take_results(job, list_of(reply.ok, "finished"));
    reply.last ? end(job) : changed_(job);
    return;
  }
  const int status = reply.problem.status;
  const bool for_good = status == DUNLIN_USAGE || status == DUNLIN_REFUSED ||
      status == DUNLIN_FORBIDDEN || status == DUNLIN_CONFLICT;
  if (for_good) return fail(job, reply.problem);
  job->not_found = status == DUNLIN_NOT_FOUND ? job->not_found + 1 : 0;
  // A job may be unknown for a moment, while another node takes it over.
  if (job->not_found >= kNotFoundMax) return fail(job, reply.problem);
  if (status != DUNLIN_LOST) job->trouble = reply.problem;
  later.in(kWatchRest, [this, job, connection = connections_] {
    if (connection == connections_ && is_followed(job)) to_watch_.push_back(job);
  });
}

void Following::take_results(const JobPtr& job, const Json& results) {
  if (!job->wants_results) return;
  for (const Json& each : results) {
    TaskResult result = result_of(each);
    // From the agent, but bounds are ours: an index that is wrong must not become memory.
    if (result.task >= job->tasks || result.attempt == 0) continue;
    if (job->attempts.empty()) job->attempts.resize(job->tasks);
    if (result.task >= job->attempts.size()) continue;
    // The same again, after a reconnect or a retry.
    if (result.attempt <= job->attempts[result.task]) continue;
    job->attempts[result.task] = result.attempt;
    job->results.push_back(std::move(result));
  }
}

void Following::end(const JobPtr& job) {
  jobs_.erase(job->id);
  job->phase = Job::Phase::ended;
  changed_(job);
}

void Following::fail(const JobPtr& job, const Problem& why) {
  jobs_.erase(job->id);
  job->phase = Job::Phase::failed;
  job->problem = why;
  changed_(job);
}

void Following::fail_all(const Problem& why) {
  for (const auto& [id, job] : std::exchange(jobs_, {})) {
    job->phase = Job::Phase::failed;
    job->problem = why;
    changed_(job);
  }
}

}  // namespace dunlin::client
