// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/baseline/baseline.h"
#include "sim/engine/cluster.h"
#include "sim/measure/health.h"
#include "sim/measure/sharing_watch.h"
#include "sim/scenario/scenario.h"
#include "sim/workload/dependencies.h"

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

/// The workload of a scenario that has a trace; null if it is synthetic.
Result<std::unique_ptr<TraceWorkload>> open_trace_of(const Scenario& scenario);

/// One run of a scenario. One at a time per process: ns-3 has one event loop.
class Simulation {
 public:
  /// `trace` may be null; else it must outlive this. `workload` is that of the scenario; null: a
  /// synthetic one, which needs no opening. Requires validate(scenario).
  Simulation(const Scenario& scenario, Trace* trace, std::unique_ptr<Workload> workload = nullptr);
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
  /// Null if peers run the jobs.
  const Baseline* baseline() const { return baseline_.get(); }
  /// How the overlay was over time, if that was asked for.
  const std::vector<Health>& health() const { return health_; }
  /// How the cluster was shared; watches nothing if there are no classes.
  const SharingWatch& sharing() const { return sharing_; }
  SharingWatch::Result shared() const {
    return sharing_.result(ended_, occupied_, cluster_->cell_loads(), cluster_->traffic());
  }
  /// Jobs never submitted, as no machine can run them.
  std::uint64_t left_out() const { return left_out_; }
  const Cost& cost() const { return cost_; }
  /// When the run ended, in simulated time.
  Time ended() const { return ended_; }

 private:
  void add_peers(Rng rng);
  void wire_peers(Rng rng);
  Duration birth_of(std::uint32_t peer) const;
  void schedule_faults(Rng rng);
  void restart(std::uint32_t peer, Rng rng);
  void schedule_next();
  void submit(Submission submission);
  /// A job has ended: those that waited for it can come.
  void release(std::uint64_t key);
  void close_if_last();
  void schedule_sharing();
  bool shares() const;
  /// The job of that key has ended: what comes next of a demand that answers.
  void follow(std::vector<Submission> next);
  void kill_managers();
  void belong(Submission& submission);
  /// All peers, by number; null are those not alive.
  std::vector<const sched::Peer*> peers_alive() const;
  void look_at_health();
  void tick(const OnProgress& on_progress);
  Time last() const;

  Scenario scenario_;
  Ns3Defaults defaults_;
  Fleet machines_;
  Recorder recorder_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Baseline> baseline_;  ///< Instead of the cluster, which then has no peer.
  std::unique_ptr<Workload> workload_;
  Dependencies dependencies_;
  std::uint64_t left_out_ = 0;
  std::uint64_t on_their_way_ = 0;  ///< Jobs let go by others, and not submitted yet.
  Cost cost_;
  Duration tick_{0};
  Rng health_rng_;
  std::vector<WorkloadClass> classes_;
  SharingWatch sharing_;
  std::vector<double> occupied_;  ///< In the end, by class.
  Rng restarts_{0};               ///< Of managers that were killed.
  std::vector<Health> health_;
  double began_ = 0;      ///< In wall time ...
  double cpu_began_ = 0;  ///< ... and in CPU time of this process.
  double last_progress_ = 0;
  Time ended_{};
};

}  // namespace dunlin::sim
