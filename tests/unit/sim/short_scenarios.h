// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "sim/scenario/scenario.h"

// The scenarios that come with Dunlin, cut down to what a test can wait for.
namespace dunlin::sim {

inline constexpr std::uint32_t kPeersMax = 24;
inline constexpr Duration kLength = std::chrono::seconds(12);

/// A trace of each format, in a folder of its own as long as this lives.
class TinyTraces {
 public:
  TinyTraces()
      : folder_(
            std::filesystem::temp_directory_path() / ("dunlin-every-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream tr(file("tr")), swf(file("swf")), alibaba(file("alibaba")),
        cloudera(file("cloudera")), requests(file("requests"));
    for (int i = 0; i < 12; ++i) {
      tr << i << " 3 1.0 1.0 0.5 1.5\n";
      swf << i + 1 << ' ' << i << " 0 2 2 -1 -1 2 -1 -1 1 " << i % 3 << " 1 -1 1 -1 -1 -1\n";
      alibaba << i << ",j_" << i << ",M1,1,50,0.2,2\n" << i << ",j_" << i << ",R2_1,1,50,0.2,1\n";
      cloudera << i << ",2,4,4,2,2,1000000,1000,1000\n";
      requests << i << " web 0.5\n";
    }
  }
  ~TinyTraces() { std::filesystem::remove_all(folder_); }
  TinyTraces(const TinyTraces&) = delete;
  TinyTraces& operator=(const TinyTraces&) = delete;

  std::string folder() const { return folder_.string(); }
  static std::string name_of(WorkloadKind kind) {
    return std::string(overlay::kWords<WorkloadKind>[static_cast<std::size_t>(kind)]);
  }

 private:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

inline void shorten_time(Scenario& scenario) {
  SimulationParams& run = scenario.simulation;
  const double part = std::min(
      1.0, static_cast<double>(kLength.count()) / static_cast<double>(run.duration.count()));
  const auto cut = [&](Duration& time) {
    time = Duration{static_cast<Duration::rep>(static_cast<double>(time.count()) * part)};
  };
  for (Duration* time : {&run.duration, &run.warm_up, &scenario.faults.crash_at,
           &scenario.faults.restart_after, &scenario.faults.life, &scenario.faults.down_time,
           &scenario.faults.partition_from, &scenario.faults.partition_until,
           &scenario.faults.managers_at, &scenario.faults.managers_down, &scenario.classes.set_at,
           &scenario.workload.first_job, &scenario.measures.list_at}) {
    cut(*time);
  }
  // Jobs that come within an hour would mostly come after the end.
  cut(scenario.map_reduce.arrivals);
  run.drain = std::min<Duration>(run.drain, std::chrono::seconds(10));
  scenario.measures.health_period = scenario.measures.health_period > Duration{0}
      ? std::max<Duration>(scenario.measures.health_period, std::chrono::seconds(4))
      : Duration{0};
}

/// Cuts a scenario down; a trace is replaced by a tiny one of its format.
inline void shorten(Scenario& scenario, const TinyTraces& traces) {
  ClusterParams& cluster = scenario.cluster;
  cluster.scale = 1;
  // Fewer nodes get fewer jobs, or a run would be of queues that only grow; but some.
  const auto times = cluster.peers / std::min(cluster.peers, kPeersMax);
  Duration& gap = scenario.workload.job_gap;
  gap = std::max(gap, std::min<Duration>(gap * times, kLength / 40));
  cluster.peers = std::min(cluster.peers, kPeersMax);
  cluster.cells = std::min(cluster.cells, 3u);
  WorkloadParams& workload = scenario.workload;
  workload.frontends = std::min(workload.frontends, 3u);
  workload.tasks_per_job = std::min(workload.tasks_per_job, 8u);
  workload.jobs_max = workload.jobs_max > 0 ? std::min<std::uint64_t>(workload.jobs_max, 10) : 0;
  workload.task_time = std::min<Duration>(workload.task_time, std::chrono::seconds(1));
  scenario.measures.health_sample = 2;
  shorten_time(scenario);
  scenario.network.flow_monitor.clear();
  scenario.network.animation.clear();
  scenario.network.pcap = 0;
  if (!is_trace(workload.kind)) return;
  scenario.trace.data = traces.folder();
  scenario.trace.file = TinyTraces::name_of(workload.kind);
  scenario.trace.sample = 1;
  scenario.trace.keep_jobs = scenario.trace.keep_tasks = 1;  // There are few.
  scenario.trace.start = 0;
}

}  // namespace dunlin::sim
