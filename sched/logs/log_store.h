// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/ledger/roster.h"
#include "sched/replica/home.h"

namespace dunlin::sched::replica {

/// A log, and where the books are that say which replica of it is its home.
struct LogFacts {
  std::uint64_t log = 0;
  PeerId origin;  ///< The frontend that took its jobs.
  CellId cell;    ///< The cell of the books; 0: none keeps an entry of it yet.
  std::vector<books::Contact> contacts;  ///< Nodes that keep those books; at most 8.
  friend bool operator==(const LogFacts&, const LogFacts&) = default;
};

/// All that the disk of a node has of a log.
struct StoredLog {
  LogFacts facts;
  HomeRecord office;  ///< The last one that was held here; epoch 0: none.
  Entry entry;        ///< The latest that was heard of; epoch 0: none.
  Log log;
};

/// The disk of a node as far as logs of jobs go. A driver implements it. What is put in a turn is
/// durable before a message sent later in that turn leaves, as records of jobs are: together with
/// them or not at all.
class LogStore {
 public:
  /// A log that is new here, or whose books are elsewhere now.
  virtual void put_log(const LogFacts& facts) = 0;
  /// The batch after the last one of that log, which gets this position.
  virtual void put_batch(std::uint64_t log, std::uint64_t position, const Batch& batch) = 0;
  /// Forgets the batches of that log after `position`.
  virtual void truncate(std::uint64_t log, std::uint64_t position) = 0;
  virtual void put_office(std::uint64_t log, const HomeRecord& office) = 0;
  virtual void put_entry(std::uint64_t log, const Entry& entry) = 0;
  /// Forgets all of that log.
  virtual void forget_log(std::uint64_t log) = 0;
  /// When a job was submitted, by the clock of Host::now. `wall` is Job::submitted_at, by whichever
  /// node's clock; empty if that is not known.
  virtual std::optional<Time> time_of(std::int64_t wall) const = 0;

 protected:
  ~LogStore() = default;
};

}  // namespace dunlin::sched::replica
