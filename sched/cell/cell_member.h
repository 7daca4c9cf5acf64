// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "sched/cell/cell_hints.h"
#include "sched/cell/cell_turn.h"
#include "sched/cell/params.h"
#include "sched/raft/state_machine.h"

namespace dunlin::sched {

/// A member of a cell of one level, or one to be: a node, or a cell for which its manager speaks.
///
/// It looks for a cell with room, joins it, renews its lease each period with a report, and keeps
/// the grants it gets until their term ends by its own clock. It is a member of one cell at a time,
/// and obeys no epoch below the highest it has heard of there.
class CellMember {
 public:
  enum class State : std::uint8_t {
    seeking,  ///< It has no cell, and looks for one unless it is retired.
    joining,  ///< It asks a cell to admit it.
    member,   ///< The books of its cell have it.
    leaving,  ///< It gave its grants back, and waits for the books to let it go.
  };

  CellMember(const CellParams& params, std::uint8_t level, MemberId self);

  /// What it was to a cell that it joins.
  enum class Joins : std::uint8_t {
    anew,   ///< Nothing: if no manager answers soon, it looks for another cell.
    again,  ///< Most likely its member, as the books say: it waits for a manager as members do.
  };
  /// Asks `cell` to be its member, by way of `contacts`. Requires that it is of this level.
  void join(
      Time now, CellId cell, std::span<const books::Contact> contacts, Joins joins = Joins::anew);
  /// Gives all grants back, and goes.
  void leave(Time now);
  /// Is no member any more, without a word. Looks for another cell, but not for `avoid` again for a
  /// while.
  void start_over(Time now, CellId avoid);
  /// Once it has left, it looks for no other cell. It reports at once, so that its manager knows
  /// that its node goes.
  void retire(Time now) {
    retired_ = true;
    next_ = std::min(next_, now);
  }

  /// Sends what is due. `report()` makes the report on the period that ends.
  template <typename Report>
  void wake(const CellTurn& turn, const CellHints& hints, Report&& report) {
    if (state_ == State::seeking) seek(turn, hints);
    if (state_ == State::seeking || turn.now < next_) return;
    if (give_up(turn.now)) return;
    const bool fresh = state_ != State::member || answered_;
    if (fresh) report_ = report();
    send(turn);
  }
  /// True if it changed what holds here.
  bool receive(const CellTurn& turn, const cell::Lease& lease);

  Time deadline() const { return retired_ && state_ == State::seeking ? kNever : next_; }

  State state() const { return state_; }
  /// The cell it is a member of, or wants to be or was; 0 while it seeks one.
  CellId cell() const { return cell_; }
  /// True if it looks for a cell.
  bool seeks() const { return state_ == State::seeking && !retired_; }
  bool is_member() const { return state_ == State::member; }
  Epoch epoch() const { return epoch_; }
  /// True if it is to establish a cell: it found none with room for long enough, and chance chose
  /// it.
  bool establishes() const { return establishes_; }
  /// Until when its grants hold: they are over then.
  Time until() const { return until_; }
  /// True if it is a member, and its manager has renewed its lease lately.
  bool leased(Time now) const { return is_member() && now < held_; }
  /// Grants by class; empty if their term is over. Zero for a class that waits and was granted
  /// none; one that is not there did not wait.
  std::span<const cell::Grant> grants(Time now) const;
  std::uint64_t period() const { return period_; }
  /// Manager first, as far as is known, then voters.
  std::span<const books::Contact> contacts() const { return contacts_; }
  /// The number of leases that came from an epoch that was over: they were ignored.
  std::uint64_t refused() const { return refused_; }

 private:
  struct Sent {
    std::uint64_t sequence = 0;
    Time when{};
  };

  void seek(const CellTurn& turn, const CellHints& hints);
  double chance_to_establish(const CellHints& hints) const;
  bool give_up(Time now);
  void send(const CellTurn& turn);
  void drop_grants();
  bool excluded(Time now, CellId cell) const;
  void learn_contacts(const cell::Lease& lease);
  void learn_manager(const cell::Lease& lease);
  bool take_grants(const cell::Lease& lease, Time sent);
  std::optional<Time> when_sent(std::uint64_t sequence) const;

  CellParams params_;
  MemberId self_;
  std::uint8_t level_;
  State state_ = State::seeking;
  bool retired_ = false;
  CellId cell_;
  Epoch epoch_ = 0;
  std::vector<books::Contact> contacts_;
  std::size_t asked_ = 0;    ///< Which contact is asked now.
  std::uint16_t tries_ = 0;  ///< Reports sent in a row that got no answer.
  bool answered_ = true;     ///< The last report was.
  cell::MemberReport report_;
  std::uint64_t sequence_ = 0;
  std::array<std::optional<Sent>, 8> sent_;  ///< The last reports: a lease may answer any.
  Time next_{};                              ///< When it wants to act; at once at first.
  std::optional<Time> patience_;  ///< Chance may choose it from then on; empty until it seeks.
  bool establishes_ = false;
  Joins joins_ = Joins::anew;
  bool turned_away_ = false;  ///< By a cell that was full, since it was a member.
  std::uint16_t draws_ = 0;   ///< Times that chance decided against it so far.
  Time held_{};               ///< The lease holds until then.
  std::uint64_t period_ = 0;
  std::vector<cell::Grant> grants_;
  Time until_{};
  CellId avoided_;  ///< It was full, or is no more.
  Time avoided_until_{};
  std::uint64_t refused_ = 0;
};

/// True if that node is one of the member's contacts: only its answers count.
inline bool asks(const CellMember& member, PeerId node) {
  return std::ranges::count(member.contacts(), node, &books::Contact::node) > 0;
}

}  // namespace dunlin::sched
