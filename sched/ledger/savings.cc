// SPDX-License-Identifier: MIT
#include "sched/ledger/savings.h"

#include <algorithm>

// Deposits are kept in the order in which they expire, so the oldest is drawn first and nothing
// expires that could have been used. A list that is too long joins its two oldest deposits; the
// earlier expiry holds for both, so that joining never lengthens a life.
// Source: CS 736 slides, "Bank Algorithm" (tickets have a time-stamp and expire at a certain age).
namespace dunlin::sched::books {

Tickets sum_of(const std::vector<Deposit>& deposits) {
  Tickets sum = 0;
  for (const Deposit& each : deposits) sum += each.tickets;
  return sum;
}

void deposit(std::vector<Deposit>& deposits, const Deposit& added, std::size_t count_max) {
  const auto at = std::ranges::lower_bound(deposits, added.expires, {}, &Deposit::expires);
  if (at != deposits.end() && at->expires == added.expires) {
    at->tickets += added.tickets;
    return;
  }
  deposits.insert(at, added);
  if (deposits.size() <= count_max) return;
  deposits[0].tickets += deposits[1].tickets;
  deposits.erase(deposits.begin() + 1);
}

std::vector<Deposit> draw(std::vector<Deposit>& deposits, Tickets tickets) {
  std::vector<Deposit> drawn;
  std::size_t emptied = 0;
  for (Deposit& each : deposits) {
    if (tickets == 0) break;
    const Tickets part = std::min(tickets, each.tickets);
    drawn.push_back({.expires = each.expires, .tickets = part});
    each.tickets -= part;
    tickets -= part;
    if (each.tickets == 0) ++emptied;
  }
  ensure(tickets == 0, "more is drawn than there is");
  deposits.erase(deposits.begin(), deposits.begin() + static_cast<std::ptrdiff_t>(emptied));
  return drawn;
}

// Sorted by expiry, so the expired ones are at the front.
Tickets expire(std::vector<Deposit>& deposits, Time now) {
  Tickets expired = 0;
  std::size_t count = 0;
  for (; count < deposits.size() && deposits[count].expires <= now; ++count) {
    expired += deposits[count].tickets;
  }
  deposits.erase(deposits.begin(), deposits.begin() + static_cast<std::ptrdiff_t>(count));
  return expired;
}

}  // namespace dunlin::sched::books
