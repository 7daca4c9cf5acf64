// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sched/kernel.h"
#include "sched/ledger/books.h"

namespace dunlin::sched {

/// What became of a command.
struct Applied {
  books::Outcome outcome = books::Outcome::applied;
  bool repeated = false;  ///< It had been applied before: this is what came of it then.
};

/// The books of a cell: a state machine that each voter feeds with the committed commands of the
/// log, in their order. It knows no time and no chance but those in commands, so replicas are
/// equal. A command either does all it says or nothing; after each, the sums are checked in every
/// build. Two kinds of tickets are kept. *Capacity*: a node brings its tickets and takes them away;
/// they are granted to classes, or lie in the node's pool. *Savings*: rights to capacity that a
/// class left unused; they are issued when deposited and end when drawn or expired, and may move
/// between cells. Source: design, section 6; CS 736 slides, "Approach 2".
class Ledger {
 public:
  explicit Ledger(CellId cell) { state_.cell = cell; }

  Applied apply(const books::Command& command);

  const books::State& state() const { return state_; }

  /// In the account of a class in the bank.
  Tickets balance(ClassId class_id) const { return local_reserve(class_id, {}); }
  /// In its local reserve at a node.
  Tickets local_reserve(ClassId class_id, PeerId node) const;
  /// Nullptr if there is no such node.
  const books::Node* node(PeerId node) const;
  /// What a node has and does not grant.
  Tickets pool(PeerId node) const;
  /// Whether a transfer from another cell was accepted; empty if it is not decided or no longer
  /// known. This, once committed, is what may be told to the sender.
  std::optional<bool> verdict(CellId from, std::uint64_t number) const;
  /// The number of the next transfer to a cell.
  std::uint64_t next_number(CellId to) const;
  /// What to say in Accept::settled_below: the sender is done with all transfers below.
  std::uint64_t settled_below(CellId to) const;

  /// The state as bytes: versioned, with a checksum. Equal states give equal bytes.
  std::string save() const;
  /// Fails with `corrupt`, saying what is wrong, on anything but what save() gave for this cell.
  /// The cure is to fetch a snapshot from another voter, never to guess.
  static Result<Ledger> load(std::string_view bytes, CellId cell);

 private:
  using Outcome = books::Outcome;

  void advance(Time now);
  Outcome answer_once(const books::Command& command, bool& repeated);
  void remember(books::Client& client, std::uint64_t sequence, Outcome outcome);
  books::Client& client_of(std::uint64_t id);

  Outcome act(const books::Claim&) { return Outcome::applied; }
  Outcome act(const books::Tick&) { return Outcome::applied; }
  Outcome act(const books::Mint& mint);
  Outcome act(const books::Burn& burn);
  Outcome act(const books::Allocate& allocate);
  Outcome act(const books::Return& returned);
  Outcome act(const books::HoldSavings& hold);
  Outcome act(const books::Accept& accept);
  Outcome act(const books::Refuse& refuse);
  Outcome act(const books::Settle& settle);
  Outcome act(const books::Undo& undo);
  Outcome act(const books::WriteOff& lost);

  Outcome check(const books::Allocate& allocate) const;
  Outcome check_sheets(const books::Allocate& allocate) const;
  Outcome check_deposits(const books::Allocate& allocate) const;
  Outcome check_draws(const books::Allocate& allocate) const;
  bool has_room_for(const books::Allocate& allocate) const;

  books::Node* find_node(PeerId node);
  void remove(PeerId node);
  books::Partner* find_partner(CellId cell);
  const books::Partner* find_partner(CellId cell) const;
  books::Partner* partner_of(CellId cell);
  Outcome decide(CellId from, std::uint64_t number, std::uint64_t settled_below);
  Outcome give_back(books::Partner& partner, std::uint64_t number);
  void put(ClassId class_id, PeerId node, const books::Deposit& added);
  bool can_put(ClassId class_id, PeerId node) const;

  books::State state_;
};

}  // namespace dunlin::sched
