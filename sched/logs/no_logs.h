// SPDX-License-Identifier: MIT
#pragma once

#include "sched/logs/log_store.h"

namespace dunlin::sched::replica {

/// The disk of peers that never begin a second life: what they would read again is not kept.
class NoLogs final : public LogStore {
 public:
  void put_log(const LogFacts&) override {}
  void put_batch(std::uint64_t, std::uint64_t, const Batch&) override {}
  void truncate(std::uint64_t, std::uint64_t) override {}
  void put_office(std::uint64_t, const HomeRecord&) override {}
  void put_entry(std::uint64_t, const Entry&) override {}
  void forget_log(std::uint64_t) override {}
  /// Simulated jobs have no wall clock.
  std::optional<Time> time_of(std::int64_t) const override { return std::nullopt; }
};

}  // namespace dunlin::sched::replica
