// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "sched/cell/manager/cell_service.h"

namespace dunlin::sched {

/// Brings transfers of savings between cells to their end: it offers what the books here have under
/// way, again and again, until the receiver's manager tells the decision of the books there. Both
/// sides stand in the books of the two cells, so either manager may fall at any moment. See
/// docs/design/sharing.md, "Transfers".
class TransferDesk final : public CellService {
 public:
  void on_period(const LeaderTurn& turn) override;
  Handling on_message(
      const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) override;
  void on_outcome(const LeaderTurn& turn, const Resolution& outcome) override;

  /// Sends up to `tickets` of a class to the cell `to`, which is managed at `where` for all this
  /// node knows. It waits while another proposal to hold savings is under way, and is dropped if
  /// kWishesMax wait already.
  void send(
      const LeaderTurn& turn, CellId to, const Endpoint& where, ClassId class_id, Tickets tickets);
  /// True if all that it was to send is held in the books.
  bool idle() const { return !holding_ && wishes_.empty(); }

 private:
  static constexpr std::size_t kWishesMax = 64;

  /// Savings that are to be sent.
  struct Wish {
    CellId to;
    ClassId class_id = 0;
    Tickets tickets = 0;
  };
  struct Asked {
    Endpoint from;
    CellId cell;
    std::uint64_t number = 0;
  };

  void hold_next(const LeaderTurn& turn);
  void on_offer(const LeaderTurn& turn, const Endpoint& from, const cell::SavingsOffer& offer);
  Handling on_verdict(const LeaderTurn& turn, PeerId from, const cell::Verdict& verdict);
  void observe(const LeaderTurn& turn, const cell::Verdict& verdict) const;

  std::map<CellId, Endpoint> where_;   ///< The manager that send() named.
  std::map<CellId, PeerId> offered_;   ///< The node that was asked last.
  std::map<ProposalId, Asked> asked_;  ///< Offers that the books are asked about, by proposal.
  std::map<ProposalId, cell::Verdict> deciding_;  ///< Verdicts that the books are to follow.
  std::deque<Wish> wishes_;                       ///< First come, first held.
  std::optional<ProposalId> holding_;  ///< The proposal to hold savings that is under way.
};

}  // namespace dunlin::sched
