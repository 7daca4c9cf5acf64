// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sched/kernel.h"
#include "sched/ledger/books.h"
#include "sched/ledger/transfer_commands.h"

namespace dunlin::sched {

/// The outcome of a command.
struct Applied {
  books::Outcome outcome = books::Outcome::applied;
  bool repeated = false;  ///< It had been applied before; the outcome is that of then.
};

/// The books of a cell: a state machine that each voter feeds with the committed commands of the
/// log, in their order. It knows no time and no chance but those in commands, so replicas are
/// equal. A command either does all it says or nothing; after each, the sums are checked in every
/// build.
///
/// Two kinds of tickets are kept. *Capacity*: a node brings its tickets and takes them away; they
/// are granted to classes, or lie in the node's pool. *Savings*: rights to capacity that a class
/// left unused; they are issued when deposited and end when drawn or expired, and may move between
/// cells. One kind would not do: a class saves while another uses its part of the node, so the same
/// ticket would be in two places.
/// Source: CS 736 slides, "Approach 2"; docs/design/sharing.md, "The books".
class Ledger {
 public:
  explicit Ledger(CellId cell) { state_.cell = cell; }

  Applied apply(const books::Command& command);

  const books::State& state() const { return state_; }

  /// The tickets in the account of a class in the bank.
  Tickets balance(ClassId class_id) const { return local_reserve(class_id, {}); }
  /// The tickets in a class's local reserve at a node.
  Tickets local_reserve(ClassId class_id, MemberId node) const;
  /// Nullptr if there is no such node.
  const books::Node* node(MemberId node) const;
  /// The tickets that a node has and does not grant.
  Tickets pool(MemberId node) const;
  /// True if a transfer from another cell was accepted, false if it was refused; empty if that is
  /// not decided or no longer known. Once committed, it may be told to the sender.
  std::optional<bool> verdict(CellId from, std::uint64_t number) const;
  /// See books::earlier_life().
  std::optional<books::EarlierLife> earlier_life(
      CellId from, std::uint64_t number, Tickets tickets) const;
  /// The number of the next transfer to a cell.
  std::uint64_t next_number(CellId to) const;
  /// The number for Accept::settled_below: the sender is done with all transfers below it.
  std::uint64_t settled_below(CellId to) const;

  /// The state as bytes: versioned, with a checksum. Equal states give equal bytes.
  std::string save() const;
  /// Fails with `corrupt`, saying what is wrong, on anything but what save() gave for this cell.
  /// The cure is to fetch a snapshot from another voter, never to guess.
  static Result<Ledger> load(std::string_view bytes, CellId cell);

 private:
  /// Moves the books' time on to `now`, and ends what has expired or is released by then.
  void advance(Time now);
  /// Performs a client's command once. If it comes again, it repeats the outcome.
  books::Outcome answer_once(const books::Command& command, bool& repeated);
  books::Outcome perform(const books::Command& command);
  books::Client& client_of(std::uint64_t id);

  books::State state_;
};

}  // namespace dunlin::sched
