// SPDX-License-Identifier: MIT
#include "sched/ledger/node_commands.h"

#include <algorithm>
#include <vector>

#include "sched/ledger/accounts.h"

// A node that leaves may have granted tickets to tasks that still run, so it stays in the books,
// *leaving*, until its grants have ended or come back: its tickets never vanish while a class may
// use them. Savings that classes kept in reserve at the node remain theirs: they move to the
// classes' accounts in the bank.
namespace dunlin::sched::books {
namespace {

void remove(State& state, MemberId leaver) {
  const auto at = std::ranges::lower_bound(state.nodes, leaver, {}, &Node::node);
  state.totals.burned += at->tickets;
  state.nodes.erase(at);
  std::vector<Account> reserves;
  for (const auto& account : state.accounts) {
    if (account.node == leaver) reserves.push_back(account);
  }
  std::erase_if(state.accounts, [&](const auto& account) { return account.node == leaver; });
  for (const auto& account : reserves) {
    for (const auto& deposit : account.deposits) put(state, account.class_id, {}, deposit);
  }
}

}  // namespace

const Node* find_node(const State& state, MemberId node) {
  const auto at = std::ranges::lower_bound(state.nodes, node, {}, &Node::node);
  return at != state.nodes.end() && at->node == node ? &*at : nullptr;
}

Node* find_node(State& state, MemberId node) {
  const auto at = std::ranges::lower_bound(state.nodes, node, {}, &Node::node);
  return at != state.nodes.end() && at->node == node ? &*at : nullptr;
}

Tickets pool_of(const State& state, MemberId node) {
  const Node* const known = find_node(state, node);
  if (known == nullptr) return 0;
  Tickets rest = known->tickets;
  for (const auto& grant : known->grants) rest -= grant.tickets;
  return rest;
}

Outcome apply(State& state, const Mint& mint) {
  if (mint.tickets < 0 || mint.tickets > kTicketsMax || !mint.node) return Outcome::malformed;
  if (find_node(state, mint.node) != nullptr) return Outcome::known_node;
  if (state.nodes.size() == State::kNodesMax) return Outcome::too_many;
  if (mint.tickets > kTotalMax - state.totals.minted) return Outcome::too_large;
  const auto at = std::ranges::lower_bound(state.nodes, mint.node, {}, &Node::node);
  state.nodes.insert(at,
      {.node = mint.node,
          .tickets = mint.tickets,
          .leaving = false,
          .period = 0,
          .until = {},
          .release = {},
          .grants = {}});
  state.totals.minted += mint.tickets;
  return Outcome::applied;
}

// A worker may still obey its grants, so tickets are burned only when the grants are over.
Outcome apply(State& state, const Burn& burn) {
  Node* leaver = find_node(state, burn.node);
  if (leaver == nullptr) return Outcome::unknown_node;
  leaver->leaving = true;
  if (burn.returned) leaver->grants.clear();
  if (leaver->grants.empty()) remove(state, burn.node);
  return Outcome::applied;
}

Outcome apply(State& state, const Return& returned) {
  Node* worker = find_node(state, returned.node);
  if (worker == nullptr) return Outcome::unknown_node;
  // A return of an older period came late: the worker has a newer sheet by now.
  if (worker->period != returned.period) return Outcome::old_period;
  worker->grants.clear();
  if (worker->leaving) remove(state, returned.node);
  return Outcome::applied;
}

void release_grants(State& state) {
  for (auto& node : state.nodes) {
    if (node.release <= state.now) node.grants.clear();
  }
  for (std::size_t i = state.nodes.size(); i-- > 0;) {
    const auto& node = state.nodes[i];
    if (node.leaving && node.grants.empty()) remove(state, node.node);
  }
}

}  // namespace dunlin::sched::books
