// SPDX-License-Identifier: MIT
#include "sched/ledger/transfer_commands.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sched/ledger/accounts.h"
#include "sched/ledger/savings.h"

// Savings that move between cells, in two phases. No message is delivered exactly once, so neither
// cell may act on the other's word alone: the sender holds the tickets back (they are in no
// account, and not lost); the receiver accepts or refuses, once, and commits that; only then does
// the sender settle or undo. It never undoes on a timeout, because the receiver may have accepted.
// Transfers to one cell are numbered from 1 with a window of 64, so that the receiver needs to
// remember only as many decisions: each message says below which number the sender is done.
// Source: CS 736 slides, "Bank Account Mechanism" (transferring tickets); docs/design/sharing.md,
// "The books".
namespace dunlin::sched::books {
namespace {

/// The transfers to one cell that may be under way. The receiver remembers as many decisions.
constexpr std::uint64_t kWindow = Partner::kOutgoingMax;
static_assert(kWindow == Partner::kIncomingMax);

auto outgoing_of(auto& partner, std::uint64_t number) {
  const auto at = std::ranges::lower_bound(partner.outgoing, number, {}, &Outgoing::number);
  return at != partner.outgoing.end() && at->number == number ? at : partner.outgoing.end();
}

std::uint64_t lowest_of(const Partner& partner) {
  return partner.outgoing.empty() ? partner.number_last + 1 : partner.outgoing.front().number;
}

const Partner* find_partner(const State& state, CellId cell) {
  const auto at = std::ranges::lower_bound(state.partners, cell, {}, &Partner::cell);
  return at != state.partners.end() && at->cell == cell ? &*at : nullptr;
}

Partner* find_partner(State& state, CellId cell) {
  const auto at = std::ranges::lower_bound(state.partners, cell, {}, &Partner::cell);
  return at != state.partners.end() && at->cell == cell ? &*at : nullptr;
}

// Nullptr if there is no room for another partner.
Partner* partner_of(State& state, CellId cell) {
  if (Partner* known = find_partner(state, cell)) return known;
  if (state.partners.size() == State::kPartnersMax) return nullptr;
  Partner fresh;
  fresh.cell = cell;
  const auto at = std::ranges::lower_bound(state.partners, cell, {}, &Partner::cell);
  return &*state.partners.insert(at, std::move(fresh));
}

// Checks if a transfer may be decided now, and forgets those that the sender is done with.
Outcome decide(State& state, CellId from, std::uint64_t number, std::uint64_t settled_below) {
  if (!from || from == state.cell || number == 0 || settled_below > number) {
    return Outcome::malformed;
  }
  Partner* sender = partner_of(state, from);
  if (sender == nullptr) return Outcome::too_many;
  if (sender->lost) return Outcome::lost_cell;
  sender->settled_below = std::max(sender->settled_below, settled_below);
  std::erase_if(sender->incoming,
      [&](const Incoming& incoming) { return incoming.number < sender->settled_below; });
  if (number < sender->settled_below || verdict_of(state, from, number)) return Outcome::done;
  return number - sender->settled_below < kWindow ? Outcome::applied : Outcome::ahead;
}

/// Puts the savings of a transfer back, with the life that they had; perhaps they have expired by
/// now, and the ledger ends them after the command.
Outcome give_back(State& state, Partner& partner, std::uint64_t number) {
  const auto at = outgoing_of(partner, number);
  if (at == partner.outgoing.end()) return Outcome::done;
  if (!can_put(state, at->class_id, {})) return Outcome::too_many;
  for (const auto& part : at->deposits) put(state, at->class_id, {}, part);
  partner.outgoing.erase(at);
  return Outcome::applied;
}

}  // namespace

std::uint64_t next_number(const State& state, CellId to) {
  const Partner* partner = find_partner(state, to);
  return partner == nullptr ? 1 : partner->number_last + 1;
}

std::uint64_t settled_below(const State& state, CellId to) {
  const Partner* partner = find_partner(state, to);
  return partner == nullptr ? 1 : lowest_of(*partner);
}

std::optional<bool> verdict_of(const State& state, CellId from, std::uint64_t number) {
  const Partner* partner = find_partner(state, from);
  if (partner == nullptr) return std::nullopt;
  const auto at = std::ranges::find(partner->incoming, number, &Incoming::number);
  return at == partner->incoming.end() ? std::nullopt : std::optional(at->accepted);
}

std::optional<EarlierLife> earlier_life(
    const State& state, CellId from, std::uint64_t number, Tickets tickets) {
  const Partner* sender = find_partner(state, from);
  if (sender == nullptr || sender->lost) return std::nullopt;
  const auto known = std::ranges::find(sender->incoming, number, &Incoming::number);
  const bool other = known == sender->incoming.end() ? number < sender->settled_below
                                                     : known->accepted && known->tickets != tickets;
  if (!other) return std::nullopt;
  const std::uint64_t latest = sender->incoming.empty() ? 0 : sender->incoming.back().number;
  return EarlierLife{
      .below = std::max(sender->settled_below, latest + 1), .received = sender->received};
}

Outcome apply(State& state, const HoldSavings& hold) {
  if (!hold.to || hold.to == state.cell || !is_movable(hold.tickets)) {
    return Outcome::malformed;
  }
  const std::uint64_t next = next_number(state, hold.to);
  const Partner* known = find_partner(state, hold.to);
  if (known != nullptr && known->lost) return Outcome::lost_cell;
  // A repeated command has an old number, and a lost one leaves a gap; both are refused by name.
  if (hold.number != next) return hold.number < next ? Outcome::done : Outcome::out_of_order;
  if (known != nullptr && next - lowest_of(*known) >= kWindow) return Outcome::too_many;
  if (savings_of(state, hold.class_id, {}) < hold.tickets) return Outcome::insufficient;
  Partner* partner = partner_of(state, hold.to);
  if (partner == nullptr) return Outcome::too_many;

  Outgoing outgoing{.number = next, .class_id = hold.class_id, .deposits = {}};
  for (auto& account : state.accounts) {
    if (account.class_id != hold.class_id || account.node) continue;
    for (const auto& part : draw(account.deposits, hold.tickets)) {
      deposit(outgoing.deposits, part, Outgoing::kDepositsMax);
    }
  }
  partner->number_last = next;
  partner->outgoing.push_back(std::move(outgoing));
  return Outcome::applied;
}

Outcome apply(State& state, const Accept& accept) {
  if (!is_movable(accept.tickets) || accept.life < Duration{0}) return Outcome::malformed;
  const auto outcome = decide(state, accept.from, accept.number, accept.settled_below);
  if (outcome != Outcome::applied) return outcome;
  if (accept.tickets > kTotalMax - state.totals.received) return Outcome::too_large;
  if (!can_put(state, accept.class_id, {})) return Outcome::too_many;
  Partner& sender = *find_partner(state, accept.from);
  const auto at = std::ranges::lower_bound(sender.incoming, accept.number, {}, &Incoming::number);
  sender.incoming.insert(
      at, {.number = accept.number, .accepted = true, .tickets = accept.tickets});
  sender.received += accept.tickets;
  state.totals.received += accept.tickets;
  // The life left is sent instead of a time, because clocks of two cells differ. It must not
  // overflow.
  const Duration longest = kNever - state.now;
  put(state, accept.class_id, {},
      {.expires = state.now + std::min(accept.life, longest), .tickets = accept.tickets});
  return Outcome::applied;
}

Outcome apply(State& state, const Refuse& refuse) {
  const auto outcome = decide(state, refuse.from, refuse.number, refuse.settled_below);
  if (outcome != Outcome::applied) return outcome;
  Partner& sender = *find_partner(state, refuse.from);
  const auto at = std::ranges::lower_bound(sender.incoming, refuse.number, {}, &Incoming::number);
  sender.incoming.insert(at, {.number = refuse.number, .accepted = false, .tickets = 0});
  return Outcome::applied;
}

namespace {

/// Takes up to `tickets` out of the accounts of the bank, those of `first` before others. Returns
/// what they lack.
Tickets pay(State& state, ClassId first, Tickets tickets) {
  for (const bool own : {true, false}) {
    for (auto& account : state.accounts) {
      if (account.node || (account.class_id == first) != own) continue;
      const Tickets part = std::min(tickets, sum_of(account.deposits));
      draw(account.deposits, part);
      tickets -= part;
    }
  }
  return tickets;
}

// These books were set back. What an earlier life of them sent is paid once more, out of what came
// back with them and of what is under way to that cell; what they lack was earned in that life, and
// is issued again. So all books together hold what they held, and the numbers go on behind those
// that the receiver knows.
Outcome make_up(State& state, Partner& receiver, const Settle& settle) {
  const auto at = outgoing_of(receiver, settle.number);
  if (at == receiver.outgoing.end()) return Outcome::done;
  if (settle.number >= settle.below || settle.received < 0) return Outcome::malformed;
  const Tickets unknown = std::max<Tickets>(0, settle.received - receiver.sent);
  if (unknown > kTotalMax - state.totals.sent || unknown > kTotalMax - state.totals.reissued) {
    return Outcome::too_large;
  }
  if (state.accounts.size() + receiver.outgoing.size() > State::kAccountsMax) {
    return Outcome::too_many;
  }
  const ClassId first = at->class_id;
  while (!receiver.outgoing.empty() && receiver.outgoing.front().number < settle.below) {
    give_back(state, receiver, receiver.outgoing.front().number);
  }
  state.totals.reissued += pay(state, first, unknown);
  state.totals.sent += unknown;
  receiver.sent += unknown;
  receiver.number_last = std::max(receiver.number_last, settle.below - 1);
  return Outcome::applied;
}

}  // namespace

Outcome apply(State& state, const Settle& settle) {
  Partner* receiver = find_partner(state, settle.to);
  if (receiver == nullptr || settle.number > receiver->number_last) {
    return Outcome::unknown_transfer;
  }
  if (receiver->lost) return Outcome::lost_cell;
  if (settle.below > 0) return make_up(state, *receiver, settle);
  const auto at = outgoing_of(*receiver, settle.number);
  if (at == receiver->outgoing.end()) return Outcome::done;
  const Tickets tickets = sum_of(at->deposits);
  if (tickets > kTotalMax - state.totals.sent) return Outcome::too_large;
  receiver->sent += tickets;
  state.totals.sent += tickets;
  receiver->outgoing.erase(at);
  return Outcome::applied;
}

Outcome apply(State& state, const Undo& undo) {
  Partner* receiver = find_partner(state, undo.to);
  if (receiver == nullptr || undo.number > receiver->number_last) return Outcome::unknown_transfer;
  if (receiver->lost) return Outcome::lost_cell;
  return give_back(state, *receiver, undo.number);
}

// An operator may issue again at most what the lost cell had in net from here, so the classes of
// this cell get back no more than they gave.
Outcome apply(State& state, const WriteOff& lost) {
  if (!lost.cell || lost.cell == state.cell) return Outcome::malformed;
  Partner* partner = partner_of(state, lost.cell);
  if (partner == nullptr) return Outcome::too_many;
  if (partner->lost) return Outcome::done;
  Tickets rest = std::max<Tickets>(0, partner->sent - partner->received);
  Tickets sum = 0;
  for (const auto& share : lost.issue) {
    if (!is_movable(share.tickets)) return Outcome::malformed;
    if (share.tickets > rest) return Outcome::insufficient;
    rest -= share.tickets;
    sum += share.tickets;
  }
  if (sum > kTotalMax - state.totals.reissued) return Outcome::too_large;
  if (state.accounts.size() + partner->outgoing.size() + lost.issue.size() > State::kAccountsMax) {
    return Outcome::too_many;
  }
  while (!partner->outgoing.empty()) give_back(state, *partner, partner->outgoing.front().number);
  for (const auto& share : lost.issue) {
    put(state, share.class_id, {}, {.expires = lost.expires, .tickets = share.tickets});
  }
  state.totals.reissued += sum;
  partner->incoming.clear();
  partner->lost = true;
  return Outcome::applied;
}

}  // namespace dunlin::sched::books
