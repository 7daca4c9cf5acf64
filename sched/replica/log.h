// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sched/kernel.h"

namespace dunlin::sched::replica {

/// A copy of a log: 64 bits drawn by chance with the database that holds it. A lost disk is another
/// replica, so no node mistakes a new and empty copy for the one that was in sync.
struct ReplicaId {
  std::uint64_t value = 0;
  friend auto operator<=>(const ReplicaId&, const ReplicaId&) = default;
};

/// The writer of a batch: the home of an epoch, in one life of its process.
struct Stamp {
  std::uint32_t epoch = 0;
  std::uint32_t life = 0;
  friend auto operator<=>(const Stamp&, const Stamp&) = default;
};

/// A place in a log: the position counts batches from 1, and 0 is the beginning. Two logs with one
/// mark in common are equal up to there.
struct Mark {
  Stamp stamp;
  std::uint64_t position = 0;
  friend auto operator<=>(const Mark&, const Mark&) = default;
};

/// The records of one turn: on disk together or not at all.
struct Batch {
  Stamp stamp;
  std::string records;
  friend bool operator==(const Batch&, const Batch&) = default;
};

/// The last position that a stamp has in a log.
using Runs = std::vector<Mark>;

/// What a replica holds of a log, in memory; what of it is durable is its owner's matter.
class Log {
 public:
  std::uint64_t end() const { return batches_.size(); }
  /// The place after `position` batches. Requires position <= end().
  Mark mark(std::uint64_t position) const;
  /// Requires 1 <= position <= end().
  const Batch& at(std::uint64_t position) const { return batches_[position - 1]; }
  void append(Batch batch) { batches_.push_back(std::move(batch)); }
  /// Forgets what comes after `position`.
  void truncate(std::uint64_t position) { batches_.resize(position); }
  /// Ascending. A home learns from it where another log parts from its own.
  Runs runs() const;
  /// The last place that this log and one with these runs have in common.
  std::uint64_t common(const Runs& other) const;

 private:
  std::vector<Batch> batches_;
};

}  // namespace dunlin::sched::replica
