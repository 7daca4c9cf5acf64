// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/dunlin/launch/host_launch.h"

namespace dunlin::cli {

/// How many hosts go at a time.
struct LaunchLimits {
  std::size_t at_once = 32;
  std::size_t restarts_at_once = 1;  ///< Of an upgrade: the agents that are away at one moment.
  bool fresh = false;                ///< The key is new: no agent of this cluster can live already.
};

/// A command that is due.
struct LaunchTask {
  std::size_t host = 0;
  RemoteCommand command;
};

/// Which host goes on when. Pure. At most so many hosts are at work; of a cluster without an agent
/// one host founds it, and the others join it, so there are never two clusters of one key; an
/// upgrade restarts one agent after the other, and ends at the first that does not come back.
class LaunchQueue {
 public:
  LaunchQueue(std::vector<HostLaunch> hosts, LaunchLimits limits);

  /// The next command that may begin; nothing if others must end first.
  std::optional<LaunchTask> next();
  /// The result of a command that next() gave.
  void take(std::size_t host, const RemoteResult& result);
  /// Begins nothing more: hosts that are not done fail with `reason`, as soon as the command that
  /// is under way has ended.
  void stop(const std::string& reason);
  /// The same, and what is under way is about to be killed: its results are none.
  void abandon(const std::string& reason);
  /// True if nothing is under way, and nothing will be.
  bool finished() const;

  const std::vector<HostLaunch>& hosts() const { return hosts_; }
  /// The host that did not come back from an upgrade; empty: none.
  const std::string& stopped_at() const { return stopped_at_; }

 private:
  bool may_begin(const HostLaunch& host) const;
  bool may_found() const;
  /// Addresses of a few agents that are up, that of `self` not among them.
  std::string contacts_for(std::size_t self) const;
  std::size_t count_at_work() const;
  std::size_t count_under_way(LaunchStep step) const;

  std::vector<HostLaunch> hosts_;
  std::vector<bool> under_way_;
  LaunchLimits limits_;
  std::string stop_reason_;
  bool abandoned_ = false;
  std::string stopped_at_;
};

}  // namespace dunlin::cli
