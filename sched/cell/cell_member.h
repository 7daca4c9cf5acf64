// SPDX-License-Identifier: MIT
#pragma once

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
/// the grants it gets until their term ends by its own clock, counted from before the manager could
/// have known. It is a member of one cell at a time, and obeys no epoch below the highest it has
/// heard of there.
class CellMember {
 public:
  enum class State : std::uint8_t { seeking, joining, member, leaving };

  CellMember(const CellParams& params, std::uint8_t level, PeerId self);

  /// Asks `cell` to be its member, by way of `contacts`. Requires that it is of this level.
  void join(Time now, CellId cell, std::span<const books::Contact> contacts);
  /// Gives all grants back, and goes.
  void leave(Time now);
  /// Once it has left, it looks for no other cell.
  void retire() { retired_ = true; }

  /// Sends what is due. `report()` gives what a Renew is to say of the period that ends.
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
  /// True if it is to found a cell: it found none with room for long enough, and chance chose it.
  bool founds() const { return founds_; }
  /// Until when its grants hold: they are over then.
  Time until() const { return until_; }
  /// By class; empty if their term is over.
  std::span<const cell::Grant> grants(Time now) const;
  std::uint64_t period() const { return period_; }
  /// Manager first, as far as is known, then voters.
  std::span<const books::Contact> contacts() const { return contacts_; }
  /// Leases of an epoch that was over, which were refused.
  std::uint64_t refused() const { return refused_; }

 private:
  struct Sent {
    std::uint64_t sequence = 0;
    Time when{};
  };

  void seek(const CellTurn& turn, const CellHints& hints);
  /// The chance to found a cell now.
  double chance_to_found(const CellHints& hints) const;
  /// Looks for another cell, but not for `avoid` again for a while.
  void start_over(Time now, CellId avoid);
  bool give_up(Time now);
  void send(const CellTurn& turn);
  void drop_grants();
  bool excluded(Time now, CellId cell) const;
  void learn_contacts(const cell::Lease& lease);
  void learn_manager(const cell::Lease& lease);
  bool take_grants(const cell::Lease& lease, Time sent);
  std::optional<Time> when_sent(std::uint64_t sequence) const;

  CellParams params_;
  PeerId self_;
  std::uint8_t level_;
  State state_ = State::seeking;
  bool retired_ = false;
  CellId cell_ = 0;
  Epoch epoch_ = 0;
  std::vector<books::Contact> contacts_;
  std::size_t asked_ = 0;  ///< Which contact is asked now.
  std::uint16_t tries_ = 0;
  bool answered_ = true;  ///< The last Renew.
  cell::MemberReport report_;
  std::uint64_t sequence_ = 0;
  std::array<Sent, 8> sent_{};
  Time next_{};  ///< When it wants to act; at once at first.
  Time patience_{};
  bool founds_ = false;
  bool turned_away_ = false;  ///< By a cell that was full, since it was a member.
  std::uint16_t draws_ = 0;   ///< That did not choose it so far.
  Time held_{};               ///< Until when the lease holds.
  std::uint64_t period_ = 0;
  std::vector<cell::Grant> grants_;
  Time until_{};
  CellId avoided_ = 0;  ///< It was full, or is no more.
  Time avoided_until_{};
  std::uint64_t refused_ = 0;
};

}  // namespace dunlin::sched
