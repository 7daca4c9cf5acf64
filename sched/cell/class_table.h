// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "overlay/result.h"
#include "sched/cell/message.h"
#include "sched/ledger/roster.h"

namespace dunlin::sched {

/// Tickets of classes, by class.
using ClassTickets = std::vector<std::pair<ClassId, Tickets>>;

/// The class table as far as it is known here: which classes share the cluster, at which shares.
/// The table of the highest version wins, wherever two meet.
class ClassTable {
 public:
  const books::Classes& classes() const { return classes_; }
  /// 0: no table was ever heard of.
  std::uint64_t version() const { return classes_.version; }

  /// Takes over a sound table of a higher version. True if it did.
  bool adopt(const books::Classes& classes);
  /// Checks that an operator may replace the table by `classes`. Fails (`usage`) if they make no
  /// sense, and (`conflict`) if their version is not above version().
  Result<void> may_follow(const books::Classes& classes) const;

  /// The tickets of each class on a node of `tickets` while no grants hold: its share.
  ClassTickets shares(Tickets tickets) const;
  /// The weights of classes on a node of `tickets`: their grants, or their shares where there are
  /// no grants. A class that was granted next to nothing, or is not there, gets a weight that
  /// makes its share, for it may want something before the next grants. A grant of zero is kept.
  ClassTickets weights(Tickets tickets, std::span<const cell::Grant> grants) const;

 private:
  books::Classes classes_;
};

}  // namespace dunlin::sched
