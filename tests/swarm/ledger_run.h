// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sched/ledger/ledger.h"

namespace dunlin::test {

using sched::Applied;
using sched::CellId;
using sched::ClassId;
using sched::Duration;
using sched::Ledger;
using sched::Rng;
using sched::Tickets;
using sched::Time;
namespace books = sched::books;

/// A cell: a log of encoded commands, and replicas that are somewhere in it.
struct LoggedCell {
  LoggedCell(CellId name, std::size_t copies)
      : id(name),
        replicas(copies, Ledger(name)),
        positions(copies) {}

  CellId id;
  std::uint64_t epoch = 1;
  std::uint64_t sequence = 0;
  std::vector<std::string> log;
  std::vector<std::string> pending;  ///< Proposed, not yet in the log; may come more than once.
  std::vector<Ledger> replicas;      ///< The first is always at the end of the log.
  std::vector<std::size_t> positions;

  const Ledger& head() const { return replicas[0]; }
};

/// A message between cells about a transfer.
struct Letter {
  enum class Kind { offer, accepted, refused } kind = Kind::offer;
  CellId from;
  CellId to;
  std::uint64_t number = 0;
  ClassId class_id = 0;
  Tickets tickets = 0;
  Duration life{0};
  std::uint64_t settled_below = 1;
};

/// A run of some cells by chance, from one seed: leaders change, commands come twice, late or out
/// of order, and transfers go over a network that loses and doubles. After each step the whole is
/// checked; a failure is one of the test.
class LedgerRun {
 public:
  explicit LedgerRun(std::uint64_t seed);

  /// Goes so many steps. Then the network heals, and everything under way comes to its end.
  void run(int steps);

  std::size_t refused = 0;  ///< Commands of old epochs.
  std::size_t repeated = 0;
  std::size_t settled = 0;  ///< Transfers that arrived,
  std::size_t undone = 0;   ///< or came back.

 private:
  Tickets amount(std::uint32_t max);
  template <typename Action>
  void propose(LoggedCell& cell, Action action);
  void act(LoggedCell& cell);
  void allocate(LoggedCell& cell);
  void offer(LoggedCell& cell);
  /// All that is pending may be committed, in any order, once or more often.
  void commit(LoggedCell& cell);
  void append(LoggedCell& cell, const std::string& bytes);
  /// A replica applies the next command of the log.
  Applied advance(LoggedCell& cell, std::size_t replica);
  /// A committed decision may be told any number of times.
  void write_letters(const LoggedCell& cell);
  std::ptrdiff_t pick(std::size_t size);
  void deliver();
  void receive(const Letter& letter, bool refuses);
  /// Replicas fall behind, catch up, and start again from their own or the first one's snapshot.
  void disturb(LoggedCell& cell);
  /// apply() checks each ledger; this, that the whole is conserved at a consistent cut.
  void check();
  /// In the end the network heals: all letters arrive, all replicas are equal, nothing is under
  /// way.
  void settle_everything();
  void decide(const Letter& letter);

  Rng rng_;
  Time now_{};
  std::vector<LoggedCell> cells_;
  std::vector<Letter> letters_;
};

}  // namespace dunlin::test
