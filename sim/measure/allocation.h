// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "overlay/time.h"
#include "sched/message.h"
#include "sim/measure/sample.h"

namespace dunlin::sim {

using overlay::Time;

/// Where the time of an allocation went, from the insertion of a task into the queue of its
/// framework until its start. The parts add up to all of it. Source: Megha, section III.
struct Allocation {
  Duration framework_queue{0};  ///< In the queue of its global master, or of its frontend.
  Duration local_queue{0};      ///< At local masters that had other turns to take.
  Duration processing{0};       ///< Turns of masters for the task.
  Duration worker_queue{0};     ///< At workers.
  Duration communication{0};    ///< On the network.

  Duration sum() const {
    return framework_queue + local_queue + processing + worker_queue + communication;
  }
};

/// Accounts for an allocation that is under way: each moment of it is in one part.
class AllocationClock {
 public:
  explicit AllocationClock(Time begun) : mark_(begun) {}

  /// The time since the last call belongs to that part, until `until`.
  void spend(Duration Allocation::* part, Time until) {
    parts_.*part += until - mark_;
    mark_ = until;
  }
  const Allocation& parts() const { return parts_; }

 private:
  Time mark_;
  Allocation parts_;
};

/// The allocations of measured tasks.
struct AllocationSamples {
  Sample framework_queue;
  Sample local_queue;
  Sample processing;
  Sample worker_queue;
  Sample communication;

  void add(const Allocation& parts) {
    framework_queue.add(parts.framework_queue);
    local_queue.add(parts.local_queue);
    processing.add(parts.processing);
    worker_queue.add(parts.worker_queue);
    communication.add(parts.communication);
  }
};

/// Makes out allocations from the events of frontends, once it is told to: it takes memory for each
/// task that is under way. What is not spent at the frontend counts as communication.
class AllocationMeter {
 public:
  void follow_events() { follows_ = true; }
  /// A frontend gave the task away. It hears of the start of what it launched after the start: that
  /// is no news then.
  void gave(Time now, const sched::JobId& job, std::uint32_t index) {
    if (follows_) given_[job][index] = now;
  }
  /// The parts of the allocation of a task that starts now; empty if it was never given away.
  std::optional<Allocation> start(
      Time now, const sched::JobId& job, std::uint32_t index, Time submitted) {
    const auto of_job = given_.find(job);
    if (of_job == given_.end()) return std::nullopt;
    const auto given = of_job->second.extract(index);
    if (!given) return std::nullopt;
    return Allocation{
        .framework_queue = given.mapped() - submitted, .communication = now - given.mapped()};
  }
  void forget(const sched::JobId& job) { given_.erase(job); }
  void add(const Allocation& parts) { samples_.add(parts); }
  const AllocationSamples& samples() const { return samples_; }

 private:
  bool follows_ = false;
  /// When a frontend last gave away each task that has not started, by job and index.
  std::map<sched::JobId, std::map<std::uint32_t, Time>> given_;
  AllocationSamples samples_;
};

/// What global and local masters did, all together.
struct MasterCounts {
  std::uint64_t masters = 0;        ///< Global ones.
  std::uint64_t local_masters = 0;  ///< Local ones, at the end.
  std::uint64_t matches = 0;
  std::uint64_t misses = 0;    ///< Times that no node had room.
  std::uint64_t searched = 0;  ///< Rows that matches looked at ...
  std::uint64_t words = 0;     ///< ... and words of vectors.
  std::uint64_t placed = 0;
  std::uint64_t lost = 0;
  /// Nodes that could not take what was launched there: of the partition of the global master, or
  /// of another one (Megha, section IV-B6) ...
  std::uint64_t internal = 0;
  std::uint64_t external = 0;
  std::uint64_t repairs = 0;       ///< ... and those of them that another node took.
  std::uint64_t repartitions = 0;  ///< Launches at nodes of other partitions.
  std::uint64_t preemption_attempts = 0;
  std::uint64_t preemptions = 0;

  std::uint64_t inconsistencies() const { return internal + external; }
};

}  // namespace dunlin::sim
