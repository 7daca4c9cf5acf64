// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "sched/federation/message.h"
#include "sched/federation/owners.h"
#include "sched/kernel.h"

namespace dunlin::sched::federation {

/// The logical nodes of a cell. A global master that finds no room in its own partitions borrows
/// room of a member of another one: exactly what its tasks demand, taken off the real node, until
/// they end. What one borrower has at one member is a logical node. Members tell what the tasks of
/// each frontend hold, so the next local master knows them as well as the one before.
/// Source: Megha, section IV-B4 (repartitioning).
class LogicalNodes {
 public:
  /// What a global master has borrowed in the cell.
  struct Borrowed {
    std::size_t nodes = 0;  ///< Logical nodes: members with tasks of its that are not its own.
    Resources held;         ///< The room that those tasks have there.
  };

  /// What a member says, which replaces all it said before.
  void hear(PeerId node, const std::vector<FrontendHold>& held);
  void remove(PeerId node) { held_.erase(node); }

  /// Those at a member: borrowers, and what each has of it.
  std::vector<FrontendHold> at(PeerId node, const Owners& owners) const;
  /// Those of each global master with a partition that has any.
  std::map<PeerId, Borrowed> by_borrower(const Owners& owners) const;

 private:
  std::map<PeerId, std::vector<FrontendHold>> held_;
};

}  // namespace dunlin::sched::federation
