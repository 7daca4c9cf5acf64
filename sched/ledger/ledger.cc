// SPDX-License-Identifier: MIT
#include "sched/ledger/ledger.h"

#include <algorithm>

#include "sched/ledger/accounts.h"
#include "sched/ledger/allocate_command.h"
#include "sched/ledger/audit.h"
#include "sched/ledger/node_commands.h"
#include "sched/ledger/transfer_commands.h"

// The frame around every command: its epoch, its time, and doing it once.
//
// A ledger is double-entry bookkeeping. Each command moves tickets from one place to another and
// adds to a total of what came or went; after each, in every build, the sum of the places must
// equal the totals. So a wrong command stops its voter at once, before the error spreads to
// workers.
// Two rules make retries safe. A new leader claims the books with its epoch, after which commands
// of older leaders are refused: no two managers ever allocate at the same time. And each client
// numbers its commands; the ledger remembers the outcomes that the client has not acknowledged, so
// that a command which comes twice is done once and answered twice.
namespace dunlin::sched {

using books::Command;

Applied Ledger::apply(const Command& command) {
  const bool claims = std::holds_alternative<books::Claim>(command.action);
  if (command.epoch < state_.epoch || command.epoch == 0)
    return {.outcome = books::Outcome::stale_epoch};
  if (command.epoch > state_.epoch && !claims) return {.outcome = books::Outcome::unclaimed};
  state_.epoch = command.epoch;
  ++state_.counted;
  advance(command.at);
  Applied applied;
  applied.outcome = answer_once(command, applied.repeated);
  // Savings that came back from another cell may have grown too old on its way.
  advance(state_.now);
  const auto broken = broken_invariant(state_);
  ensure(!broken, broken ? broken->c_str() : "");
  return applied;
}

books::Outcome Ledger::perform(const Command& command) {
  return std::visit(
      [&](const auto& action) {
        using Action = std::decay_t<decltype(action)>;
        // Both are there for their epoch and their time, which every command has.
        if constexpr (std::is_same_v<Action, books::Claim> || std::is_same_v<Action, books::Tick>) {
          return books::Outcome::applied;
        } else {
          return books::apply(state_, action);
        }
      },
      command.action);
}

books::Outcome Ledger::answer_once(const Command& command, bool& repeated) {
  // The leader's own commands have no client. Each is by its nature done only once.
  if (command.client == 0) return perform(command);

  books::Client& client = client_of(command.client);
  client.used = state_.counted;
  if (command.acknowledged > client.acknowledged && command.acknowledged < command.sequence) {
    client.acknowledged = command.acknowledged;
    std::erase_if(client.answers,
        [&](const books::Answer& answer) { return answer.sequence <= client.acknowledged; });
  }
  if (command.sequence <= client.acknowledged) return books::Outcome::forgotten;
  if (command.sequence - client.acknowledged > books::Client::kAnswersMax)
    return books::Outcome::ahead;
  const auto known =
      std::ranges::lower_bound(client.answers, command.sequence, {}, &books::Answer::sequence);
  if (known != client.answers.end() && known->sequence == command.sequence) {
    repeated = true;
    return known->outcome;
  }
  const books::Outcome outcome = perform(command);
  client.answers.insert(known, {.sequence = command.sequence, .outcome = outcome});
  return outcome;
}

// The client that was not heard of longest makes room for a new one. If one of its commands comes
// again, no harm is done: each is by its nature done only once, but the outcome then says so.
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

// A leader's clock may be behind that of the leader before it. Then time stands still.
void Ledger::advance(Time now) {
  state_.now = std::max(state_.now, now);
  books::expire_accounts(state_);
  books::release_grants(state_);
}

Tickets Ledger::local_reserve(ClassId class_id, MemberId node) const {
  return books::savings_of(state_, class_id, node);
}
const books::Node* Ledger::node(MemberId node) const {
  return books::find_node(state_, node);
}
Tickets Ledger::pool(MemberId node) const {
  return books::pool_of(state_, node);
}
std::optional<bool> Ledger::verdict(CellId from, std::uint64_t number) const {
  return books::verdict_of(state_, from, number);
}
std::uint64_t Ledger::next_number(CellId to) const {
  return books::next_number(state_, to);
}
std::optional<books::EarlierLife> Ledger::earlier_life(
    CellId from, std::uint64_t number, Tickets tickets) const {
  return books::earlier_life(state_, from, number, tickets);
}

std::uint64_t Ledger::settled_below(CellId to) const {
  return books::settled_below(state_, to);
}

}  // namespace dunlin::sched
