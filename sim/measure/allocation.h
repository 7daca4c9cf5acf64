// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

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
  Duration processing{0};       ///< Turns of masters for the task, and of peers that are workers.
  Duration worker_queue{0};     ///< At workers, for room or for a turn.
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
/// A sample for each part: parts of one task are added at once, so all have the same count.
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

/// The tasks that a message brings, and where they are while it waits for its turn.
struct Errand {
  sched::JobId job;
  std::vector<std::uint32_t> tasks;
  Duration Allocation::* queue = nullptr;
};

/// Makes out allocations from the events of frontends, once it is told to: it takes memory for each
/// task that is under way. What is spent neither at the frontend nor on the errands that it is told
/// of counts as communication.
class AllocationMeter {
 public:
  /// Parts are taken from the peers' events and messages, not from a baseline that knows them.
  void follow_events() { follows_ = true; }
  /// False for baselines, and where allocations have no parts to tell.
  bool follows() const { return follows_; }
  /// Events that come now are of a turn that began then, and ends now.
  void begin_turn(Time begun) { turn_ = begun; }
  void end_turn() { turn_.reset(); }
  /// A frontend gave the task away. It hears of the start of what it launched after the start: that
  /// is no news then.
  void gave(Time now, const sched::JobId& job, std::uint32_t index) {
    if (!follows_) return;
    // A turn that takes no time begins now.
    const Time begun = turn_.value_or(now);
    Given given{.begun = begun, .clock = AllocationClock(begun)};
    given.clock.spend(&Allocation::processing, now);
    given_[job].insert_or_assign(index, given);
  }
  /// The time of those tasks, since they were last heard of, belongs to that part.
  void spend(Time now, const Errand& errand, Duration Allocation::* part) {
    const auto of_job = given_.find(errand.job);
    if (of_job == given_.end()) return;
    for (const std::uint32_t index : errand.tasks) {
      const auto given = of_job->second.find(index);
      if (given != of_job->second.end()) given->second.clock.spend(part, now);
    }
  }
  /// The parts of the allocation of a task that starts now; empty if it was never given away.
  std::optional<Allocation> start(
      Time now, const sched::JobId& job, std::uint32_t index, Time submitted) {
    const auto of_job = given_.find(job);
    if (of_job == given_.end()) return std::nullopt;
    auto given = of_job->second.extract(index);
    if (!given) return std::nullopt;
    given.mapped().clock.spend(&Allocation::communication, now);
    Allocation parts = given.mapped().clock.parts();
    // All that went before the turn which gave the task away, for the last time, was waiting at its
    // frontend.
    parts.framework_queue += given.mapped().begun - submitted;
    return parts;
  }
  /// The job has finished.
  void forget(const sched::JobId& job) { given_.erase(job); }
  void add(const Allocation& parts) { samples_.add(parts); }
  const AllocationSamples& samples() const { return samples_; }

 private:
  /// A task that was given away, last in a turn that began then.
  struct Given {
    Time begun;
    AllocationClock clock;
  };

  bool follows_ = false;
  std::optional<Time> turn_;
  /// The tasks that have not started, by job and index.
  std::map<sched::JobId, std::map<std::uint32_t, Given>> given_;
  AllocationSamples samples_;
};

/// What global and local masters did, all together.
struct MasterCounts {
  std::uint64_t masters = 0;        ///< Global ones.
  std::uint64_t local_masters = 0;  ///< Local ones, at the end.
  /// Searches that found a node.
  std::uint64_t matches = 0;
  std::uint64_t misses = 0;    ///< Times that no node had room.
  std::uint64_t searched = 0;  ///< Rows that matches looked at ...
  std::uint64_t words = 0;     ///< ... and words of vectors.
  /// Launches that were placed, and those of which nothing became known.
  std::uint64_t placed = 0;
  std::uint64_t lost = 0;
  /// Nodes that could not take what was launched there: of the partition of the global master, or
  /// of another one (Megha, section IV-B6) ...
  std::uint64_t internal = 0;
  std::uint64_t external = 0;
  std::uint64_t repairs = 0;       ///< ... and those of them that another node took.
  std::uint64_t repartitions = 0;  ///< Launches at nodes of other partitions.
  /// Preemptions that global masters asked for, and those that were granted.
  std::uint64_t preemption_attempts = 0;
  std::uint64_t preemptions = 0;

  std::uint64_t inconsistencies() const { return internal + external; }
};

}  // namespace dunlin::sim
