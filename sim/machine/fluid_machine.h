// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/time.h"
#include "sim/machine/usage.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Time;

/// The pace of tasks that want `overload` times what there is of a resource, as a part of their
/// pace on an idle machine: what there is is divided, and of the excess the part `loss` in [0, 1]
/// is lost. 1 if `overload` is at most 1.
double pace_of(double overload, double loss);

/// The tasks that run on a machine and share what it has. A task runs at the pace of the resource
/// that it gets least of. So their ends change when others come and go.
///
/// CPUs that are demanded twice over are divided without loss. Memory slows no task.
class FluidMachine {
 public:
  /// Tasks take their work divided by `speed`. Rates that `total` does not declare have no limit.
  FluidMachine(const sched::Resources& total, double speed, double loss);

  /// A task that really takes `use` has so much work to do, on an idle machine of speed 1. `number`
  /// tells it from others here.
  void start(Time now, std::uint64_t number, const Usage& use, Duration work);
  /// It no longer runs; returns the work that it had left. Requires that it runs.
  Duration stop(Time now, std::uint64_t number);
  /// The part `share` in [0, 1) of each declared rate is taken by something else from now on.
  void set_background(Time now, double share);

  /// What a task that runs here takes at its pace, ...
  Usage use_of(std::uint64_t number) const;
  /// ... and what that something else does.
  Usage background() const;
  /// The time at which a task that runs here will end, as things stand; kNever if it does not run.
  Time end_of(std::uint64_t number) const;
  /// The first of these times; kNever if nothing runs.
  Time next_end() const;

 private:
  struct Running {
    std::uint64_t number = 0;
    Usage use{};
    double left = 0;  ///< ns of work, from `since` on.
    double pace = 0;  ///< Work done per ns.
    Time since{};
    Time end{};
  };

  std::vector<Running>::const_iterator find(std::uint64_t number) const;
  /// What each has left follows from its pace so far; then paces are set anew.
  void set_paces(Time now);

  Usage total_;
  double speed_;
  double loss_;
  double background_ = 0;
  std::vector<Running> running_;
};

}  // namespace dunlin::sim
