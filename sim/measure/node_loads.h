// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "overlay/time.h"
#include "sim/measure/window.h"
#include "sim/scenario/fleet.h"

namespace dunlin::sim {

/// The part of the work within the window that each machine had: the attempts that ended there by
/// themselves, and how busy it was, interval by interval. Source: CS 736 slides, evaluation, which
/// ask for load balance and "the rate queries get handled by the nodes".
class NodeLoads {
 public:
  /// Busy shares of all machines that are kept at most; intervals are longer where there are more.
  static constexpr std::uint64_t kSharesMax = 1 << 22;

  /// Load is balanced over intervals of `interval`, or as many of them as kSharesMax allows.
  NodeLoads(const Window& window, Fleet machines, Duration interval);

  /// The window begins only then. Requires that nothing has been told yet.
  void open(Time from) { window_.from = from; }
  /// An attempt ended by itself. Those outside of the window do not count.
  void on_served(std::uint32_t machine, Time end);
  /// A machine was busy with an attempt that took `cpu` milli-CPU.
  void on_work(std::uint32_t machine, Time begin, Time end, std::uint32_t cpu);

  struct Result {
    double mean_per_s = 0;          ///< Attempts served in a second by a machine, on average ...
    double min_per_s = 0;           ///< ... by the one with the fewest ...
    double max_per_s = 0;           ///< ... and by the one with the most.
    std::optional<double> balance;  ///< Jain's index of the attempts served; empty: none was.
    /// Jain's index of the busy shares of machines in an interval, on average over those that lie
    /// in the window with work to balance; empty if there is none.
    std::optional<double> load_balance;
  };
  /// Of the window up to `until`, by which no more work came. Empty where no time has passed.
  std::optional<Result> result(Time until) const;
  /// That which is really used: the one asked for, or a longer one.
  Duration interval() const { return interval_; }

 private:
  Window window_;
  Fleet machines_;
  Duration interval_;
  /// Attempts served: when, and by which machine. How far the window goes is known at the end only.
  std::vector<std::pair<Time, std::uint32_t>> served_;
  std::vector<double> busy_;  ///< CPUs × ns: interval by interval, machine by machine.
};

}  // namespace dunlin::sim
