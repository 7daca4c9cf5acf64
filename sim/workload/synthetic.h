// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/params.h"
#include "sched/resources.h"
#include "sim/workload/workload.h"

namespace dunlin::sim {

/// Which tasks draw a duration of their own.
enum class Durations : std::uint8_t { per_job, per_task, constant };

struct WorkloadParams {
  double load = 0.8;
  std::uint32_t tasks_per_job = 100;
  Duration task_time = std::chrono::seconds(1);
  Durations durations = Durations::per_job;
  double task_cpu = 1;
  std::uint32_t task_memory = 256;
  Duration first_job = std::chrono::seconds(5);
};

/// Jobs of equal size that arrive as a Poisson process, each at a frontend drawn by chance; the
/// durations of their tasks are exponential. Sparrow's own workload: per_job, 100 tasks of 100 ms.
/// Source: Ousterhout 2013, section 7 and figure 5.
class SyntheticWorkload final : public Workload {
 public:
  /// For `peers` peers of `capacity` each, until `end`. Requires that a task fits a peer.
  SyntheticWorkload(const WorkloadParams& params,
      std::uint32_t peers,
      const sched::Resources& capacity,
      Time end,
      Rng rng);

  std::optional<Submission> next() override;

  /// Tasks that the cluster can run at once.
  std::uint64_t slots() const { return slots_; }
  /// Between two jobs, so that they keep the share `load` of all slots busy.
  Duration mean_gap() const { return mean_gap_; }

 private:
  WorkloadParams params_;
  std::uint32_t peers_;
  sched::Resources demand_;
  std::uint64_t slots_;
  Duration mean_gap_;
  Time at_;
  Time end_;
  Rng rng_;
};

/// What one task of this workload asks for.
sched::Resources demand_of(const WorkloadParams& params);

}  // namespace dunlin::sim

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sim::Durations>[] = {"per_job", "per_task", "constant"};
template <>
inline constexpr std::string_view kSection<sim::WorkloadParams> = "workload";
template <>
inline constexpr auto kParams<sim::WorkloadParams> = std::tuple{
    Param<&sim::WorkloadParams::load>{{0.01, 2.0},
        "Share of all slots that the jobs would keep busy. A slot is room for one task."},
    Param<&sim::WorkloadParams::tasks_per_job>{
        {1, 1000000, Scale::log}, "Tasks of each job.", "Ousterhout 2013, figure 5"},
    Param<&sim::WorkloadParams::task_time>{
        {std::chrono::milliseconds(1), std::chrono::hours(24), Scale::log},
        "Mean duration of a task."},
    Param<&sim::WorkloadParams::durations>{{},
        "Exponential, drawn once per job or for each task; "
        "or the same for all."},
    Param<&sim::WorkloadParams::task_cpu>{{0.001, 1024, Scale::log}, "CPUs a task asks for."},
    Param<&sim::WorkloadParams::task_memory>{{0, 1 << 24}, "MiB a task asks for."},
    Param<&sim::WorkloadParams::first_job>{{std::chrono::seconds(0), std::chrono::hours(1)},
        "Simulated time from which on jobs arrive: the peers get to know each other first."},
};
static_assert(complete<sim::WorkloadParams>());
}  // namespace dunlin::overlay
