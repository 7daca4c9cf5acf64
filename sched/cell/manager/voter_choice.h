// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "sched/cell/params.h"
#include "sched/kernel.h"
#include "sched/ledger/books_types.h"

namespace dunlin::sched {

/// A node's fitness to keep books: the bucket of its uptime, then that of its capacity; more is
/// better. Slow on purpose: by free capacity, which changes with every task, the voters would
/// change all the time.
std::uint32_t voter_score(Duration uptime, Tickets capacity);

/// A node that could keep books, or does.
struct VoterCandidate {
  PeerId node;
  std::uint32_t score = 0;
  bool lost = false;          ///< Not heard of for too long, or back without its disk.
  bool draining = false;      ///< Will stop.
  bool spare = false;         ///< It hosts a replica already, which does not vote.
  std::uint64_t machine = 0;  ///< Nodes of one machine die together; 0: unknown, so none other's.
};

/// One change of voters.
struct VoterStep {
  enum class What : std::uint8_t { none, add, remove };
  What what = What::none;
  PeerId node;
  /// Of a sole voter's first step: the node that becomes a voter right after that one.
  PeerId also{};

  friend bool operator==(const VoterStep&, const VoterStep&) = default;
};

/// Decides which nodes keep the books: on as many machines as there are, since what kills one kills
/// all its nodes. A voter in place stays, unless it is lost, stops, shares its machine with another
/// while a free one is there, or is beaten by a margin for many rounds. See docs/design/sharing.md,
/// "Voters".
class VoterChoice {
 public:
  /// The next change, one at a time. All voters are among the `candidates`. Call once a round.
  VoterStep next(const CellParams& params,
      std::size_t voters_max,
      std::span<const PeerId> voters,
      std::span<const VoterCandidate> candidates);

 private:
  PeerId challenger_;         ///< The best node that does not vote, while it beats the worst voter.
  std::uint16_t rounds_ = 0;  ///< Rounds in a row in which it did.
};

}  // namespace dunlin::sched
