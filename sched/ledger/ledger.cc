// SPDX-License-Identifier: MIT
#include "sched/ledger/ledger.h"

#include <algorithm>

#include "sched/ledger/audit.h"
#include "sched/ledger/savings.h"

// The frame of every command: epoch, time, and doing it once.
namespace dunlin::sched {

using books::Command;
Applied Ledger::apply(const Command& command) {
  const bool claims = std::holds_alternative<books::Claim>(command.action);
  if (command.epoch < state_.epoch || command.epoch == 0) return {.outcome = Outcome::stale_epoch};
  if (command.epoch > state_.epoch && !claims) return {.outcome = Outcome::unclaimed};
  state_.epoch = command.epoch;
  ++state_.counted;
  advance(command.at);
  Applied applied;
  applied.outcome = answer_once(command, applied.repeated);
  // What came back from another cell may have grown too old on its way.
  advance(state_.now);
  const auto broken = broken_invariant(state_);
  ensure(!broken, broken ? broken->c_str() : "");
  return applied;
}

books::Outcome Ledger::answer_once(const Command& command, bool& repeated) {
  const auto perform = [&] {
    return std::visit([this](const auto& action) { return act(action); }, command.action);
  };
  if (command.client == 0) return perform();  // The leader's own: by themselves done only once.

  books::Client& client = client_of(command.client);
  client.used = state_.counted;
  if (command.acknowledged > client.acknowledged && command.acknowledged < command.sequence) {
    client.acknowledged = command.acknowledged;
    std::erase_if(client.answers,
        [&](const books::Answer& answer) { return answer.sequence <= client.acknowledged; });
  }
  if (command.sequence <= client.acknowledged) return Outcome::forgotten;
  if (command.sequence - client.acknowledged > books::Client::kAnswersMax) return Outcome::ahead;
  const auto known =
      std::ranges::lower_bound(client.answers, command.sequence, {}, &books::Answer::sequence);
  if (known != client.answers.end() && known->sequence == command.sequence) {
    repeated = true;
    return known->outcome;
  }
  const Outcome outcome = perform();
  remember(client, command.sequence, outcome);
  return outcome;
}

void Ledger::remember(books::Client& client, std::uint64_t sequence, Outcome outcome) {
  const auto at = std::ranges::lower_bound(client.answers, sequence, {}, &books::Answer::sequence);
  client.answers.insert(at, {.sequence = sequence, .outcome = outcome});
}

// Room for a new client is made by the one not heard of longest. Should a command of its come once
// more, no harm is done: each is by itself done only once, but the outcome will say so.
books::Client& Ledger::client_of(std::uint64_t id) {
  auto& clients = state_.clients;
  const auto at = std::ranges::lower_bound(clients, id, {}, &books::Client::client);
  if (at != clients.end() && at->client == id) return *at;
  if (clients.size() == books::State::kClientsMax) {
    clients.erase(std::ranges::min_element(clients, {}, &books::Client::used));
  }
  books::Client fresh{.client = id, .acknowledged = 0, .used = 0, .answers = {}};
  return *clients.insert(std::ranges::lower_bound(clients, id, {}, &books::Client::client), fresh);
}

// A leader's clock may be behind that of the leader before it: time stands still then.
void Ledger::advance(Time now) {
  state_.now = std::max(state_.now, now);
  for (auto& account : state_.accounts) {
    state_.totals.expired += books::expire(account.deposits, state_.now);
  }
  std::erase_if(
      state_.accounts, [](const books::Account& account) { return account.deposits.empty(); });
  for (auto& node : state_.nodes) {
    if (node.release <= state_.now) node.grants.clear();
  }
  for (std::size_t i = state_.nodes.size(); i-- > 0;) {
    const auto& node = state_.nodes[i];
    if (node.leaving && node.grants.empty()) remove(node.node);
  }
}

Tickets Ledger::local_reserve(ClassId class_id, PeerId node) const {
  for (const auto& account : state_.accounts) {
    if (account.class_id == class_id && account.node == node) return sum_of(account.deposits);
  }
  return 0;
}

void Ledger::put(ClassId class_id, PeerId node, const books::Deposit& added) {
  const auto key = [](const books::Account& account) {
    return std::pair(account.class_id, account.node);
  };
  auto at = std::ranges::lower_bound(state_.accounts, std::pair(class_id, node), {}, key);
  if (at == state_.accounts.end() || key(*at) != std::pair(class_id, node)) {
    ensure(state_.accounts.size() < books::State::kAccountsMax, "an account too many");
    at = state_.accounts.insert(at, {.class_id = class_id, .node = node, .deposits = {}});
  }
  books::deposit(at->deposits, added, books::Account::kDepositsMax);
}

bool Ledger::can_put(ClassId class_id, PeerId node) const {
  return state_.accounts.size() < books::State::kAccountsMax || local_reserve(class_id, node) > 0;
}

}  // namespace dunlin::sched
