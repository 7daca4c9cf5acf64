// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <set>

#include "node/client/conversation.h"
#include "node/client/job.h"
#include "node/client/later.h"
#include "node/client/upload.h"

namespace dunlin::client {

/// Submits jobs in their order, each once. An agent that was lost before it answered may have the
/// job, and only that agent knows: so the job is said again to the same node, through another
/// agent if need be, with the same key.
class Submits {
 public:
  /// Submits that wait for an answer, of the requests that the agent takes: enough for one commit
  /// to serve many, and room is left to follow jobs.
  static constexpr std::size_t under_way_max(std::size_t requests) { return requests / 4 * 3; }
  /// So often a node that no other one knows is asked for, about once a second.
  static constexpr int kTriesMax = 60;
  /// So long a node is waited for that others know: an agent that is upgraded, or a machine that is
  /// started again, is back by then.
  static constexpr std::chrono::minutes kSilentMax{10};

  /// `taken` is called with each job when it is known, `failed` when it was refused.
  Submits(std::function<void(const JobPtr&)> taken, std::function<void(const JobPtr&)> failed)
      : taken_(std::move(taken)),
        failed_(std::move(failed)) {}

  /// Behind all that wait.
  void add(const JobPtr& job) {
    unsettled_.insert(job->number);
    queue_.push_back(job);
  }
  /// Sends what may be sent to the agent of that id.
  void advance(Conversation& agent, const std::string& node, Later& later);
  /// Takes a job back that was not sent yet. False if it may have been.
  bool take_back(const JobPtr& job);
  /// True if nothing waits to be acknowledged.
  bool idle() const { return unsettled_.empty(); }
  /// True if no submit up to that number waits to be acknowledged, however many came after it.
  bool settled(std::uint64_t number) const {
    return unsettled_.empty() || *unsettled_.begin() > number;
  }
  /// No agent can be talked to any more: all fail.
  void fail_all(const Problem& why);

 private:
  /// Gives a job to the agent, or asks after it where it may be.
  void send(const JobPtr& job, Conversation& agent, const std::string& node, Later& later);
  /// Asks by its key if the job is there: at that node, or, without one, here.
  void ask_for(const JobPtr& job, const std::string& at, Conversation& agent, Later& later);
  /// Puts it back into the queue after a pause.
  void rest(const JobPtr& job, std::chrono::milliseconds pause, Later& later);
  void hear(const JobPtr& job, bool asked_elsewhere, const Reply& reply, Later& later);
  /// It was taken: from here on it has an id.
  void take(const JobPtr& job, const Json& answer);
  void settle(const JobPtr& job) { unsettled_.erase(job->number); }

  std::function<void(const JobPtr&)> taken_;
  std::function<void(const JobPtr&)> failed_;
  std::deque<JobPtr> queue_;
  std::size_t under_way_ = 0;
  Upload upload_;
  std::set<std::uint64_t> unsettled_;  ///< The numbers of those neither acknowledged nor refused.
};

}  // namespace dunlin::client
