// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/baseline/baseline.h"
#include "sim/engine/cluster.h"
#include "sim/engine/job_feed.h"
#include "sim/engine/job_lister.h"
#include "sim/engine/outages.h"
#include "sim/measure/conservation.h"
#include "sim/measure/health.h"
#include "sim/measure/resource_meter.h"
#include "sim/measure/sharing_watch.h"
#include "sim/scenario/scenario.h"
#include "sim/workload/workload.h"

namespace dunlin::sim {

/// The cost of a run to its machine. All else about a run is the same on any machine.
struct Cost {
  double wall_s = 0;             ///< Setting up included.
  double cpu_s = 0;              ///< The same on a machine that does nothing else.
  std::uint64_t events = 0;      ///< ns-3's.
  std::uint64_t peak_bytes = 0;  ///< The most memory the process ever had.

  /// Per second of CPU time.
  double events_per_s() const { return cpu_s > 0 ? static_cast<double>(events) / cpu_s : 0; }
};

/// One run of a scenario. One at a time per process: ns-3 has one event loop.
class Simulation {
 public:
  /// `trace` and `log` may be null; else they must outlive this. `workload` is the scenario's
  /// trace, as open_trace_of() opens it; null if it has none. Requires validate(scenario).
  Simulation(const Scenario& scenario,
      Trace* trace,
      std::unique_ptr<Workload> workload = nullptr,
      EventLog* log = nullptr);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Hears of progress some times per second of wall time.
  using OnProgress = std::function<void(Time now, const Recorder& recorder)>;
  /// Runs to the end. Once only.
  void run(const OnProgress& on_progress = {});

  const Scenario& scenario() const { return scenario_; }
  const Recorder& recorder() const { return recorder_; }
  /// What tasks took of each resource; it measures nothing where they do not contend.
  const ResourceMeter& resources() const { return resources_; }
  const Cluster& cluster() const { return *cluster_; }
  /// Null if peers run the jobs.
  const Baseline* baseline() const { return baseline_.get(); }
  /// The overlay's health over time, if that was asked for.
  const std::vector<Health>& health() const { return health_; }
  /// The shares of classes over time; watches nothing if there are no classes.
  const SharingWatch& sharing() const { return sharing_; }
  SharingWatch::Result shared() const {
    return sharing_.result(ended_, occupied_, cluster_->costs().cell_loads, cluster_->traffic());
  }
  /// What lists of the cluster's jobs found; empty if no user lists.
  const ListingMeter& listing() const { return lister_ ? lister_->meter() : no_lists_; }
  /// Jobs never submitted, as no machine can run them.
  std::uint64_t left_out() const { return jobs_->left_out(); }
  /// What had become of the measured jobs, and of all of them, by the end.
  const Fates& fates() const { return fates_; }
  const Fates& fates_of_all() const { return fates_of_all_; }
  Offered offered() const { return jobs_->offered(); }
  const Cost& cost() const { return cost_; }
  /// When the run ended, in simulated time.
  Time ended() const { return ended_; }

 private:
  void start_peers(Rng peers, Rng restarts);
  /// `workload`, if it is one, or that which is drawn by chance.
  std::unique_ptr<Workload> workload_of(std::unique_ptr<Workload> workload, Rng jobs);
  /// The class table, and the death of managers, when the scenario says so.
  void schedule_sharing();
  /// The table of classes, and the rule of plans, are set at a peer when the scenario says so.
  void schedule_table();
  bool submit(std::uint32_t frontend, sched::Job job, const JobFacts& facts);
  /// For baselines that know crashes.
  void schedule_crashes();
  Cluster::Options cluster_options(std::uint64_t latency_seed);
  /// One row of what is measured over time; the next look is set for a period later.
  void look_at_health();
  /// The part of it that only peers have.
  void look_at_peers();
  /// Counts what became of each job, and holds the laws of conservation against it.
  void take_stock();
  /// Ends the run if all is done, or its time is up; else comes again.
  void tick(const OnProgress& on_progress);
  /// The latest end of the run.
  Time last() const;

  Scenario scenario_;
  Ns3Defaults defaults_;
  Fleet machines_;
  Recorder recorder_;
  ResourceMeter resources_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Baseline> baseline_;  ///< Instead of the cluster, which then has no peer.
  std::unique_ptr<JobFeed> jobs_;
  std::unique_ptr<Outages> outages_;
  Fates fates_;
  Fates fates_of_all_;
  std::unique_ptr<JobLister> lister_;
  ListingMeter no_lists_;
  Cost cost_;
  Duration tick_{0};
  Rng health_rng_;
  std::vector<WorkloadClass> classes_;
  SharingWatch sharing_;
  std::vector<double> occupied_;  ///< In the end, by class.
  std::vector<Health> health_;
  double began_ = 0;      ///< In wall time ...
  double cpu_began_ = 0;  ///< ... and in CPU time of this process.
  double last_progress_ = 0;
  Time ended_{};
};

}  // namespace dunlin::sim
