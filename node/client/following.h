// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "node/client/conversation.h"
#include "node/client/job.h"
#include "node/client/later.h"

namespace dunlin::client {

/// Follows the jobs that an agent has until they end: by one subscription those that it drives, and
/// by a request each those that another node drives, which the agent looks for.
class Following {
 public:
  /// Jobs asked for in one message.
  static constexpr std::size_t kAskedMax = 1000;
  /// Jobs of other nodes that are followed at a time.
  static constexpr std::size_t kWatchesMax = 16;
  /// So often in a row, once a second, no node must know a job before it counts as gone.
  static constexpr int kNotFoundMax = 10;

  /// `changed` is called with each job of which there is news, or a problem.
  explicit Following(std::function<void(const JobPtr&)> changed) : changed_(std::move(changed)) {}

  /// Follows a job that has an id. One that is followed begins anew: it may have been retried.
  void add(const JobPtr& job);
  /// Follows it no more: nothing is asked for, and what comes is not told.
  void drop(const JobPtr& job);
  /// The job of that id, if it is followed; else nullptr.
  JobPtr find(const std::string& id) const {
    const auto at = jobs_.find(id);
    return at == jobs_.end() ? nullptr : at->second;
  }
  void advance(Conversation& agent, Later& later);
  /// The connection ended. All jobs are asked for anew on the next one.
  void reset();
  /// No agent can be talked to any more: all fail.
  void fail_all(const Problem& why);

 private:
  void watch(const JobPtr& job, Conversation& agent, Later& later);
  void hear_subscription(const Reply& reply, Later& later);
  /// One job of a reply to the subscription.
  void hear_news(const Json& news);
  void hear_watch(const JobPtr& job, const Reply& reply, Later& later);
  /// Each attempt of a task once, whatever was told before.
  void take_results(const JobPtr& job, const Json& results);
  void end(const JobPtr& job);
  void fail(const JobPtr& job, const Problem& why);
  /// False as soon as the program gave it up: replies may come after that.
  bool is_followed(const JobPtr& job) const;

  std::function<void(const JobPtr&)> changed_;
  std::map<std::string, JobPtr> jobs_;  ///< All that are followed, by id.
  /// Not asked for yet on this connection, as are those below.
  std::vector<JobPtr> to_subscribe_;
  std::deque<JobPtr> to_watch_;
  std::uint64_t subscription_ = 0;  ///< The request; 0: none.
  std::size_t watches_ = 0;
  std::uint64_t connections_ = 0;  ///< Tells what was asked on an earlier connection.
};

}  // namespace dunlin::client
