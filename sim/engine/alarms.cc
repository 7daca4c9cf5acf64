// SPDX-License-Identifier: MIT
#include "sim/engine/alarms.h"

#include <algorithm>
#include <ns3/simulator.h>
#include <utility>

#include "overlay/ensure.h"
#include "sim/clock.h"

// A peer's deadline moves at nearly every turn, and mostly away: to take a timer out of ns-3's
// queue and put another one in would cost more than the turn. So a deadline that moved away leaves
// the timer alone. It fires in vain, sees when the deadline is, and is set anew. A deadline that
// came nearer gets a second timer. The first one fires as well; it finds that Alarm::due is not
// now, and does nothing.
namespace dunlin::sim {

Alarms::Alarms(Members& members, std::function<void(std::uint32_t)> wake)
    : members_(members),
      wake_(std::move(wake)),
      timer_(ns3::Create<Timer>(*this)) {}

void Alarms::arm(std::uint32_t peer, Time deadline) {
  Alarm& alarm = members_[peer].alarm;
  alarm.deadline = std::max(deadline, members_.now);
  if (alarm.due > alarm.deadline) set_timer(peer, alarm.deadline);
}

void Alarms::set_timer(std::uint32_t peer, Time due) {
  members_[peer].alarm.due = due;
  if (due == overlay::kNever) return;
  timer_->Ref();  // The queue's, which lets go of it when it has fired.
  ns3::Simulator::ScheduleWithContext(peer, to_ns3(due - members_.now), ns3::PeekPointer(timer_));
}

void Alarms::Timer::Notify() {
  alarms_.on_timer(ns3::Simulator::GetContext());
}

void Alarms::on_timer(std::uint32_t peer) {
  members_.now = now();
  Alarm& alarm = members_[peer].alarm;
  if (alarm.due != members_.now) return;
  alarm.due = overlay::kNever;
  if (alarm.deadline > members_.now) return set_timer(peer, alarm.deadline);
  wake_(peer);
  ensure(alarm.deadline > members_.now, "a deadline that waking does not move");
}

}  // namespace dunlin::sim
