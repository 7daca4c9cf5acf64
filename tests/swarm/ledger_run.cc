// SPDX-License-Identifier: MIT
#include "tests/swarm/ledger_run.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <type_traits>
#include <utility>

#include "sched/ledger/audit.h"
#include "sched/ledger/codec_books.h"
#include "tests/support/codec/codec_properties.h"

// Cells with leaders that change, commands that come twice, late or out of order, and transfers
// over a network that loses and doubles. Whatever happens, tickets are neither lost nor made.
namespace dunlin::test {
namespace {

constexpr std::size_t kCells = 3;
constexpr std::size_t kReplicas = 3;
constexpr std::uint64_t kNodes = 4;
constexpr std::uint32_t kClasses = 3;

}  // namespace

LedgerRun::LedgerRun(std::uint64_t seed) : rng_(seed) {
  for (std::uint64_t id = 1; id <= kCells; ++id) cells_.emplace_back(CellId{id}, kReplicas);
  for (LoggedCell& cell : cells_) {
    propose(cell, books::Claim{});
    for (std::uint64_t node = 1; node <= kNodes; ++node) {
      propose(cell, books::Mint{.node = sched::PeerId{node}, .tickets = amount(1000)});
    }
  }
}

void LedgerRun::run(int steps) {
  for (int step = 0; step < steps; ++step) {
    now_ += rng_.between(Duration{0}, std::chrono::seconds(2));
    LoggedCell& cell = cells_[rng_.index(kCells)];
    act(cell);
    deliver();
    commit(cell);
    disturb(cell);
    check();
    if (::testing::Test::HasFailure()) return;
  }
  settle_everything();
}

Tickets LedgerRun::amount(std::uint32_t max) {
  return 1 + static_cast<Tickets>(rng_.below(max));
}

template <typename Action>
void LedgerRun::propose(LoggedCell& cell, Action action) {
  books::Command command;
  // A deposed leader goes on proposing for a while.
  command.epoch = rng_.chance(0.1) && cell.epoch > 1 ? cell.epoch - 1 : cell.epoch;
  if constexpr (std::is_same_v<Action, books::Claim>) command.epoch = cell.epoch;
  command.at = now_;
  command.client = 1 + rng_.below(2);
  command.sequence = ++cell.sequence;
  command.acknowledged = cell.sequence > 40 ? cell.sequence - 40 : 0;
  command.action = std::move(action);
  std::string bytes;
  books::encode(command, bytes);
  cell.pending.push_back(std::move(bytes));
}

void LedgerRun::act(LoggedCell& cell) {
  switch (rng_.below(10)) {
    case 0:
      ++cell.epoch;
      return propose(cell, books::Claim{});
    case 1:
      return propose(cell,
          books::Mint{.node = sched::PeerId{1 + rng_.below(kNodes)}, .tickets = amount(1000)});
    case 2:
      return propose(cell,
          books::Burn{.node = sched::PeerId{1 + rng_.below(kNodes)}, .returned = rng_.chance(0.5)});
    case 3:
      return propose(cell,
          books::Return{
              .node = sched::PeerId{1 + rng_.below(kNodes)}, .period = cell.head().state().period});
    case 4:
    case 5:
      return offer(cell);
    default:
      return allocate(cell);
  }
}

void LedgerRun::allocate(LoggedCell& cell) {
  const books::State& state = cell.head().state();
  books::Allocate allocate;
  allocate.period = state.period + 1;
  allocate.until = now_ + std::chrono::seconds(3);
  allocate.release = now_ + std::chrono::seconds(4);
  for (const auto& node : state.nodes) {
    if (node.leaving || node.tickets == 0) continue;
    books::Sheet sheet{.node = node.node, .grants = {}};
    for (ClassId class_id = 0; class_id < kClasses; ++class_id) {
      const auto tickets = amount(static_cast<std::uint32_t>(node.tickets) / 2 + 1);
      sheet.grants.push_back({.class_id = class_id, .tickets = tickets});
      allocate.deposits.push_back({.node = node.node,
          .class_id = class_id,
          .tickets = tickets,
          .expires = now_ + rng_.between(Duration{0}, std::chrono::seconds(60)),
          .local = rng_.chance(0.2)});
    }
    allocate.sheets.push_back(std::move(sheet));
  }
  for (const auto& account : state.accounts) {
    if (rng_.chance(0.7)) continue;
    allocate.draws.push_back(
        {.class_id = account.class_id, .tickets = amount(300), .node = account.node});
  }
  propose(cell, allocate);
}

void LedgerRun::offer(LoggedCell& cell) {
  const CellId to{1 + rng_.below(kCells)};
  propose(cell,
      books::HoldSavings{.to = to,
          .number = cell.head().next_number(to),
          .class_id = rng_.below(kClasses),
          .tickets = amount(100)});
}

void LedgerRun::commit(LoggedCell& cell) {
  for (std::uint32_t i = 0; i < 3 && !cell.pending.empty(); ++i) {
    const std::size_t chosen = rng_.index(cell.pending.size());
    append(cell, cell.pending[chosen]);
    if (rng_.chance(0.75)) {
      cell.pending.erase(cell.pending.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
  }
  write_letters(cell);
  // The network loses most of them.
  while (letters_.size() > 12) letters_.erase(letters_.begin() + pick(letters_.size()));
}

void LedgerRun::append(LoggedCell& cell, const std::string& bytes) {
  cell.log.push_back(bytes);
  const Applied applied = advance(cell, 0);
  if (applied.repeated) ++repeated;
  if (applied.outcome == books::Outcome::stale_epoch) ++refused;
  if (applied.repeated || applied.outcome != books::Outcome::applied) return;
  const auto command = books::decode_command(dunlin::testing::bytes_of(bytes));
  if (std::holds_alternative<books::Settle>(command->action)) ++settled;
  if (std::holds_alternative<books::Undo>(command->action)) ++undone;
}

Applied LedgerRun::advance(LoggedCell& cell, std::size_t replica) {
  const auto command =
      books::decode_command(dunlin::testing::bytes_of(cell.log[cell.positions[replica]++]));
  EXPECT_TRUE(command);
  const auto before = cell.replicas[replica].state().epoch;
  const Applied applied = cell.replicas[replica].apply(*command);
  if (command->epoch < before) {
    EXPECT_EQ(applied.outcome, books::Outcome::stale_epoch);
  }
  return applied;
}

void LedgerRun::write_letters(const LoggedCell& cell) {
  for (const auto& partner : cell.head().state().partners) {
    for (const auto& outgoing : partner.outgoing) {
      Tickets tickets = 0;
      for (const auto& deposit : outgoing.deposits) tickets += deposit.tickets;
      letters_.push_back({.kind = Letter::Kind::offer,
          .from = cell.id,
          .to = partner.cell,
          .number = outgoing.number,
          .class_id = outgoing.class_id,
          .tickets = tickets,
          .life = std::chrono::seconds(20),
          .settled_below = cell.head().settled_below(partner.cell)});
    }
    for (const auto& incoming : partner.incoming) {
      letters_.push_back(
          {.kind = incoming.accepted ? Letter::Kind::accepted : Letter::Kind::refused,
              .from = cell.id,
              .to = partner.cell,
              .number = incoming.number});
    }
  }
}

std::ptrdiff_t LedgerRun::pick(std::size_t size) {
  return static_cast<std::ptrdiff_t>(rng_.index(size));
}

void LedgerRun::deliver() {
  if (letters_.empty()) return;
  const auto at = letters_.begin() + pick(letters_.size());
  const Letter letter = *at;
  if (rng_.chance(0.7)) letters_.erase(at);  // Otherwise it comes once more.
  receive(letter, rng_.chance(0.3));
}

void LedgerRun::receive(const Letter& letter, bool refuses) {
  LoggedCell& cell = cells_[letter.to.value - 1];
  switch (letter.kind) {
    case Letter::Kind::offer:
      if (refuses) {
        return propose(cell,
            books::Refuse{.from = letter.from,
                .number = letter.number,
                .settled_below = letter.settled_below});
      }
      return propose(cell,
          books::Accept{.from = letter.from,
              .number = letter.number,
              .class_id = letter.class_id,
              .tickets = letter.tickets,
              .life = letter.life,
              .settled_below = letter.settled_below});
    case Letter::Kind::accepted:
      return propose(cell, books::Settle{.to = letter.from, .number = letter.number});
    case Letter::Kind::refused:
      return propose(cell, books::Undo{.to = letter.from, .number = letter.number});
  }
}

void LedgerRun::disturb(LoggedCell& cell) {
  const std::size_t replica = rng_.index(kReplicas);
  const std::size_t from = rng_.chance(0.1) ? 0 : replica;
  if (rng_.chance(0.15)) {
    auto loaded = Ledger::load(cell.replicas[from].save(), cell.id);
    ASSERT_TRUE(loaded) << loaded.error().text;
    cell.replicas[replica] = std::move(*loaded);
    cell.positions[replica] = cell.positions[from];
  }
  for (std::uint32_t i = 0; i < rng_.below(8) && cell.positions[replica] < cell.log.size(); ++i) {
    advance(cell, replica);
  }
}

void LedgerRun::check() {
  std::vector<const books::State*> heads;
  for (const LoggedCell& cell : cells_) heads.push_back(&cell.head().state());
  const auto broken = sched::broken_between(heads);
  ASSERT_EQ(broken, std::nullopt) << *broken;
  const sched::Audit sum = sched::add_up(heads);
  ASSERT_TRUE(sched::balances(sum));
  // Between cells, what was sent is what was received: nothing else makes or ends tickets there.
  ASSERT_EQ(sum.sent, sum.received);
}

void LedgerRun::settle_everything() {
  for (LoggedCell& cell : cells_) {
    cell.pending.clear();
    ++cell.epoch;
    propose(cell, books::Claim{});
    append(cell, cell.pending[0]);
    cell.pending.clear();
  }
  for (int round = 0; round < 3; ++round) {
    for (LoggedCell& cell : cells_) {
      letters_.clear();
      write_letters(cell);
      for (const Letter& letter : std::exchange(letters_, {})) decide(letter);
    }
  }
  check();
  for (LoggedCell& cell : cells_) {
    EXPECT_EQ(sched::audit_of(cell.head().state()).in_flight, 0);
    for (std::size_t replica = 0; replica < kReplicas; ++replica) {
      while (cell.positions[replica] < cell.log.size()) advance(cell, replica);
      EXPECT_EQ(cell.replicas[replica].save(), cell.head().save()) << "replica " << replica;
    }
  }
}

void LedgerRun::decide(const Letter& letter) {
  LoggedCell& cell = cells_[letter.to.value - 1];
  cell.pending.clear();
  receive(letter, false);
  auto command = *books::decode_command(dunlin::testing::bytes_of(cell.pending[0]));
  command.epoch = cell.epoch;
  std::string bytes;
  books::encode(command, bytes);
  append(cell, bytes);
  cell.pending.clear();
}

}  // namespace dunlin::test
