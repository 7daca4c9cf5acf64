// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "node/agent/tracking/node_counters.h"
#include "node/task/running_use.h"
#include "sched/kernel.h"
#include "sched/worker/tracker/measured.h"

namespace dunlin::node {

/// Makes rates of counters: what a node and its tasks used between two looks. A counter that goes
/// back, or that is not there, tells nothing of that time.
class UseRates {
 public:
  /// `spare` is what the machine has and the node does not offer: use by others is taken from there
  /// first.
  explicit UseRates(sched::Resources spare) : spare_(std::move(spare)) {}

  /// A task has ended, and used so much in all: what it used since its last sample, or without any,
  /// is no use by others either.
  void on_end(const sched::JobId& job, const sched::Report& report);
  /// What was used since the last call; empty at the first one.
  std::optional<sched::Measured> look(
      sched::Time now, const NodeReading& node, const std::vector<RunningUse>& tasks);

 private:
  struct TaskBefore {
    sched::Time at{};
    sched::Duration cpu{0};
    Flow disk;
    Flow net;
    sched::MeasuredTask told;  ///< Holds until the next sample, ...
    int looks = 0;             ///< ... or for a few looks without one.
    bool seen = false;         ///< In this look.
  };

  /// Empty while nothing is known: before the first sample, and if its warden tells no more.
  std::optional<sched::MeasuredTask> measure(sched::Time now, const RunningUse& task);

  sched::Resources spare_;
  std::optional<sched::Time> looked_;
  NodeReading before_;
  sched::Duration ended_cpu_{0};  ///< Of tasks that ended since, and not in a sample of theirs.
  Flow ended_disk_;
  Flow ended_net_;
  std::map<sched::AttemptKey, TaskBefore> tasks_;
};

}  // namespace dunlin::node
