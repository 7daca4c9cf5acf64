// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>

#include "sim/cluster.h"
#include "sim/scenario.h"

namespace dunlin::sim {

/// What a run cost the machine it ran on. All else about a run is the same on any machine.
struct Cost {
  double wall_s = 0;             ///< Setting up included.
  double cpu_s = 0;              ///< The same on a machine that does nothing else.
  std::uint64_t events = 0;      ///< Of ns-3.
  std::uint64_t peak_bytes = 0;  ///< The most memory the process ever had.

  /// Of CPU time.
  double events_per_s() const { return cpu_s > 0 ? static_cast<double>(events) / cpu_s : 0; }
};

/// One run of a scenario. One at a time per process: ns-3 has one event loop.
class Simulation {
 public:
  /// `trace` may be null; else it must outlive this. Requires validate(scenario).
  Simulation(const Scenario& scenario, Trace* trace);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Is told of progress some times per second of wall time.
  using OnProgress = std::function<void(Time now, const Recorder& recorder)>;
  /// Runs to the end. Once only.
  void run(const OnProgress& on_progress = {});

  const Scenario& scenario() const { return scenario_; }
  const Recorder& recorder() const { return recorder_; }
  const Cluster& cluster() const { return *cluster_; }
  const Cost& cost() const { return cost_; }
  /// When the run ended, in simulated time.
  Time ended() const { return ended_; }

 private:
  void add_peers(Rng rng);
  void wire_peers(Rng rng);
  void schedule_faults(Rng rng);
  void restart(std::uint32_t peer, Rng rng);
  void schedule_next();
  void submit(Submission& submission);
  void tick(const OnProgress& on_progress);
  Time last() const;

  Scenario scenario_;
  Recorder recorder_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Workload> workload_;
  Cost cost_;
  double began_ = 0;      ///< In wall time ...
  double cpu_began_ = 0;  ///< ... and in CPU time of this process.
  double last_progress_ = 0;
  Time ended_{};
};

}  // namespace dunlin::sim
