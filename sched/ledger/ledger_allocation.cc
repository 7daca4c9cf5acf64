// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include "sched/ledger/ledger.h"
#include "sched/ledger/savings.h"

// Nodes, their grants, and what classes save and draw.
namespace dunlin::sched {

namespace {

bool fits(Tickets total, Tickets added) {
  return added <= kTotalMax - total;
}

}  // namespace

const books::Node* Ledger::node(PeerId node) const {
  const auto at = std::ranges::lower_bound(state_.nodes, node, {}, &books::Node::node);
  return at != state_.nodes.end() && at->node == node ? &*at : nullptr;
}

books::Node* Ledger::find_node(PeerId node) {
  const auto at = std::ranges::lower_bound(state_.nodes, node, {}, &books::Node::node);
  return at != state_.nodes.end() && at->node == node ? &*at : nullptr;
}

Tickets Ledger::pool(PeerId id) const {
  const books::Node* found = node(id);
  if (found == nullptr) return 0;
  Tickets rest = found->tickets;
  for (const auto& grant : found->grants) rest -= grant.tickets;
  return rest;
}

books::Outcome Ledger::act(const books::Mint& mint) {
  if (mint.tickets < 0 || mint.tickets > kTicketsMax || !mint.node) return Outcome::malformed;
  if (node(mint.node) != nullptr) return Outcome::known_node;
  if (state_.nodes.size() == books::State::kNodesMax) return Outcome::too_many;
  if (!fits(state_.totals.minted, mint.tickets)) return Outcome::too_large;
  const auto at = std::ranges::lower_bound(state_.nodes, mint.node, {}, &books::Node::node);
  state_.nodes.insert(at,
      {.node = mint.node,
          .tickets = mint.tickets,
          .leaving = false,
          .period = 0,
          .until = {},
          .release = {},
          .grants = {}});
  state_.totals.minted += mint.tickets;
  return Outcome::applied;
}

books::Outcome Ledger::act(const books::Burn& burn) {
  books::Node* leaver = find_node(burn.node);
  if (leaver == nullptr) return Outcome::unknown_node;
  leaver->leaving = true;
  if (burn.returned) leaver->grants.clear();
  if (leaver->grants.empty()) remove(burn.node);
  return Outcome::applied;
}

// What classes kept in reserve there is theirs still: it goes to their accounts in the bank.
void Ledger::remove(PeerId leaver) {
  const auto at = std::ranges::lower_bound(state_.nodes, leaver, {}, &books::Node::node);
  state_.totals.burned += at->tickets;
  state_.nodes.erase(at);
  std::vector<books::Account> reserves;
  for (const auto& account : state_.accounts) {
    if (account.node == leaver) reserves.push_back(account);
  }
  std::erase_if(state_.accounts, [&](const auto& account) { return account.node == leaver; });
  for (const auto& account : reserves) {
    for (const auto& deposit : account.deposits) put(account.class_id, {}, deposit);
  }
}

books::Outcome Ledger::act(const books::Return& returned) {
  books::Node* worker = find_node(returned.node);
  if (worker == nullptr) return Outcome::unknown_node;
  if (worker->period != returned.period) return Outcome::old_period;
  worker->grants.clear();
  if (worker->leaving) remove(returned.node);
  return Outcome::applied;
}

// A sheet may replace one whose term is not over: its node obeys one sheet at a time, and each of
// them is within what the node has.
books::Outcome Ledger::check_sheets(const books::Allocate& allocate) const {
  PeerId before{};
  for (const auto& sheet : allocate.sheets) {
    if (sheet.node <= before) return Outcome::malformed;  // Sorted, so none stands there twice.
    before = sheet.node;
    const books::Node* worker = node(sheet.node);
    if (worker == nullptr || worker->leaving) return Outcome::unknown_node;
    Tickets rest = worker->tickets;
    const books::Share* last = nullptr;
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

// At a node, classes can together leave no more unused than there is: so nobody makes tickets of
// nothing.
books::Outcome Ledger::check_deposits(const books::Allocate& allocate) const {
  std::map<PeerId, Tickets> rest;
  Tickets sum = 0;
  for (const auto& saving : allocate.deposits) {
    if (!is_movable(saving.tickets)) return Outcome::malformed;
    const books::Node* worker = node(saving.node);
    if (worker == nullptr || worker->leaving) return Outcome::unknown_node;
    Tickets& left = rest.try_emplace(saving.node, worker->tickets).first->second;
    if (saving.tickets > left) return Outcome::over_committed;
    left -= saving.tickets;
    sum += saving.tickets;
  }
  return fits(state_.totals.issued, sum) ? Outcome::applied : Outcome::too_large;
}

books::Outcome Ledger::check_draws(const books::Allocate& allocate) const {
  std::map<std::pair<ClassId, PeerId>, Tickets> rest;
  for (const auto& drawing : allocate.draws) {
    if (!is_movable(drawing.tickets)) return Outcome::malformed;
    const auto [at, fresh] = rest.try_emplace({drawing.class_id, drawing.node}, 0);
    if (fresh) at->second = local_reserve(drawing.class_id, drawing.node);
    if (drawing.tickets > at->second) return Outcome::insufficient;
    at->second -= drawing.tickets;
  }
  return Outcome::applied;
}

bool Ledger::has_room_for(const books::Allocate& allocate) const {
  std::map<std::pair<ClassId, PeerId>, bool> opened;
  for (const auto& saving : allocate.deposits) {
    const PeerId place = saving.local ? saving.node : PeerId{};
    if (local_reserve(saving.class_id, place) == 0) opened[{saving.class_id, place}] = true;
  }
  return state_.accounts.size() + opened.size() <= books::State::kAccountsMax;
}

books::Outcome Ledger::check(const books::Allocate& allocate) const {
  if (allocate.period <= state_.period) return Outcome::old_period;
  if (allocate.release < allocate.until) return Outcome::malformed;
  for (const auto outcome :
      {check_sheets(allocate), check_deposits(allocate), check_draws(allocate)}) {
    if (outcome != Outcome::applied) return outcome;
  }
  return has_room_for(allocate) ? Outcome::applied : Outcome::too_many;
}

books::Outcome Ledger::act(const books::Allocate& allocate) {
  if (const auto outcome = check(allocate); outcome != Outcome::applied) return outcome;
  state_.period = allocate.period;
  for (const auto& drawing : allocate.draws) {
    for (auto& account : state_.accounts) {
      if (account.class_id != drawing.class_id || account.node != drawing.node) continue;
      books::draw(account.deposits, drawing.tickets);
      state_.totals.redeemed += drawing.tickets;
    }
  }
  for (const auto& sheet : allocate.sheets) {
    books::Node& worker = *find_node(sheet.node);
    worker.period = allocate.period;
    worker.until = allocate.until;
    worker.release = allocate.release;
    worker.grants = sheet.grants;
  }
  for (const auto& saving : allocate.deposits) {
    put(saving.class_id, saving.local ? saving.node : PeerId{},
        {.expires = saving.expires, .tickets = saving.tickets});
    state_.totals.issued += saving.tickets;
  }
  return Outcome::applied;
}

}  // namespace dunlin::sched
