// SPDX-License-Identifier: MIT
#pragma once

#include "sched/packing/packer.h"
#include "sched/worker/discipline/discipline.h"

namespace dunlin::sched {

/// Of the tasks that fit, one at a time starts that which leaves the fewest fragments, of the jobs
/// with little left and little held. The rest of a job is its work over all resources, in seconds
/// of this node; waiting and priority make it seem less, as for `shortest`. By it alone go the
/// places in the queue, and the reservation for which room is kept.
///
/// Source: Grandl 2014, "Multi-Resource Packing for Cluster Schedulers" (Tetris), there for one
/// master of all nodes. Here each worker packs what waits at it.
class TetrisDiscipline final : public Discipline {
 public:
  /// `total` is all that the node has. Empty: the rest of a job is its task times.
  TetrisDiscipline(const WorkerParams& params, const Resources& total);

  const packing::Packer* packer() const override { return &packer_; }
  double work_left(const QueuedReservation& waiting, const ServiceMoment& at) const override;
  void weigh(QueuedReservation& waiting) const override;
  bool keeps_room_for(const QueuedReservation& first, const ServiceMoment& at) const override;
  bool before(const QueuedReservation& a,
      const QueuedReservation& b,
      const ServiceMoment& at) const override;

 private:
  packing::Packer packer_;
  double patience_;
};

/// The rules by which such a worker packs.
packing::Rules packing_rules(const WorkerParams& params);

/// The work of the waiting tasks of its job in each dimension, in seconds of the node. Of a job the
/// frontend of which tells no extent, it is as if all its tasks demanded what this one does.
packing::Shares work_of(const Reserve& reserve, const packing::Dimensions& dimensions);

}  // namespace dunlin::sched
