// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sched/raft/state_machine.h"

namespace dunlin::test {

/// Moves `amount` from an account to another, if it is there; once per id.
struct Transfer {
  std::uint64_t id = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t amount = 0;
};
std::string encode(const Transfer& transfer);

/// The commands that all replicas of a bank applied, in order: each must have applied the same.
class History {
 public:
  /// The command that a replica applied as its `number`-th, from 1, in the turn at hand ...
  void note(std::uint64_t number, std::string command) {
    turn_.emplace_back(number, std::move(command));
  }
  /// ... which is durable now, ...
  void commit();
  /// ... or was never heard of: its replica died.
  void crash() { turn_.clear(); }
  std::size_t size() const { return commands_.size(); }
  /// Empty if all is well.
  const std::string& violation() const { return violation_; }
  void violate(std::string what) {
    if (violation_.empty()) violation_ = std::move(what);
  }

 private:
  std::vector<std::pair<std::uint64_t, std::string>> turn_;
  std::vector<std::string> commands_;
  std::string violation_;
};

/// A bank to replicate. It checks at every step that no money is made or lost.
class BankMachine final : public sched::StateMachine {
 public:
  static constexpr std::size_t kAccounts = 8;
  static constexpr std::int64_t kEach = 100;

  /// Its snapshots are longer than they need be, by `padding` bytes.
  explicit BankMachine(History& history, std::size_t padding = 0)
      : history_(history),
        padding_(padding) {
    balances_.fill(kEach);
  }

  std::string apply(sched::Epoch epoch, std::string_view command) override;
  void claim(sched::Epoch epoch) override;
  std::string snapshot() const override;
  Result<void> restore(std::string_view bytes) override;

  bool did(std::uint64_t id) const { return ids_.contains(id); }
  std::uint64_t applied() const { return applied_; }
  std::uint64_t twice() const { return twice_; }

 private:
  void check();

  History& history_;
  std::size_t padding_;
  std::array<std::int64_t, kAccounts> balances_{};
  std::set<std::uint64_t> ids_;
  std::uint64_t applied_ = 0;
  std::uint64_t twice_ = 0;
  sched::Epoch epoch_ = 0;
};

}  // namespace dunlin::test
