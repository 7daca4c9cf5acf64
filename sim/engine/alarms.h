// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <ns3/event-impl.h>
#include <ns3/ptr.h>

#include "sim/engine/members.h"

namespace dunlin::sim {

/// Wakes peers at their deadlines, by one timer each in ns-3's queue.
class Alarms {
 public:
  /// `wake` is called in the context of the peer, and must move its deadline. `members` must
  /// outlive this.
  Alarms(Members& members, std::function<void(std::uint32_t peer)> wake);
  Alarms(const Alarms&) = delete;
  Alarms& operator=(const Alarms&) = delete;

  /// The peer wants to be woken at `deadline`, and at no other time. Requires that members.now is
  /// now.
  void arm(std::uint32_t peer, Time deadline);

 private:
  /// One for all peers: the context of the event says which peer's turn it is.
  class Timer final : public ns3::EventImpl {
   public:
    explicit Timer(Alarms& alarms) : alarms_(alarms) {}

   private:
    void Notify() override;
    Alarms& alarms_;
  };

  /// Puts one more timer into ns-3's queue; none for kNever.
  void set_timer(std::uint32_t peer, Time due);
  /// A timer has fired: wakes the peer, sets a timer anew, or does nothing.
  void on_timer(std::uint32_t peer);

  Members& members_;
  std::function<void(std::uint32_t)> wake_;
  ns3::Ptr<Timer> timer_;
};

}  // namespace dunlin::sim
