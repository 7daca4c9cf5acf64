// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sched/federation/message.h"
#include "sched/job.h"
#include "sched/kernel.h"

namespace dunlin::sched::federation {

/// One task that a global master launched at a local one, from the launch until the global master
/// says that it is settled. It is kept so that the launch, sent again, gets the same answer.
struct Launched {
  TaskId task;
  AttemptNumber attempt = 1;
  std::shared_ptr<const LaunchTasks> launch;  ///< While the start is not answered.
  std::size_t index = 0;                      ///< Of the task in it.
  PeerId node;                                ///< Where it was sent to.
  std::uint32_t born = 0;                     ///< The process of that node which may start it.
  std::uint64_t start = 0;                    ///< The number of that start; 0: none is under way.
  std::vector<PeerId> declined;               ///< Members that declined it.
  bool stops_others = false;                  ///< That start stops tasks of another class.
  bool inconsistent = false;                  ///< The member that was chosen could not take it.
  LaunchVerdict verdict;                      ///< Once no start is under way.

  /// True if it may run, or run some day.
  bool may_run() const { return start != 0 || verdict.fate == LaunchFate::placed; }
};

/// What became of the tasks that a global master launched at a local one since it attached.
struct LaunchCounts {
  std::uint64_t launched = 0;
  /// Inconsistencies: the member that was chosen could not take the task. It is of the partition of
  /// the global master, or of another one (Megha, section IV-B6).
  std::uint64_t internal = 0;
  std::uint64_t external = 0;
  std::uint64_t refused = 0;  ///< No other member could take it.
  /// Of all, those that were to have room made for them if there is none, and those for which tasks
  /// of another class were stopped.
  std::uint64_t preempting = 0;
  std::uint64_t preempted = 0;

  void add(const LaunchCounts& more) {
    launched += more.launched;
    internal += more.internal;
    external += more.external;
    refused += more.refused;
    preempting += more.preempting;
    preempted += more.preempted;
  }
};

/// A global master as a local one knows it.
struct AttachedMaster {
  Endpoint where;
  std::uint32_t incarnation = 0;
  bool wants_places = false;  ///< It launches straight to members.
  Time until{};               ///< Its lease.
  std::uint64_t known = 0;    ///< It said that it knows the table of members up to that version ...
  std::uint64_t sent = 0;     ///< ... and was told up to that one.
  std::uint64_t floor = 1;    ///< All launches below are settled.
  std::uint64_t handled = 0;  ///< All launches up to that number have come.
  std::map<std::uint64_t, Launched> launches;  ///< By number.
  LaunchCounts counts;

  /// It is attached until `lease`, and has those rows if they are of `epoch`.
  void renew(const KnownView& view, std::uint64_t epoch, Time lease) {
    until = lease;
    known = view.epoch == epoch ? view.version : 0;
  }
  /// Moves `handled` on.
  void count() {
    if (handled + 1 < floor) handled = floor - 1;
    while (launches.contains(handled + 1)) ++handled;
  }
};

}  // namespace dunlin::sched::federation
