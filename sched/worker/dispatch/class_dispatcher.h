// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sched/worker/dispatch/class_crowds.h"
#include "sched/worker/dispatch/class_tally.h"
#include "sched/worker/dispatch/dispatcher.h"

namespace dunlin::sched {

/// Goes by the tickets of classes: a free slot goes to the class that is due, and the discipline
/// decides within the class. To be used while `tally` has tickets.
///
/// Source: Waldspurger and Weihl 1995 (stride scheduling); late binding makes it look ahead, and
/// ask a job a second time while its first question is under way.
class ClassDispatcher final : public Dispatcher {
 public:
  /// `tally` outlives this, and is of the same worker as `parts`.
  ClassDispatcher(const WorkerParts& parts, ClassTally& tally) : parts_(parts), tally_(tally) {}

  void dispatch(Turn& turn) override;
  std::optional<std::size_t> choose(Time now) const override;
  void serve(Time now, const Reserve& reserve) override;
  std::uint32_t ahead_of(std::size_t i, Time now) const override;
  double work_ahead(const QueuedReservation& newcomer, Time now) const override;
  std::optional<std::size_t> eviction_candidate(const Reserve& newcomer, Time now) const override;
  /// A class can only have its share of a node where it waits. So a reservation of a job with many
  /// tasks stays, until its class holds that share or waits already. Those of small jobs look
  /// further for room.
  bool ends_walk(const Reserve& newcomer) const override;

 private:
  struct Claim;
  struct Due;

  std::vector<Claim> gather_claims(Time now, std::size_t asked) const;
  void hold_contests(std::vector<Claim>& claims, const ServiceMoment& at, std::size_t asked) const;
  std::optional<Due> due_packed(std::vector<Claim>& claims, Time now) const;
  std::optional<Due> due(const Stride& outlook, Time now, std::size_t asked) const;
  ClassId class_of(const Reserve& reserve) const;
  ClassQueue class_queue(Time now) const;

  WorkerParts parts_;
  ClassTally& tally_;
};

}  // namespace dunlin::sched
