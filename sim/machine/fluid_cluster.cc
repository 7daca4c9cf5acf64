// SPDX-License-Identifier: MIT
#include "sim/machine/fluid_cluster.h"

#include <algorithm>
#include <ns3/simulator.h>
#include <utility>

#include "sim/clock.h"

namespace dunlin::sim {

FluidCluster::FluidCluster(
    const ClusterParams& params, ResourceMeter& meter, std::function<void(std::uint32_t)> due)
    : params_(params),
      meter_(meter),
      due_(std::move(due)) {}

void FluidCluster::add(const Machine& machine) {
  machines_.emplace_back(machine.total, machine.speed, params_.contention_loss);
  next_.emplace_back();
}

// Evenly among all machines, so that frontends, which are the first ones, are not all of them.
void FluidCluster::ready() {
  if (params_.background_share == 0) return;
  const auto before = [&](std::uint32_t machine) {
    return static_cast<std::uint64_t>(machine * params_.background_machines);
  };
  for (std::uint32_t i = 0; i < machines_.size(); ++i) {
    if (before(i + 1) == before(i)) continue;
    const auto set_at = [&](Duration when, double share) {
      ns3::Simulator::ScheduleWithContext(
          i, to_ns3(when), [this, i, share] { set_background(i, share); });
    };
    set_at(params_.background_from, params_.background_share);
    set_at(params_.background_until, 0);
  }
}

void FluidCluster::set_background(std::uint32_t machine, double share) {
  machines_[machine].set_background(now(), share);
  meter_.set_background(now(), machine, share);
  plan_end(machine);
}

std::uint64_t FluidCluster::start(
    std::uint32_t machine, const Usage& demand, const Usage& use, Duration work) {
  const std::uint64_t number = meter_.begin(now(), machine, demand, use);
  machines_[machine].start(now(), number, use, work);
  plan_end(machine);
  return number;
}

void FluidCluster::end(std::uint32_t machine, std::uint64_t number) {
  meter_.end(now(), number);
  // What stands still is not among those that run.
  if (end_of(machine, number) != overlay::kNever) suspend(machine, number);
}

// In an event of that machine: plan_end() schedules in the context of the event that acts, and
// loans come and go in events of the borrower's.
std::uint64_t FluidCluster::lend(std::uint32_t machine, const Usage& use) {
  // A loan is ended by give_back() alone.
  constexpr Duration kForever = std::chrono::hours(24 * 365);
  const std::uint64_t number = meter_.begin(now(), machine, use, use);
  ns3::Simulator::ScheduleWithContext(
      machine, to_ns3(Duration{0}), [this, machine, number, use, kForever] {
        machines_[machine].start(now(), number, use, kForever);
        plan_end(machine);
      });
  return number;
}

void FluidCluster::give_back(std::uint32_t machine, std::uint64_t number) {
  meter_.end(now(), number);
  ns3::Simulator::ScheduleWithContext(
      machine, to_ns3(Duration{0}), [this, machine, number] { (void)suspend(machine, number); });
}

Duration FluidCluster::suspend(std::uint32_t machine, std::uint64_t number) {
  const Duration left = machines_[machine].stop(now(), number);
  plan_end(machine);
  return left;
}

void FluidCluster::resume(std::uint32_t machine, std::uint64_t number, Duration left) {
  machines_[machine].start(now(), number, meter_.use_of(number), left);
  plan_end(machine);
}

void FluidCluster::plan_end(std::uint32_t machine) {
  ns3::Simulator::Cancel(next_[machine]);
  const Time next = machines_[machine].next_end();
  if (next == overlay::kNever) return;
  next_[machine] = ns3::Simulator::Schedule(
      to_ns3(std::max(Duration{0}, next - now())), [this, machine] { due_(machine); });
}

}  // namespace dunlin::sim
