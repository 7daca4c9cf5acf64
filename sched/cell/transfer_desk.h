// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <set>
#include <utility>

#include "sched/cell/cell_hints.h"
#include "sched/cell/cell_turn.h"
#include "sched/ledger/cell_books.h"
#include "sched/raft/raft_group.h"

namespace dunlin::sched {

/// What a manager holds office over. Valid only during the call.
struct LeaderContext {
  RaftGroup& group;
  const CellBooks& books;
};

/// What a manager does to bring transfers between cells to their end: it offers what its books have
/// under way, again and again, until the receiver's manager says what its books decided. That is
/// all in the books of the two: a manager may fall at any moment. Source: design, section 6.
class TransferDesk {
 public:
  /// Asks the group for an action of the ledger; the id of the proposal, or 0.
  using Propose = std::function<std::uint64_t(books::Action)>;

  /// Where a cell can be asked.
  void learn(CellId cell, const Endpoint& where) { where_[cell] = where; }

  /// Offers all that is under way.
  void offer_all(
      const CellTurn& turn, const LeaderContext& context, Time stamp, const CellHints& hints);
  /// A parent's order to send savings away.
  void order(const LeaderContext& context, const cell::Order& order, const Propose& propose);
  /// Sends up to `tickets` of a class away, if no other proposal to do so is under way.
  void reserve(const LeaderContext& context,
      CellId to,
      ClassId class_id,
      Tickets tickets,
      const Propose& propose);
  void offer(const CellTurn& turn,
      const LeaderContext& context,
      const Endpoint& from,
      const cell::SavingsOffer& offer,
      const Propose& propose);
  /// False if that node was not asked, of late, for what `verdict` tells.
  bool verdict(const LeaderContext& context,
      PeerId from,
      const cell::Verdict& verdict,
      const Propose& propose);
  /// A proposal is decided, one way or the other.
  void done(const CellTurn& turn, const LeaderContext& context, std::uint64_t proposal);

 private:
  void tell(const CellTurn& turn, const LeaderContext& context, const cell::Verdict& verdict) const;

  struct Asked {
    Endpoint from;
    CellId cell = 0;
    std::uint64_t number = 0;
  };

  std::map<CellId, Endpoint> where_;
  std::map<CellId, PeerId> offered_;      ///< Who was asked last.
  std::map<std::uint64_t, Asked> asked_;  ///< Offers that the books are asked about, by proposal.
  std::map<std::uint64_t, cell::Verdict> deciding_;  ///< Verdicts that the books are to follow.
  std::uint64_t reserving_ = 0;                      ///< The proposal under way, or 0.
  std::pair<Epoch, std::uint64_t> ordered_;
};

}  // namespace dunlin::sched
