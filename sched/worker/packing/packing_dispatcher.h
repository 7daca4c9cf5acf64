// SPDX-License-Identifier: MIT
#pragma once

#include "sched/worker/dispatch/flat_dispatcher.h"

namespace dunlin::sched {

/// Goes by a discipline that packs: it asks for one task at a time, against what is then free,
/// until nothing fits. Classes make no difference. Requires that the discipline has a packer.
class PackingDispatcher final : public Dispatcher {
 public:
  explicit PackingDispatcher(const WorkerParts& parts) : parts_(parts), order_(parts) {}

  void dispatch(Turn& turn) override;
  std::optional<std::size_t> choose(Time now) const override;
  void serve(Time, const Reserve&) override {}
  std::uint32_t ahead_of(std::size_t i, Time now) const override { return order_.ahead_of(i, now); }
  double work_ahead(const QueuedReservation& newcomer, Time now) const override {
    return order_.work_ahead(newcomer, now);
  }
  std::optional<std::size_t> eviction_candidate(const Reserve& newcomer, Time now) const override {
    return order_.eviction_candidate(newcomer, now);
  }
  bool ends_walk(const Reserve&) const override { return false; }

 private:
  WorkerParts parts_;
  FlatDispatcher order_;  ///< Knows the places in the queue.
};

}  // namespace dunlin::sched
