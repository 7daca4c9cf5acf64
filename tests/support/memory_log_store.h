// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sched/replica/log_store.h"

namespace dunlin::test {

/// Keeps logs in memory, durable at once. The wall clock is the virtual time.
class MemoryLogStore final : public sched::replica::LogStore {
 public:
  void put_log(const sched::replica::LogFacts& facts) override { logs_[facts.log].facts = facts; }
  void put_batch(
      std::uint64_t log, std::uint64_t position, const sched::replica::Batch& batch) override {
    sched::replica::Log& kept = logs_.at(log).log;
    overlay::ensure(position == kept.end() + 1, "batches are put in order");
    kept.append(batch);
  }
  void truncate(std::uint64_t log, std::uint64_t position) override {
    logs_.at(log).log.truncate(position);
  }
  void put_office(std::uint64_t log, const sched::replica::HomeRecord& office) override {
    logs_.at(log).office = office;
  }
  void put_entry(std::uint64_t log, const sched::replica::Entry& entry) override {
    logs_.at(log).entry = entry;
  }
  void forget_log(std::uint64_t log) override { logs_.erase(log); }
  std::optional<sched::Time> time_of(std::int64_t wall) const override {
    return sched::Time{sched::Duration{wall}};
  }

  /// What a later life finds.
  std::vector<sched::replica::StoredLog> load() const {
    std::vector<sched::replica::StoredLog> all;
    for (const auto& [log, kept] : logs_) all.push_back(kept);
    return all;
  }

 private:
  std::map<std::uint64_t, sched::replica::StoredLog> logs_;
};

}  // namespace dunlin::test
