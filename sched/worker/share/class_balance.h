// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sched/kernel.h"
#include "sched/ledger/roster.h"

namespace dunlin::sched {

class ClassShares;

/// How far each class is from its share of a node, of a cell or of the cluster, at one moment. To
/// take a task from one class for another is right only if it brings both nearer to their shares:
/// then no two classes take the same room from each other in turn.
class ClassBalance {
 public:
  ClassBalance() = default;
  /// The classes that have tickets there, of which none holds anything. The shares are theirs of a
  /// whole node, in millionths.
  explicit ClassBalance(const ClassShares& shares);
  /// Classes with these shares, of which only the proportions count, of `whole`, in any unit. None
  /// of them holds anything.
  ClassBalance(std::span<const std::pair<ClassId, Tickets>> shares, std::int64_t whole);

  /// A class holds so much more, or less, in millionths of the node or the unit of the whole. One
  /// without tickets has no share.
  void hold(ClassId class_id, std::uint64_t part);
  void release(ClassId class_id, std::uint64_t part);
  /// True if it is below its share, and so much more brings it nearer to it.
  bool lacks(ClassId class_id, std::uint64_t part) const;
  /// True if so much more is within its share.
  bool affords(ClassId class_id, std::uint64_t part) const;
  /// True if it is above its share, and so much less brings it nearer to it.
  bool spares(ClassId class_id, std::uint64_t part) const;
  /// The class furthest above its share; empty if none is above.
  std::optional<ClassId> furthest() const;
  /// Those above their shares, the furthest first.
  std::vector<ClassId> above() const;

 private:
  struct Standing {
    ClassId class_id = 0;
    std::int64_t above = 0;  ///< Its share is held and so much more.
  };
  const Standing* find(ClassId class_id) const;
  void add(ClassId class_id, std::int64_t part);

  std::vector<Standing> classes_;
};

}  // namespace dunlin::sched
