// SPDX-License-Identifier: MIT
#include "tests/swarm/clocks/clock_watch.h"

#include <algorithm>
#include <variant>

#include "sched/frontend/outlook.h"
#include "sched/peer_view.h"
#include "tests/swarm/replica_watch.h"

namespace dunlin::test {

void ClockWatch::note(const JobId& job) {
  submitted_[job] = world_.now();
}

Duration ClockWatch::apart() const {
  Duration first = Duration::max();
  Duration last{0};
  for (std::size_t node = 0; node < world_.size(); ++node) {
    first = std::min(first, world_.config(node).clock);  // A clock gains and never loses.
    last = std::max(last, world_.ahead(node));
  }
  return last - std::min(first, last);
}

void ClockWatch::on_event(std::size_t node, const sched::Event& event) {
  const auto* const missed = std::get_if<sched::DeadlineMissed>(&event);
  if (missed == nullptr) return;
  const auto submitted = submitted_.find(missed->job);
  const sched::JobState* const job = sched::find_job(world_.peer(node), missed->job);
  if (submitted == submitted_.end() || job == nullptr) return;
  const Time due = sched::due_of(*job);
  if (due == sched::kNever) return;
  const Duration difference = apart();
  if (difference > Duration{0}) ++missed_apart_;
  const Time first = submitted->second + (due - job->accepted()) - difference;
  if (world_.now() < first) {
    world_.fail("the deadline of " + text_of(missed->job) + " is missed " +
        std::to_string((first - world_.now()).count()) + " ns before any clock says so");
  }
}

}  // namespace dunlin::test
