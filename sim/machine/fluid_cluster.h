// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <ns3/event-id.h>
#include <vector>

#include "sim/machine/fluid_machine.h"
#include "sim/measure/resource_meter.h"
#include "sim/scenario/simulation_params.h"

namespace dunlin::sim {

/// The machines of a cluster on which tasks contend, on ns-3's clock, and what something else takes
/// of them.
class FluidCluster {
 public:
  /// `due` is called in an event of a machine when the next of its tasks may have ended: end_of()
  /// tells. It is to end those, or to do nothing. `meter` must outlive this.
  FluidCluster(
      const ClusterParams& params, ResourceMeter& meter, std::function<void(std::uint32_t)> due);
  FluidCluster(const FluidCluster&) = delete;
  FluidCluster& operator=(const FluidCluster&) = delete;

  /// Machines are numbered in the order in which they are added, all before the loop runs.
  void add(const Machine& machine);
  /// All are added: what else takes their rates is scheduled.
  void ready();

  /// A task for which `demand` is set aside, and which really takes `use`, has so much work to do.
  /// Returns a number that names it.
  std::uint64_t start(std::uint32_t machine, const Usage& demand, const Usage& use, Duration work);
  /// It has ended, or is stopped for good.
  void end(std::uint32_t machine, std::uint64_t number);
  /// It stands still, with what is set aside for it; returns the work that it has left. It runs, or
  /// goes on with that.
  Duration suspend(std::uint32_t machine, std::uint64_t number);
  /// It goes on with that much left, of its time at full speed.
  void resume(std::uint32_t machine, std::uint64_t number, Duration left);
  /// A task elsewhere takes `use` of the machine. Returns a number that names that; called from an
  /// event of any machine, as is give_back().
  std::uint64_t lend(std::uint32_t machine, const Usage& use);
  /// The loan of that number has ended.
  void give_back(std::uint32_t machine, std::uint64_t number);
  /// See FluidMachine.
  Usage use_of(std::uint32_t machine, std::uint64_t number) const {
    return machines_[machine].use_of(number);
  }
  Usage background(std::uint32_t machine) const { return machines_[machine].background(); }
  /// As things stand now: any start or end on the machine moves it.
  Time end_of(std::uint32_t machine, std::uint64_t number) const {
    return machines_[machine].end_of(number);
  }

 private:
  void plan_end(std::uint32_t machine);
  void set_background(std::uint32_t machine, double share);

  ClusterParams params_;
  ResourceMeter& meter_;
  std::function<void(std::uint32_t)> due_;
  std::vector<FluidMachine> machines_;
  std::vector<ns3::EventId> next_;  ///< The next end on each.
};

}  // namespace dunlin::sim
