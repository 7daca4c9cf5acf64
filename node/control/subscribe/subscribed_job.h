// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "node/control/agent_services.h"
#include "node/control/json.h"
#include "node/control/subscribe/result_feed.h"
#include "overlay/ids.h"
#include "sched/frontend/job_state.h"
#include "sched/job.h"
#include "sched/message.h"

namespace dunlin::node {

/// What a client that subscribed to a job was told of it, and is to be told yet.
class SubscribedJob {
 public:
  /// `told`: the tasks of which the client has the results; empty: the agent sends it none.
  SubscribedJob(const sched::JobState& job, std::optional<TaskBits> told);

  void on_result(const sched::Report& report, overlay::PeerId worker) {
    if (feed_) feed_->on_result(report, worker);
  }
  /// True if there is something to tell by now; `job` is nullptr if it is not driven here any more.
  bool has_news(const sched::JobState* job) const;
  /// The JobNews to tell; null while it is not durable. Sets left() if it was the last of this job.
  Json take(AgentServices& agent, const sched::JobState* job);
  /// True once the job's end, or an error, was told: the job leaves the subscription.
  bool left() const { return left_; }
  /// True if a page of results has to be read from disk: that takes long.
  bool stale() const { return feed_ && feed_->stale(); }
  const sched::JobId& id() const { return id_; }

 private:
  /// What of a job's state a client is told of when it changes.
  struct Told {
    std::uint32_t running = 0;
    std::uint32_t done = 0;
    std::uint32_t failed = 0;
    std::uint32_t cancelled = 0;
    bool ever = false;
    friend bool operator==(const Told&, const Told&) = default;
  };
  static Told state_of(const sched::JobState& job);
  Json leave(const Error& error);
  /// True if the end of the job is durable. Its error if another node drives it by now.
  Result<bool> ended(AgentServices& agent, const sched::JobState& job);

  sched::JobId id_;
  std::string name_;  ///< In the cluster.
  bool has_replicas_;
  std::optional<ResultFeed> feed_;
  std::optional<RecordMark> end_;  ///< Of the job's end.
  Told told_;
  bool left_ = false;
};

}  // namespace dunlin::node
