// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sched/federation/message.h"
#include "sched/kernel.h"

namespace dunlin::sched::federation {

/// The index of a kind in a Kinds. Each node that keeps Kinds numbers them by itself.
using KindNumber = std::uint32_t;

/// Each kind once, in the order in which they were heard of. No kind is forgotten, since rows name
/// it by number.
class Kinds {
 public:
  /// The number of that kind, which is new or known.
  KindNumber number_of(const NodeKind& kind);
  /// Requires a number that number_of() gave.
  const NodeKind& at(KindNumber number) const { return kinds_[number]; }
  std::size_t size() const { return kinds_.size(); }

 private:
  std::vector<NodeKind> kinds_;
  std::multimap<std::uint64_t, KindNumber> by_hash_;
};

}  // namespace dunlin::sched::federation
