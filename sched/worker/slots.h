// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sched/kernel.h"
#include "sched/ledger/books_types.h"
#include "sched/message.h"
#include "sched/node_spec.h"
#include "sched/resources.h"
#include "sched/worker/params.h"

namespace dunlin::sched {

class ClassShares;

/// The answer to: is there room for a task of this reservation?
enum class Fit : std::uint8_t {
  yes,
  no,      ///< Not now: room may be kept for it.
  barred,  ///< There is room, but only in the express share, and its tasks are too long for that.
};

/// The resources that one task takes, for how long, and for which class. Valid as long as the
/// demand it refers to.
struct Footprint {
  const Resources& demand;
  Duration task_time;
  ClassId class_id = 0;
};

/// The footprint of each task of `reserve`.
inline Footprint footprint(const Reserve& reserve) {
  return {reserve.demand, reserve.task_time, reserve.class_id};
}

/// The resources of a node: what is free, what is held, and the express share, which only short
/// tasks may use. Nothing is ever over-committed. Source for the share: Hawk (Delgado 2015, section
/// 3.3), where it is a part of the cluster; here each node gives its part.
class Slots {
 public:
  Slots(const WorkerParams& params, const NodeSpec& self);

  /// All of them; rates that the node does not declare are kUnlimited, as in free().
  const Resources& total() const { return total_; }
  /// Not held.
  const Resources& free() const { return free_; }
  /// A closed node offers nothing, and says that nothing is free: it drains, or it is sick.
  bool closed() const { return draining_ || sick_; }
  bool draining() const { return draining_; }
  void drain(bool on) { draining_ = on; }
  bool sick() const { return sick_; }
  void fall_sick(bool on) { sick_ = on; }
  /// Tasks that hold a place: they run, or are asked for.
  std::uint32_t tasks() const { return tasks_; }
  /// The load that messages report, with so many reservations in the queue.
  Load load(std::size_t queued) const;

  /// What any task may use of it, however long it runs; no CPU if no task may start.
  Resources free_for_all() const;

  /// Why tasks of `reserve` cannot run here, however long they wait; empty if they can.
  std::optional<BounceReason> unfit(const Reserve& reserve) const;
  /// Says if one task of `reserve` could start now.
  Fit fit(const Reserve& reserve) const;
  /// The number of its tasks that could start now, at most `limit`.
  std::uint32_t room_for(const Reserve& reserve, std::uint32_t limit) const;
  /// The part of the node that such a task occupies, in millionths: see dominant_part().
  std::uint64_t part(const Resources& demand) const;

  /// Holds the resources of `count` tasks. Requires that they are free.
  void hold(Time now, const Footprint& task, std::uint32_t count = 1);
  /// Gives them back. Requires that they are held.
  void release(Time now, const Footprint& task, std::uint32_t count = 1);
  /// Sets resources, and perhaps a place, aside for a task that waits for more. Requires that they
  /// are free.
  void set_aside(const Resources& resources, bool place) {
    take(free_, resources);
    if (place) ++tasks_;
  }
  /// Gives back what was set aside.
  void put_back(const Resources& resources, bool place) {
    give(free_, resources);
    if (place) --tasks_;
  }
  /// Something that is no task here uses so much of the node, as far as this names it: as much of
  /// that as is free is offered no more, and the rest as tasks give it back: see end_task().
  void set_background(const Resources& wanted);
  /// A task has ended, and what it held is released: it leaves no room to others, and background
  /// that found none before has it now.
  void end_task(Resources& relief);
  const Resources& background() const { return background_; }
  /// A task that holds its demand is to leave `wanted` of that to others; `relief` is what it
  /// leaves by now. What others took of it meanwhile comes back when they give it back.
  void relieve(Resources& relief, const Resources& wanted);

  /// Places for tasks, however little they demand.
  std::uint32_t places() const { return tasks_max_ - std::min(tasks_, tasks_max_); }
  /// From now on `shares`, which outlives this, counts all that is held and released.
  void count_for(ClassShares& shares) { shares_ = &shares; }

 private:
  bool is_long(Duration task_time) const { return task_time > express_limit_; }
  std::uint32_t long_cpu_max() const { return total_.cpu - express_cpu_; }
  Resources usable_by(Duration task_time) const;

  std::vector<Attribute> attributes_;
  Resources total_;
  Resources free_;
  Resources background_;         ///< Of what is not free.
  Resources wanted_background_;  ///< What it would be, were there room.
  Duration express_limit_;
  std::uint32_t express_cpu_;   ///< milli-CPU that are not for long tasks.
  std::uint32_t long_cpu_ = 0;  ///< milli-CPU that long tasks hold.
  std::uint32_t tasks_max_;
  std::uint32_t tasks_ = 0;  ///< Tasks that hold something, or hold their place with nothing.
  bool draining_ = false;
  bool sick_ = false;
  ClassShares* shares_ = nullptr;
};

}  // namespace dunlin::sched
