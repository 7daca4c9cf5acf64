// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>

#include "sched/ledger/ledger.h"
#include "sched/ledger/savings.h"

// Savings that move between cells in two phases. The sender reserves; the receiver accepts or
// refuses, once; the sender settles or undoes. Until then they are under way: in no account, and
// not lost. Source: design, section 6.
namespace dunlin::sched {

namespace {

/// Transfers to one cell that may be under way. The receiver remembers so many decisions.
constexpr std::uint64_t kWindow = books::Partner::kOutgoingMax;
static_assert(kWindow == books::Partner::kIncomingMax);

auto outgoing_of(auto& partner, std::uint64_t number) {
  const auto at = std::ranges::lower_bound(partner.outgoing, number, {}, &books::Outgoing::number);
  return at != partner.outgoing.end() && at->number == number ? at : partner.outgoing.end();
}

std::uint64_t lowest_of(const books::Partner& partner) {
  return partner.outgoing.empty() ? partner.number_last + 1 : partner.outgoing.front().number;
}

}  // namespace

const books::Partner* Ledger::find_partner(CellId cell) const {
  const auto at = std::ranges::lower_bound(state_.partners, cell, {}, &books::Partner::cell);
  return at != state_.partners.end() && at->cell == cell ? &*at : nullptr;
}

books::Partner* Ledger::find_partner(CellId cell) {
  const auto at = std::ranges::lower_bound(state_.partners, cell, {}, &books::Partner::cell);
  return at != state_.partners.end() && at->cell == cell ? &*at : nullptr;
}

// Nullptr if there is no room for another one.
books::Partner* Ledger::partner_of(CellId cell) {
  if (books::Partner* known = find_partner(cell)) return known;
  if (state_.partners.size() == books::State::kPartnersMax) return nullptr;
  books::Partner fresh;
  fresh.cell = cell;
  const auto at = std::ranges::lower_bound(state_.partners, cell, {}, &books::Partner::cell);
  return &*state_.partners.insert(at, std::move(fresh));
}

std::uint64_t Ledger::next_number(CellId to) const {
  const books::Partner* partner = find_partner(to);
  return partner == nullptr ? 1 : partner->number_last + 1;
}

std::uint64_t Ledger::settled_below(CellId to) const {
  const books::Partner* partner = find_partner(to);
  return partner == nullptr ? 1 : lowest_of(*partner);
}

std::optional<bool> Ledger::verdict(CellId from, std::uint64_t number) const {
  const books::Partner* partner = find_partner(from);
  if (partner == nullptr) return std::nullopt;
  const auto at = std::ranges::find(partner->incoming, number, &books::Incoming::number);
  return at == partner->incoming.end() ? std::nullopt : std::optional(at->accepted);
}

books::Outcome Ledger::act(const books::HoldSavings& hold) {
  if (hold.to == 0 || hold.to == state_.cell || !is_movable(hold.tickets)) {
    return Outcome::malformed;
  }
  const std::uint64_t next = next_number(hold.to);
  const books::Partner* known = find_partner(hold.to);
  if (known != nullptr && known->lost) return Outcome::lost_cell;
  if (hold.number != next) return hold.number < next ? Outcome::done : Outcome::out_of_order;
  if (known != nullptr && next - lowest_of(*known) >= kWindow) return Outcome::too_many;
  if (balance(hold.class_id) < hold.tickets) return Outcome::insufficient;
  books::Partner* partner = partner_of(hold.to);
  if (partner == nullptr) return Outcome::too_many;

  books::Outgoing outgoing{.number = next, .class_id = hold.class_id, .deposits = {}};
  for (auto& account : state_.accounts) {
    if (account.class_id != hold.class_id || account.node) continue;
    for (const auto& part : books::draw(account.deposits, hold.tickets)) {
      books::deposit(outgoing.deposits, part, books::Outgoing::kDepositsMax);
    }
  }
  partner->number_last = next;
  partner->outgoing.push_back(std::move(outgoing));
  return Outcome::applied;
}

// What the sender is done with need not be remembered.
books::Outcome Ledger::decide(CellId from, std::uint64_t number, std::uint64_t settled_below) {
  if (from == 0 || from == state_.cell || number == 0 || settled_below > number) {
    return Outcome::malformed;
  }
  books::Partner* sender = partner_of(from);
  if (sender == nullptr) return Outcome::too_many;
  if (sender->lost) return Outcome::lost_cell;
  sender->settled_below = std::max(sender->settled_below, settled_below);
  std::erase_if(sender->incoming,
      [&](const books::Incoming& incoming) { return incoming.number < sender->settled_below; });
  if (number < sender->settled_below || verdict(from, number)) return Outcome::done;
  return number - sender->settled_below < kWindow ? Outcome::applied : Outcome::ahead;
}

books::Outcome Ledger::act(const books::Accept& accept) {
  if (!is_movable(accept.tickets) || accept.life < Duration{0}) return Outcome::malformed;
  const auto outcome = decide(accept.from, accept.number, accept.settled_below);
  if (outcome != Outcome::applied) return outcome;
  if (accept.tickets > kTotalMax - state_.totals.received) return Outcome::too_large;
  if (!can_put(accept.class_id, {})) return Outcome::too_many;
  books::Partner& sender = *find_partner(accept.from);
  const auto at =
      std::ranges::lower_bound(sender.incoming, accept.number, {}, &books::Incoming::number);
  sender.incoming.insert(
      at, {.number = accept.number, .accepted = true, .tickets = accept.tickets});
  sender.received += accept.tickets;
  state_.totals.received += accept.tickets;
  const Duration longest = kNever - state_.now;
  put(accept.class_id, {},
      {.expires = state_.now + std::min(accept.life, longest), .tickets = accept.tickets});
  return Outcome::applied;
}

books::Outcome Ledger::act(const books::Refuse& refuse) {
  const auto outcome = decide(refuse.from, refuse.number, refuse.settled_below);
  if (outcome != Outcome::applied) return outcome;
  books::Partner& sender = *find_partner(refuse.from);
  const auto at =
      std::ranges::lower_bound(sender.incoming, refuse.number, {}, &books::Incoming::number);
  sender.incoming.insert(at, {.number = refuse.number, .accepted = false, .tickets = 0});
  return Outcome::applied;
}

books::Outcome Ledger::act(const books::Settle& settle) {
  books::Partner* receiver = find_partner(settle.to);
  if (receiver == nullptr || settle.number > receiver->number_last) {
    return Outcome::unknown_transfer;
  }
  if (receiver->lost) return Outcome::lost_cell;
  const auto at = outgoing_of(*receiver, settle.number);
  if (at == receiver->outgoing.end()) return Outcome::done;
  const Tickets tickets = books::sum_of(at->deposits);
  if (tickets > kTotalMax - state_.totals.sent) return Outcome::too_large;
  receiver->sent += tickets;
  state_.totals.sent += tickets;
  receiver->outgoing.erase(at);
  return Outcome::applied;
}

books::Outcome Ledger::act(const books::Undo& undo) {
  books::Partner* receiver = find_partner(undo.to);
  if (receiver == nullptr || undo.number > receiver->number_last) return Outcome::unknown_transfer;
  if (receiver->lost) return Outcome::lost_cell;
  return give_back(*receiver, undo.number);
}

books::Outcome Ledger::give_back(books::Partner& partner, std::uint64_t number) {
  const auto at = outgoing_of(partner, number);
  if (at == partner.outgoing.end()) return Outcome::done;
  if (!can_put(at->class_id, {})) return Outcome::too_many;
  for (const auto& part : at->deposits) put(at->class_id, {}, part);
  partner.outgoing.erase(at);
  return Outcome::applied;
}

// What the lost cell had in net from here is all that an operator may issue again: the classes of
// this cell get back no more than they gave.
books::Outcome Ledger::act(const books::WriteOff& lost) {
  if (lost.cell == 0 || lost.cell == state_.cell) return Outcome::malformed;
  books::Partner* partner = partner_of(lost.cell);
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
  if (sum > kTotalMax - state_.totals.reissued) return Outcome::too_large;
  if (state_.accounts.size() + partner->outgoing.size() + lost.issue.size() >
      books::State::kAccountsMax) {
    return Outcome::too_many;
  }
  while (!partner->outgoing.empty()) give_back(*partner, partner->outgoing.front().number);
  for (const auto& share : lost.issue) {
    put(share.class_id, {}, {.expires = lost.expires, .tickets = share.tickets});
  }
  state_.totals.reissued += sum;
  partner->incoming.clear();
  partner->lost = true;
  return Outcome::applied;
}

}  // namespace dunlin::sched
