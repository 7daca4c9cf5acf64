// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "overlay/time.h"
#include "sim/machine/usage.h"
#include "sim/scenario/fleet.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Time;

/// Parts of all that the cluster has of each resource.
struct ResourceParts {
  Usage allocated{};  ///< What the tasks that run were said to take.
  Usage used{};       ///< What they really want, up to what their machine has.
  Usage over{};       ///< What they want beyond that.
};

/// What tasks take of each resource while they run, machine by machine. It measures nothing unless
/// it is given machines.
class ResourceMeter {
 public:
  ResourceMeter() = default;
  /// A sample of the parts is kept each `period`; 0: none is.
  ResourceMeter(const Fleet& machines, Duration period);

  bool measures() const { return !machines_.empty(); }
  /// A task begins to run, for which `demand` is set aside and which really wants `use`. Returns a
  /// number that names it, from 1 on.
  std::uint64_t begin(Time now, std::uint32_t machine, const Usage& demand, const Usage& use);
  /// It runs no more.
  void end(Time now, std::uint64_t number);
  /// What that task really wants. Requires that it runs.
  Usage use_of(std::uint64_t number) const { return running_.at(number).use; }
  /// Something else takes that part of each rate of a machine.
  void set_background(Time now, std::uint32_t machine, double share);

  struct Result {
    ResourceParts mean;  ///< From the first begin to the last end.
    /// The part of the resource of which most was allocated that was not, from the first begin to
    /// the last: while tasks waited, it was of no use to them.
    double fragmented = 0;
    std::size_t busiest = 0;  ///< The index of that resource.
  };
  /// Means over the time that was measured, so far.
  Result result() const;

  struct Look {
    Time at{};
    ResourceParts parts;  ///< On average since the look before.
  };
  const std::vector<Look>& looks() const { return looks_; }

 private:
  struct Task {
    std::uint32_t machine = 0;
    Usage demand{};
    Usage use{};
  };
  struct Load {
    Usage total{};  ///< Infinite where nothing is declared.
    Usage wanted{};
    double background = 0;
  };
  /// Amounts × ns, of the cluster.
  struct Integral {
    ResourceParts parts;
    Time at{};
  };

  /// Adds what holds since the last change, before anything changes.
  void advance(Time now);
  void change(Time now, const Task& task, double sign);
  /// Adds `sign` × what the machine has of used and over to the parts of this moment.
  void count(const Load& load, double sign);
  /// Means over the time between two integrals, as parts of what all machines have; 0 if no time
  /// passed.
  ResourceParts parts_between(const Integral& from, const Integral& to) const;

  std::vector<Load> machines_;
  Usage total_{};
  Duration period_{0};
  std::unordered_map<std::uint64_t, Task> running_;
  std::uint64_t last_number_ = 0;
  ResourceParts moment_;  ///< Amounts at this moment.
  Integral sum_;
  Integral first_;       ///< At the first begin ...
  Integral last_begin_;  ///< ... at the last ...
  Integral last_end_;    ///< ... and at the last end.
  Integral looked_;
  std::vector<Look> looks_;
};

}  // namespace dunlin::sim
