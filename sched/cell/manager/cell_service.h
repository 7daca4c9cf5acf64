// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sched/cell/manager/leader_turn.h"

namespace dunlin::sched {

/// A service's way with a message.
enum class Handling : std::uint8_t {
  passed,   ///< Nothing: the message is for another service.
  handled,  ///< It acted on the message, or found that nothing is to be done.
  refused,  ///< It ignored the message: the sender has no say in the matter.
};

/// One thing that the manager of a cell does for the cell, such as the allocation of tickets.
///
/// A service lives for one epoch: it is made when this node is elected, and destroyed when it leads
/// no longer. So nothing in it must survive. The next manager begins with the books, and with
/// reports as they come. It changes the books by proposals alone, and tells no node of what is not
/// committed. It sleeps until it is used: what it does not override does nothing.
class CellService {
 public:
  virtual ~CellService() = default;

  /// A member reported, or a node that asks to be one. Its lease has been answered.
  virtual void on_report(const LeaderTurn&, const cell::MemberReport&) {}
  /// A period of cell.period is over; the first one as soon as this node is elected. Silent members
  /// are already evicted.
  virtual void on_period(const LeaderTurn&) {}
  virtual Handling on_message(const LeaderTurn&, const Endpoint&, const cell::Message&) {
    return Handling::passed;
  }
  /// A proposal of this manager is decided: of this service, or of another one.
  virtual void on_outcome(const LeaderTurn&, const Resolution&) {}
  /// When on_deadline() should be called, whatever the period does.
  virtual Time deadline() const { return kNever; }
  virtual void on_deadline(const LeaderTurn&) {}
};

/// The services of one manager, in the order in which they act.
class CellServices {
 public:
  /// `services` outlive this.
  explicit CellServices(std::vector<CellService*> services);

  void on_report(const LeaderTurn& turn, const cell::MemberReport& report);
  void on_period(const LeaderTurn& turn);
  /// Offers the message to one after the other, until one does not pass it on.
  Handling on_message(const LeaderTurn& turn, const Endpoint& from, const cell::Message& message);
  void on_outcome(const LeaderTurn& turn, const Resolution& outcome);
  /// The earliest of all.
  Time deadline() const;
  /// Calls those that are due.
  void on_deadline(const LeaderTurn& turn);

 private:
  std::vector<CellService*> services_;
};

}  // namespace dunlin::sched
