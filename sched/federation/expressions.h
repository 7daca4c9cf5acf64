// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sched/federation/kinds.h"

namespace dunlin::sched::federation {

/// A vector of bits, one for each slot of a partition.
using Bits = std::vector<std::uint64_t>;

/// The constraints that jobs asked for lately, each with the kinds that satisfy it. Exact, also for
/// comparisons: a kind is judged once for each expression, by satisfies(), and never again.
///
/// It keeps the kinds, too. At most kMax expressions are kept. One more takes the place of the one
/// that was asked for longest ago, which gets another generation: vectors that were made of the old
/// one are not of use any more. Source: Megha, section IV-B1, which has 21 constraints, all known
/// beforehand.
class Expressions {
 public:
  static constexpr std::size_t kMax = 256;

  /// An expression that is kept. It holds until another one is asked for.
  struct Handle {
    std::uint32_t index = 0;       ///< Below kMax.
    std::uint64_t generation = 0;  ///< Of that index: above 0, and never given twice.
  };

  /// Finds or takes in the expression.
  Handle handle(const Constraint& constraint);
  /// True until another expression took its place.
  bool keeps(const Handle& handle) const {
    return handle.index < kept_.size() && kept_[handle.index].generation == handle.generation;
  }
  /// True if nodes of that kind satisfy the expression. Requires keeps(handle).
  bool holds(const Handle& handle, KindNumber kind);
  std::size_t size() const { return kept_.size(); }

  Kinds& kinds() { return kinds_; }
  const Kinds& kinds() const { return kinds_; }

 private:
  struct Kept {
    Constraint constraint;
    std::uint64_t generation = 0;
    std::uint64_t asked = 0;         ///< When, in requests.
    std::vector<std::int8_t> holds;  ///< By kind: 0 unknown, 1 true, -1 false.
  };

  Kinds kinds_;
  std::vector<Kept> kept_;
  std::uint64_t requests_ = 0;
  std::uint64_t generations_ = 0;
};

}  // namespace dunlin::sched::federation
