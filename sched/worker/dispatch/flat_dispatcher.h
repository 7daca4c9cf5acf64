// SPDX-License-Identifier: MIT
#pragma once

#include "sched/worker/dispatch/dispatcher.h"

namespace dunlin::sched {

/// Goes by the discipline alone: classes make no difference.
class FlatDispatcher final : public Dispatcher {
 public:
  explicit FlatDispatcher(const WorkerParts& parts) : parts_(parts) {}

  void dispatch(Turn& turn) override;
  std::optional<std::size_t> choose(Time now) const override;
  void serve(Time, const Reserve&) override {}
  std::uint32_t ahead_of(std::size_t i, Time now) const override;
  double work_ahead(const QueuedReservation& newcomer, Time now) const override;
  std::optional<std::size_t> eviction_candidate(const Reserve& newcomer, Time now) const override;
  bool ends_walk(const Reserve&) const override { return false; }

 private:
  WorkerParts parts_;
};

}  // namespace dunlin::sched
