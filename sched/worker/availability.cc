// SPDX-License-Identifier: MIT
#include "sched/worker/availability.h"

#include <cstdint>

#include "sched/worker/loans/loans.h"
#include "sched/worker/reservations.h"
#include "sched/worker/running_tasks.h"
#include "sched/worker/slots.h"

namespace dunlin::sched {

void Availability::on_exits(Turn& turn, const Surroundings& around, std::span<const Exit> exits) {
  const std::string before = health_.reason();
  for (const Exit& exit : exits) health_.on_end(turn.now, exit.report);
  note_health(turn, around, before);
}

void Availability::on_verdict(
    Turn& turn, const Surroundings& around, HealthJudge judge, std::string_view why) {
  const std::string before = health_.reason();
  health_.on_verdict(turn.now, judge, why);
  note_health(turn, around, before);
}

void Availability::note_health(Turn& turn, const Surroundings& around, const std::string& before) {
  const std::string reason = health_.reason();
  if (reason == before) return;
  turn.events.on(HealthChanged{health_.sick(), reason});
  if (slots_.sick() == health_.sick()) return;
  slots_.fall_sick(health_.sick());
  if (!slots_.sick()) return;
  running_.give_back_waiting(turn);
  loans_.follow(turn);
  reservations_.leave(turn, around, BounceReason::sick);
}

bool Availability::drain(Turn& turn, const Surroundings& around, bool on) {
  if (slots_.draining() == on) return false;
  slots_.drain(on);
  turn.events.on(DrainChanged{on, static_cast<std::uint32_t>(running_.running().size())});
  if (on) reservations_.leave(turn, around, BounceReason::draining);
  return true;
}

void Availability::pause(Turn& turn, const Surroundings& around) {
  if (away_ != Duration{0}) return;
  away_ = params_.reattach_within;
  slots_.drain(true);
  reservations_.leave(turn, around, BounceReason::draining);
}

bool Availability::is_leaving() const {
  return slots_.draining() && away_ == Duration{0};
}

}  // namespace dunlin::sched
