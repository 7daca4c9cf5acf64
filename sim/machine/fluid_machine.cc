// SPDX-License-Identifier: MIT
#include "sim/machine/fluid_machine.h"

#include <algorithm>
#include <cmath>

#include "overlay/ensure.h"

// A fluid model: each change of what runs on a machine costs time in the number of its tasks, and
// nothing happens between two changes. The pace of a task that no one else disturbs stays what it
// is, and then its end is not computed anew: so a machine on which nothing is short ends its tasks
// at the very nanosecond at which they would end without this.
namespace dunlin::sim {
namespace {

double ns_of(Duration duration) {
  return static_cast<double>(duration.count());
}

}  // namespace

double pace_of(double overload, double loss) {
  if (overload <= 1) return 1;
  return (1 - loss * (1 - 1 / overload)) / overload;
}

FluidMachine::FluidMachine(const sched::Resources& total, double speed, double loss)
    : total_(usage_of(total)),
      speed_(speed),
      loss_(loss) {}

std::vector<FluidMachine::Running>::const_iterator FluidMachine::find(std::uint64_t number) const {
  return std::ranges::find(running_, number, &Running::number);
}

void FluidMachine::start(Time now, std::uint64_t number, const Usage& use, Duration work) {
  running_.push_back({.number = number, .use = use, .left = ns_of(work), .since = now});
  set_paces(now);
}

Duration FluidMachine::stop(Time now, std::uint64_t number) {
  const auto found = find(number);
  overlay::ensure(found != running_.end(), "a task that stops and does not run");
  // Less what it has done since its pace was last set.
  const double left = found->left - found->pace * ns_of(now - found->since);
  running_.erase(found);
  set_paces(now);
  return Duration{std::max<Duration::rep>(0, std::llround(left))};
}

void FluidMachine::set_background(Time now, double share) {
  background_ = share;
  set_paces(now);
}

Usage FluidMachine::use_of(std::uint64_t number) const {
  const auto found = find(number);
  if (found == running_.end()) return {};
  Usage use = found->use;
  for (std::size_t i = 0; i < kResourceKinds; ++i) {
    if (i != kMemoryKind) use[i] *= found->pace / speed_;
  }
  return use;
}

Usage FluidMachine::background() const {
  Usage use{};
  for (std::size_t i = kMemoryKind + 1; i < kResourceKinds; ++i) use[i] = total_[i] * background_;
  return use;
}

Time FluidMachine::end_of(std::uint64_t number) const {
  const auto found = find(number);
  return found == running_.end() ? overlay::kNever : found->end;
}

Time FluidMachine::next_end() const {
  Time first = overlay::kNever;
  for (const Running& each : running_) first = std::min(first, each.end);
  return first;
}

void FluidMachine::set_paces(Time now) {
  Usage wanted{};
  for (const Running& each : running_) {
    for (std::size_t i = 0; i < kResourceKinds; ++i) wanted[i] += each.use[i];
  }
  Usage paces{};
  for (std::size_t i = 0; i < kResourceKinds; ++i) {
    const bool is_rate = i > kMemoryKind;
    const double room = is_rate ? total_[i] * (1 - background_) : total_[i];
    const bool limits = room > 0 && i != kMemoryKind;
    paces[i] = limits ? pace_of(wanted[i] / room, is_rate ? loss_ : 0) : 1;
  }
  for (Running& each : running_) {
    double pace = 1;
    for (std::size_t i = 0; i < kResourceKinds; ++i) {
      // The resource that it gets least of holds it up; those that it does not use do not.
      if (each.use[i] > 0) pace = std::min(pace, paces[i]);
    }
    pace *= speed_;
    if (pace == each.pace) continue;
    each.left -= each.pace * ns_of(now - each.since);
    each.since = now;
    each.pace = pace;
    each.end = now + Duration{std::llround(std::max(0.0, each.left) / pace)};
  }
}

}  // namespace dunlin::sim
