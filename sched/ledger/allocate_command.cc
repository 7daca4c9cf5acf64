// SPDX-License-Identifier: MIT
#include "sched/ledger/allocate_command.h"

#include <map>
#include <utility>

#include "sched/ledger/accounts.h"
#include "sched/ledger/node_commands.h"
#include "sched/ledger/savings.h"

// An allocation is checked as a whole before any of it is applied, so that it never half happens.
// The checks are arithmetic, not trust: a sheet grants at most what its node has, the deposits at a
// node are at most what the node has, and draws are at most the balance. So a manager with a fault
// can be unfair, but cannot make tickets of nothing.
namespace dunlin::sched::books {
namespace {

bool fits(Tickets total, Tickets added) {
  return added <= kTotalMax - total;
}

// A sheet may replace one before its term is over. The node obeys one sheet at a time, and each is
// within what the node has.
Outcome check_sheets(const State& state, const Allocate& allocate) {
  MemberId before{};
  for (const auto& sheet : allocate.sheets) {
    // Sheets are sorted, so no node stands there twice.
    if (sheet.node <= before) return Outcome::malformed;
    before = sheet.node;
    const Node* worker = find_node(state, sheet.node);
    if (worker == nullptr || worker->leaving) return Outcome::unknown_node;
    Tickets rest = worker->tickets;
    const Share* last = nullptr;
    for (const auto& grant : sheet.grants) {
      if (!is_movable(grant.tickets)) return Outcome::malformed;
      if (last != nullptr && grant.class_id <= last->class_id) return Outcome::malformed;
      last = &grant;
      if (grant.tickets > rest) return Outcome::over_committed;
      rest -= grant.tickets;
    }
  }
  return Outcome::applied;
}

// Together, classes can leave no more unused at a node than it has. So deposits cannot make tickets
// of nothing.
Outcome check_deposits(const State& state, const Allocate& allocate) {
  std::map<MemberId, Tickets> rest;
  Tickets sum = 0;
  for (const auto& saving : allocate.deposits) {
    if (!is_movable(saving.tickets)) return Outcome::malformed;
    const Node* worker = find_node(state, saving.node);
    if (worker == nullptr || worker->leaving) return Outcome::unknown_node;
    Tickets& left = rest.try_emplace(saving.node, worker->tickets).first->second;
    if (saving.tickets > left) return Outcome::over_committed;
    left -= saving.tickets;
    sum += saving.tickets;
  }
  return fits(state.totals.issued, sum) ? Outcome::applied : Outcome::too_large;
}

Outcome check_draws(const State& state, const Allocate& allocate) {
  std::map<std::pair<ClassId, MemberId>, Tickets> rest;
  for (const auto& drawing : allocate.draws) {
    if (!is_movable(drawing.tickets)) return Outcome::malformed;
    const auto [at, fresh] = rest.try_emplace({drawing.class_id, drawing.node}, 0);
    if (fresh) at->second = savings_of(state, drawing.class_id, drawing.node);
    if (drawing.tickets > at->second) return Outcome::insufficient;
    at->second -= drawing.tickets;
  }
  return Outcome::applied;
}

// Counts the accounts that the deposits would open, each once, however many deposits go into it.
bool has_room_for(const State& state, const Allocate& allocate) {
  std::map<std::pair<ClassId, MemberId>, bool> opened;
  for (const auto& saving : allocate.deposits) {
    const MemberId place = saving.local ? saving.node : MemberId{};
    if (savings_of(state, saving.class_id, place) == 0) opened[{saving.class_id, place}] = true;
  }
  return state.accounts.size() + opened.size() <= State::kAccountsMax;
}

Outcome check(const State& state, const Allocate& allocate) {
  if (allocate.period <= state.period) return Outcome::old_period;
  if (allocate.release < allocate.until) return Outcome::malformed;
  for (const auto outcome : {check_sheets(state, allocate), check_deposits(state, allocate),
           check_draws(state, allocate)}) {
    if (outcome != Outcome::applied) return outcome;
  }
  return has_room_for(state, allocate) ? Outcome::applied : Outcome::too_many;
}

}  // namespace

Outcome apply(State& state, const Allocate& allocate) {
  if (const auto outcome = check(state, allocate); outcome != Outcome::applied) return outcome;
  state.period = allocate.period;
  // Draws come first: savings of this period must not pay for this period.
  for (const auto& drawing : allocate.draws) {
    for (auto& account : state.accounts) {
      if (account.class_id != drawing.class_id || account.node != drawing.node) continue;
      draw(account.deposits, drawing.tickets);
      state.totals.redeemed += drawing.tickets;
    }
  }
  for (const auto& sheet : allocate.sheets) {
    Node& worker = *find_node(state, sheet.node);
    worker.period = allocate.period;
    worker.until = allocate.until;
    worker.release = allocate.release;
    worker.grants = sheet.grants;
  }
  for (const auto& saving : allocate.deposits) {
    put(state, saving.class_id, saving.local ? saving.node : MemberId{},
        {.expires = saving.expires, .tickets = saving.tickets});
    state.totals.issued += saving.tickets;
  }
  return Outcome::applied;
}

}  // namespace dunlin::sched::books
