// SPDX-License-Identifier: MIT
#include "sched/cell/transfer_desk.h"

#include <algorithm>

namespace dunlin::sched {
namespace {

cell::Verdict verdict_of(CellId from, CellId to, std::uint64_t number, bool accepted) {
  return {.from = from, .to = to, .number = number, .accepted = accepted};
}

/// What is left of the first deposit to expire: on their way, savings gain no life.
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

}  // namespace

void TransferDesk::offer_all(
    const CellTurn& turn, const LeaderContext& context, Time stamp, const CellHints& hints) {
  for (const auto& partner : context.books.ledger().state().partners) {
    if (partner.outgoing.empty()) continue;
    // Gossip knows of the latest manager; else the one who was named when the transfer began.
    const cell::Hint* hint = hints.find(partner.cell);
    const auto known = where_.find(partner.cell);
    if (hint == nullptr && known == where_.end()) continue;
    const Endpoint to = hint != nullptr ? endpoint_of(hint->manager) : known->second;
    offered_[partner.cell] = to.id;
    for (const auto& outgoing : partner.outgoing) {
      turn.out.send(to,
          cell::SavingsOffer{.from = context.books.cell(),
              .to = partner.cell,
              .number = outgoing.number,
              .class_id = outgoing.class_id,
              .tickets = tickets_of(outgoing),
              .life = life_of(outgoing, stamp),
              .settled_below = context.books.ledger().settled_below(partner.cell)});
    }
  }
}

void TransferDesk::order(
    const LeaderContext& context, const cell::Order& order, const Propose& propose) {
  const auto& directory = context.books.roster();
  const auto number = std::pair(order.epoch, order.number);
  if (order.parent != directory.parent || number <= ordered_ || directory.dissolving) return;
  ordered_ = number;
  learn(order.to, endpoint_of(order.contact));
  reserve(context, order.to, order.class_id, order.tickets, propose);
}

void TransferDesk::reserve(const LeaderContext& context,
    CellId to,
    ClassId class_id,
    Tickets tickets,
    const Propose& propose) {
  const Tickets most = std::min({context.books.ledger().balance(class_id), tickets, kTicketsMax});
  if (reserving_ != 0 || most <= 0) return;
  reserving_ = propose(books::HoldSavings{.to = to,
      .number = context.books.ledger().next_number(to),
      .class_id = class_id,
      .tickets = most});
}

void TransferDesk::offer(const CellTurn& turn,
    const LeaderContext& context,
    const Endpoint& from,
    const cell::SavingsOffer& offer,
    const Propose& propose) {
  auto decided = context.books.ledger().verdict(offer.from, offer.number);
  // Books that are closed will never accept anything.
  if (!decided && context.books.roster().closed) decided = false;
  if (decided) {
    turn.out.send(from, verdict_of(offer.from, offer.to, offer.number, *decided));
    return;
  }
  const bool asked = std::ranges::any_of(asked_, [&](const auto& each) {
    return each.second.cell == offer.from && each.second.number == offer.number;
  });
  if (asked) return;
  const std::uint64_t proposal = context.books.roster().dissolving
      ? propose(books::Refuse{
            .from = offer.from, .number = offer.number, .settled_below = offer.settled_below})
      : propose(books::Accept{.from = offer.from,
            .number = offer.number,
            .class_id = offer.class_id,
            .tickets = offer.tickets,
            .life = offer.life,
            .settled_below = offer.settled_below});
  if (proposal != 0) asked_[proposal] = {from, offer.from, offer.number};
}

// Whoever took the word of any node would lose or double what is under way by it. One that answers
// late, when another was asked since, is asked again.
bool TransferDesk::verdict(const LeaderContext& context,
    PeerId from,
    const cell::Verdict& verdict,
    const Propose& propose) {
  const auto asked = offered_.find(verdict.to);
  if (asked == offered_.end() || asked->second != from) return false;
  const auto& partners = context.books.ledger().state().partners;
  const auto partner = std::ranges::find(partners, verdict.to, &books::Partner::cell);
  if (partner == partners.end()) return true;
  if (std::ranges::count(partner->outgoing, verdict.number, &books::Outgoing::number) == 0) {
    return true;
  }
  const std::uint64_t proposal = verdict.accepted
      ? propose(books::Settle{.to = verdict.to, .number = verdict.number})
      : propose(books::Undo{.to = verdict.to, .number = verdict.number});
  if (proposal != 0) deciding_[proposal] = verdict;
  return true;
}

// Of several verdicts for one transfer, only the first finds it under way; the others, if they too
// were proposed, change nothing and tell it again: rare, and harmless in a log.
void TransferDesk::tell(
    const CellTurn& turn, const LeaderContext& context, const cell::Verdict& verdict) const {
  const auto& partners = context.books.ledger().state().partners;
  const auto partner = std::ranges::find(partners, verdict.to, &books::Partner::cell);
  const bool open = partner != partners.end() &&
      std::ranges::count(partner->outgoing, verdict.number, &books::Outgoing::number) > 0;
  if (open) return;  // It was not committed.
  if (verdict.accepted) {
    turn.events.on(TransferSettled{verdict.from, verdict.to, verdict.number});
  } else {
    turn.events.on(TransferUndone{verdict.from, verdict.to, verdict.number});
  }
}

// Only what is committed is told.
void TransferDesk::done(
    const CellTurn& turn, const LeaderContext& context, std::uint64_t proposal) {
  if (proposal == reserving_) reserving_ = 0;
  if (const auto decided = deciding_.extract(proposal); !decided.empty()) {
    tell(turn, context, decided.mapped());
  }
  const auto at = asked_.find(proposal);
  if (at == asked_.end()) return;
  const Asked asked = at->second;
  asked_.erase(at);
  const auto decided = context.books.ledger().verdict(asked.cell, asked.number);
  if (!decided) return;
  turn.out.send(asked.from, verdict_of(asked.cell, context.books.cell(), asked.number, *decided));
}

}  // namespace dunlin::sched
