// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "tests/support/world.h"
#include "tests/swarm/job_deeds.h"

namespace dunlin::test {

/// The deadlines of a swarm with wall clocks that are apart. A home goes by the time that passes,
/// so a deadline that it took is missed when it should be, to the step. Only one that goes on with
/// a job, after a restart or a takeover, asks a wall clock when that was submitted, its own: then
/// the deadline may be missed sooner, by no more than clocks are apart. Time limits are none of
/// theirs at all: see wrong_result().
class ClockWatch {
 public:
  explicit ClockWatch(World& world) : world_(world) {}

  /// The job was submitted now.
  void note(const JobId& job);
  void on_event(std::size_t node, const sched::Event& event);
  /// Deadlines that were missed while clocks were apart.
  std::uint64_t missed_apart() const { return missed_apart_; }

 private:
  /// The most that two wall clocks differ by, at any two moments until now.
  Duration apart() const;

  World& world_;
  std::map<JobId, Time, ById> submitted_;
  std::uint64_t missed_apart_ = 0;
};

}  // namespace dunlin::test
