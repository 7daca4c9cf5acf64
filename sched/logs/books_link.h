// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sched/cell/message.h"
#include "sched/host.h"
#include "sched/logs/log_store.h"

namespace dunlin::sched {
struct PeerParts;
}

namespace dunlin::sched::logs {

/// Voters that bear the loss of one.
inline constexpr std::uint8_t kVotersSafe = 3;

/// A copy's way to the books that have the entry of its log: where they are, whether they have it,
/// and how many nodes keep them. What the entry says is for the copy.
///
/// Books that end give the entry to others, and say where. What is stored is the last place that
/// had it: until the next one says so, a node that starts again asks there.
class BooksLink {
 public:
  /// What an answer means.
  enum class Word : std::uint8_t {
    none,       ///< Nothing for this log, or no more than was known.
    elsewhere,  ///< Another node leads the books: ask again.
    entry,      ///< The entry, as committed.
    unknown,    ///< The books do not have the log.
  };

  /// `asked` is higher than any number of a request in earlier lives of this node.
  BooksLink(replica::LogFacts facts, std::uint64_t asked, Time now);

  const replica::LogFacts& facts() const { return facts_; }
  /// A home said where the books are.
  void learn(const Host& host, const LogBooks& books);
  /// The books' manager, or a replica of them, answered. `known` is the entry as this copy knows
  /// it.
  Word on_answer(const Host& host,
      const Endpoint& from,
      const cell::LogAnswer& answer,
      const replica::Entry& known);
  /// The books had the log when that was said: later answers that they do not have it count.
  void note_entry() {
    if (!known_since_) known_since_ = asked_;
  }
  bool had_entry() const { return known_since_.has_value(); }

  /// What a home knows of its entry, and of its jobs.
  struct HomeFacts {
    std::uint64_t version = 0;
    std::uint32_t epoch = 0;
    bool alone = false;             ///< No other is in a set that may stand in the books.
    std::uint32_t number_last = 0;  ///< The highest number of a job: the floor stays above it.
    std::size_t required = 0;       ///< Standbys without which no job is taken.
  };

  /// Puts the log of a home into the books of this node's cell, once there is one; then asks now
  /// and then how the entry stands.
  void keep(const PeerParts& parts, const Host& host, const HomeFacts& home);
  /// Asks how the entry stands, if nothing was heard of the home for too long.
  void ask(const PeerParts& parts, const Host& host);
  void hear_home(Time now);
  /// Asks, again and again, until floor() is known.
  void learn_floor(const PeerParts& parts, const Host& host);
  /// `handed_over`: the home itself asked for the takeover that is wished.
  void propose(const PeerParts& parts,
      const Host& host,
      const cell::LogWish& wish,
      bool handed_over = false);

  /// The books are given up: the home, alone from now on, puts the log into those of its own cell.
  void abandon(const Host& host);

  /// The books have the entry.
  bool opened() const { return opened_; }
  /// They have not answered for so long that they may be lost.
  bool is_silent(Time now) const;
  /// Nodes that keep the books, and know it. With two, each of them is needed to change anything.
  std::uint8_t voters() const { return voters_; }
  /// Those of them that the books' manager hears, if it tells them: builds before it did not.
  const std::optional<std::vector<cell::Keeper>>& voters_heard() const { return keepers_; }
  /// When they last answered.
  Time answered() const { return answered_; }
  /// The home may not tell a user that a job is taken before it knows more of the books: it asks
  /// now, and again soon.
  void hurry(Time now) { hurry_ = now + kHurry; }
  /// Jobs of the log's origin have numbers up to there, as the books know it.
  std::uint32_t floor() const { return floor_; }

 private:
  /// A user waits for so long at most before the books are asked as seldom as ever.
  static constexpr Duration kHurry = std::chrono::seconds(2);

  /// Where books are.
  struct Place {
    CellId cell;
    std::vector<books::Contact> contacts;
  };

  /// The log is to be in the books of this node's cell, or of another one, if that alone has the
  /// members to bear what a job requires.
  void choose_cell(const PeerParts& parts, const Host& host, std::size_t required);
  Place place() const { return next_ ? *next_ : Place{facts_.cell, facts_.contacts}; }
  /// The books at `place` have the entry.
  void settle(const Host& host, Place place);
  /// The books that answered gave the entry away.
  void move_on(const Host& host, const books::LogEntry& entry);
  /// True if books of another cell than the one asked must have the entry by now.
  bool is_found(Time now, const cell::LogAnswer& answer, const replica::Entry& known) const;
  /// Asks another cell, one after the other, if the books are silent for too long.
  bool search(const PeerParts& parts, const Host& host);
  void send(const Host& host,
      const Endpoint& to,
      CellId cell,
      const cell::LogWish& wish,
      bool handed_over = false);

  replica::LogFacts facts_;
  std::optional<Place> next_;  ///< The books that are to have the entry: they have not said so yet.
  bool opened_ = false;
  bool gone_ = false;  ///< The books do not have it, as they said, or as this node chose them.
  std::uint8_t voters_ = 0;
  std::optional<std::vector<cell::Keeper>> keepers_;
  Time hurry_{};  ///< The books are asked often up to then.
  std::uint32_t floor_ = 0;
  std::uint64_t asked_;  ///< The last request to the books.
  std::size_t unanswered_ = 0;
  std::size_t searched_ = 0;
  Time answered_;  ///< When the books last said something.
  /// The last request before the books were known to have the log.
  std::optional<std::uint64_t> known_since_;
  std::optional<Endpoint> manager_;
  Time next_open_{};
  Time asked_at_{};  ///< By a home, the last time.
  Time next_ask_;
};

}  // namespace dunlin::sched::logs
