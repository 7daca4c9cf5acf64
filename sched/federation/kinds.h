// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched::federation {

/// What does not change of a node while it runs. Many nodes of a cluster are of one kind, so it is
/// told, kept and matched once for all of them.
struct NodeKind {
  std::vector<Attribute> attributes;
  Resources total;
  friend bool operator==(const NodeKind&, const NodeKind&) = default;
};

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
