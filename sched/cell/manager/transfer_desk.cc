// SPDX-License-Identifier: MIT
#include "sched/cell/manager/transfer_desk.h"

#include <algorithm>

// A transfer has two phases. The sender's books hold the savings, under a number that no other
// transfer to that cell has; the sender's manager then offers them each period. The receiver's
// books accept or refuse that number once, and remember it; its manager tells the verdict as often
// as it is offered. The sender's books follow the verdict: the savings are sent, or back in the
// account. So a message or a manager that is lost costs a period, and no ticket.
namespace dunlin::sched {
namespace {

/// The time until the first deposit expires: savings gain no life on their way.
Duration life_of(const books::Outgoing& outgoing, Time stamp) {
  Time first = kNever;
  for (const auto& deposit : outgoing.deposits) first = std::min(first, deposit.expires);
  return std::max(Duration{0}, first - stamp);
}

Tickets tickets_of(const books::Outgoing& outgoing) {
  Tickets sum = 0;
  for (const auto& deposit : outgoing.deposits) sum += deposit.tickets;
  return sum;
}

/// True if the books have that transfer under way.
bool is_under_way(const CellBooks& books, CellId to, std::uint64_t number) {
  const auto& partners = books.ledger().state().partners;
  const auto partner = std::ranges::find(partners, to, &books::Partner::cell);
  return partner != partners.end() &&
      std::ranges::count(partner->outgoing, number, &books::Outgoing::number) > 0;
}

}  // namespace

void TransferDesk::on_period(const LeaderTurn& turn) {
  hold_next(turn);
  const Time stamp = turn.stamp();
  for (const auto& partner : turn.books.ledger().state().partners) {
    if (partner.outgoing.empty()) continue;
    // Gossip knows the latest manager; without it, the one named when the transfer began is asked.
    const cell::Hint* hint = turn.hints.find(partner.cell);
    const auto known = where_.find(partner.cell);
    if (hint == nullptr && known == where_.end()) continue;
    const Endpoint to = hint != nullptr ? endpoint_of(hint->manager) : known->second;
    offered_[partner.cell] = to.id;
    for (const auto& outgoing : partner.outgoing) {
      turn.out.send(to,
          cell::SavingsOffer{.from = turn.cell(),
              .to = partner.cell,
              .number = outgoing.number,
              .class_id = outgoing.class_id,
              .tickets = tickets_of(outgoing),
              .life = life_of(outgoing, stamp),
              .settled_below = turn.books.ledger().settled_below(partner.cell)});
    }
  }
}

Handling TransferDesk::on_message(
    const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) {
  if (const auto* verdict = std::get_if<cell::Verdict>(&message)) {
    return on_verdict(turn, from.id, *verdict);
  }
  const auto* offer = std::get_if<cell::SavingsOffer>(&message);
  if (offer == nullptr) return Handling::passed;
  on_offer(turn, from, *offer);
  return Handling::handled;
}

void TransferDesk::send(
    const LeaderTurn& turn, CellId to, const Endpoint& where, ClassId class_id, Tickets tickets) {
  where_[to] = where;
  if (wishes_.size() >= kWishesMax) return;
  wishes_.push_back({.to = to, .class_id = class_id, .tickets = tickets});
  hold_next(turn);
}

// One proposal to hold savings at a time: the next number and the balance are known only when the
// one before it is decided.
void TransferDesk::hold_next(const LeaderTurn& turn) {
  while (!holding_ && !wishes_.empty()) {
    const Wish wish = wishes_.front();
    const Tickets held =
        std::min({turn.books.ledger().balance(wish.class_id), wish.tickets, kTicketsMax});
    if (held > 0) {
      holding_ = turn.propose(books::HoldSavings{.to = wish.to,
          .number = turn.books.ledger().next_number(wish.to),
          .class_id = wish.class_id,
          .tickets = held});
      if (!holding_) return;  // Too much waits for the voters: it is tried again.
    }
    wishes_.pop_front();
  }
}

// The same offer comes each period until it is answered: it is proposed once, and its verdict told
// as often as it comes. Dissolving books refuse, for they could not send the savings on in time.
void TransferDesk::on_offer(
    const LeaderTurn& turn, const Endpoint& from, const cell::SavingsOffer& offer) {
  // A sender whose books were set back counts on from a number that is behind what this cell knows.
  if (const auto earlier =
          turn.books.ledger().earlier_life(offer.from, offer.number, offer.tickets)) {
    turn.out.send(from,
        cell::Verdict{.from = offer.from,
            .to = offer.to,
            .number = offer.number,
            .accepted = true,
            .below = earlier->below,
            .received = earlier->received});
    return;
  }
  auto decided = turn.books.ledger().verdict(offer.from, offer.number);
  // Books that are closed will never accept anything.
  if (!decided && turn.books.roster().closed) decided = false;
  if (decided) {
    turn.out.send(from,
        cell::Verdict{
            .from = offer.from, .to = offer.to, .number = offer.number, .accepted = *decided});
    return;
  }
  const bool asked = std::ranges::any_of(asked_, [&](const auto& each) {
    return each.second.cell == offer.from && each.second.number == offer.number;
  });
  if (asked) return;
  const auto proposal = turn.books.roster().dissolving
      ? turn.propose(books::Refuse{
            .from = offer.from, .number = offer.number, .settled_below = offer.settled_below})
      : turn.propose(books::Accept{.from = offer.from,
            .number = offer.number,
            .class_id = offer.class_id,
            .tickets = offer.tickets,
            .life = offer.life,
            .settled_below = offer.settled_below});
  if (proposal) asked_[*proposal] = {from, offer.from, offer.number};
}

// A manager that took the word of any node would lose or double what is under way by it. One that
// answers late, when another was asked since, is asked again.
Handling TransferDesk::on_verdict(
    const LeaderTurn& turn, PeerId from, const cell::Verdict& verdict) {
  const auto asked = offered_.find(verdict.to);
  if (asked == offered_.end() || asked->second != from) return Handling::refused;
  if (!is_under_way(turn.books, verdict.to, verdict.number)) return Handling::handled;
  const auto proposal = verdict.accepted
      ? turn.propose(books::Settle{.to = verdict.to,
            .number = verdict.number,
            .below = verdict.below,
            .received = verdict.received})
      : turn.propose(books::Undo{.to = verdict.to, .number = verdict.number});
  if (proposal) deciding_[*proposal] = verdict;
  return Handling::handled;
}

// Several verdicts may come for one transfer. Only the first finds it under way; the others, if
// they were proposed, too, change nothing and show as events once more: rare, and harmless in a
// log.
void TransferDesk::observe(const LeaderTurn& turn, const cell::Verdict& verdict) const {
  if (is_under_way(turn.books, verdict.to, verdict.number)) return;  // It was not committed.
  if (verdict.accepted) {
    turn.events.on(TransferSettled{verdict.from, verdict.to, verdict.number});
  } else {
    turn.events.on(TransferUndone{verdict.from, verdict.to, verdict.number});
  }
}

// Only what is committed is told.
void TransferDesk::on_outcome(const LeaderTurn& turn, const Resolution& outcome) {
  if (holding_ == outcome.id) {
    holding_.reset();
    hold_next(turn);
  }
  if (const auto decided = deciding_.extract(outcome.id); !decided.empty()) {
    observe(turn, decided.mapped());
  }
  const auto at = asked_.find(outcome.id);
  if (at == asked_.end()) return;
  const Asked asked = at->second;
  asked_.erase(at);
  const auto decided = turn.books.ledger().verdict(asked.cell, asked.number);
  if (!decided) return;
  turn.out.send(asked.from,
      cell::Verdict{
          .from = asked.cell, .to = turn.cell(), .number = asked.number, .accepted = *decided});
}

}  // namespace dunlin::sched
