// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sched/replica/log_store.h"

namespace dunlin::test {

/// Keeps logs in memory. What is put into a turn becomes durable when the world says so, together
/// with the turn's records of jobs. The wall clock is the virtual time.
class MemoryLogStore final : public sched::replica::LogStore {
 public:
  using Logs = std::map<std::uint64_t, sched::replica::StoredLog>;
  using Batch = std::vector<std::function<void(Logs&)>>;

  void put_log(const sched::replica::LogFacts& facts) override {
    later([facts](Logs& logs) { logs[facts.log].facts = facts; });
  }
  void put_batch(
      std::uint64_t log, std::uint64_t position, const sched::replica::Batch& batch) override {
    later([log, position, batch](Logs& logs) {
      sched::replica::Log& kept = logs.at(log).log;
      overlay::ensure(position == kept.end() + 1, "batches are put in order");
      kept.append(batch);
    });
  }
  void truncate(std::uint64_t log, std::uint64_t position) override {
    later([log, position](Logs& logs) { logs.at(log).log.truncate(position); });
  }
  void put_office(std::uint64_t log, const sched::replica::HomeRecord& office) override {
    later([log, office](Logs& logs) { logs.at(log).office = office; });
  }
  void put_entry(std::uint64_t log, const sched::replica::Entry& entry) override {
    later([log, entry](Logs& logs) { logs.at(log).entry = entry; });
  }
  void forget_log(std::uint64_t log) override {
    later([log](Logs& logs) { logs.erase(log); });
  }
  std::optional<sched::Time> time_of(std::int64_t wall) const override {
    return sched::Time{sched::Duration{wall}};
  }

  bool turn_has_records() const { return !turn_.empty(); }
  /// The records of the turn that ends: not durable yet.
  Batch take_turn() { return std::exchange(turn_, {}); }
  void commit(const Batch& batch) {
    for (const auto& put : batch) put(logs_);
  }
  /// What is durable, by log.
  const Logs& logs() const { return logs_; }
  /// What a later life finds.
  std::vector<sched::replica::StoredLog> load() const {
    std::vector<sched::replica::StoredLog> all;
    for (const auto& [log, kept] : logs_) all.push_back(kept);
    return all;
  }

 private:
  void later(std::function<void(Logs&)> put) { turn_.push_back(std::move(put)); }

  Logs logs_;
  Batch turn_;
};

}  // namespace dunlin::test
