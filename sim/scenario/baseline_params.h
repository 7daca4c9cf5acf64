// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/params.h"
#include "overlay/time.h"
#include "sched/plan/params.h"

namespace dunlin::sim {

/// The scheduler that places the jobs. The first four are Dunlin's peers: with their own
/// parameters, or set to place as another system does. The others know no peers; they stand in the
/// same cluster and network, and get the same jobs.
enum class Scheduler : std::uint8_t {
  dunlin,
  sampling,  ///< Sparrow's rule by peers: samples of the nodes in their views.
  gradient,  ///< Always the best node known.
  tman,      ///< As `sampling`, but with the gradient's neighbours for its samples.
  /// Knows all at no cost, without delay: a bound for schedulers without preemption.
  omniscient,
  sparrow,  ///< Batch sampling and late binding at random workers; knows all of them.
  /// One server that decides one task at a time, by what machines last told it.
  central,
  /// The least loaded of the machines sampled for a whole job get its tasks; bound at once.
  batch,
  /// The same, with a sample for each task.
  per_task,
  /// Each task to a machine drawn by chance.
  random,
  /// Machines allocate what probes ask for, whether it is still needed or not.
  early_binding,
  edf,          ///< `master` by earliest deadline first ...
  edf_preempt,  ///< ... and with preemption.
  master,       ///< One that plans slots: see sched/plan/.
  megha,        ///< Global and local masters, by the paper alone.
  slots,        ///< One master deals slots of memory, to the job that has fewest.
  drf,          ///< One master serves the job with the least dominant share.
  tetris,       ///< One master packs, as the workers of peers do.
  bound,        ///< All machines as one, the job with the least work first.
};

/// The resources that the baseline `drf` looks at: it gives the others away twice.
enum class DealtResources : std::uint8_t { cpu_memory, all };

/// sched::PlanPolicyName and sched::SpareRule, as a scenario names them; with `none`, jobs have
/// what they need and slots that no job needs stay idle.
enum class MasterPolicy : std::uint8_t { priority, proportion, workload, deadline, edf, assured };
enum class MasterSpare : std::uint8_t { priority, deadline, none };

/// The order of the tasks that wait at a global master of Megha.
enum class MeghaOrder : std::uint8_t {
  tasks_left,  ///< Jobs with fewer tasks that have not ended first, as in the published simulator.
  arrival,
};

/// The global master of Megha that gets a job.
enum class MeghaDispatch : std::uint8_t {
  frontend,  ///< That of its frontend.
  tasks,     ///< By the number of its tasks, as in the published simulator.
};

/// The local masters of Megha that tell a global one what has changed when a task of its has ended
/// or a launch has failed.
enum class MeghaNews : std::uint8_t {
  own,  ///< The one where that was.
  all,  ///< Each, as in the published simulator.
};

/// The rows that a local master of Megha tells in each message.
enum class RowUpdates : std::uint8_t {
  delta,  ///< Those that have changed.
  full,   ///< All.
};

/// What each means, with its range and its source, is in the table in baseline_params.cc; so it is
/// with the parameters of the other sections.
struct BaselineParams {
  Scheduler scheduler = Scheduler::dunlin;
  overlay::Duration decision_time = std::chrono::microseconds(100);
  double probes = 2;
  bool gives_back = true;
  MasterPolicy policy = MasterPolicy::assured;
  MasterSpare spare = MasterSpare::deadline;
  double reserve = 0.1;
  overlay::Duration horizon = std::chrono::minutes(1);
  bool preempt = false;
  bool plan = false;
  overlay::Duration start_time = std::chrono::milliseconds(12);
  overlay::Duration task_time{0};
  overlay::Duration heartbeat = std::chrono::seconds(10);
  RowUpdates updates = RowUpdates::delta;
  MeghaOrder order = MeghaOrder::tasks_left;
  MeghaDispatch dispatch = MeghaDispatch::frontend;
  MeghaNews news = MeghaNews::own;
  DealtResources resources = DealtResources::cpu_memory;
  std::uint32_t slot = 0;
};

/// True if the scheduler is not made of peers.
constexpr bool is_baseline(Scheduler scheduler) {
  return scheduler >= Scheduler::omniscient;
}

/// True if the scheduler divides slots by a plan; machines may fail then.
constexpr bool plans_slots(Scheduler scheduler) {
  return scheduler >= Scheduler::edf && scheduler <= Scheduler::master;
}

/// True if one master deals out machines that report each heartbeat.
constexpr bool deals(Scheduler scheduler) {
  return scheduler >= Scheduler::slots && scheduler <= Scheduler::bound;
}

/// The plan of such a scheduler, or that of the managers of peers.
constexpr sched::PlanParams plan_of(const BaselineParams& params) {
  sched::PlanParams plan{.policy = static_cast<sched::PlanPolicyName>(params.policy),
      .spare = params.spare == MasterSpare::priority ? sched::SpareRule::priority
                                                     : sched::SpareRule::deadline,
      .reserve = params.reserve,
      .horizon = params.horizon};
  if (plans_slots(params.scheduler) && params.scheduler != Scheduler::master) {
    plan.policy = sched::PlanPolicyName::edf;
    plan.spare = sched::SpareRule::deadline;
  }
  return plan;
  // Words of a scenario are turned into the plan's own by their number.
}
static_assert(
    static_cast<int>(MasterPolicy::assured) == static_cast<int>(sched::PlanPolicyName::assured));

}  // namespace dunlin::sim

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sim::Scheduler>[] = {"dunlin", "sampling", "gradient",
    "tman", "omniscient", "sparrow", "central", "batch", "per_task", "random", "early_binding",
    "edf", "edf_preempt", "master", "megha", "slots", "drf", "tetris", "bound"};
template <>
inline constexpr std::string_view kWords<sim::DealtResources>[] = {"cpu_memory", "all"};
template <>
inline constexpr std::string_view kWords<sim::MasterPolicy>[] = {
    "priority", "proportion", "workload", "deadline", "edf", "assured"};
template <>
inline constexpr std::string_view kWords<sim::MasterSpare>[] = {"priority", "deadline", "none"};
template <>
inline constexpr std::string_view kWords<sim::MeghaOrder>[] = {"tasks_left", "arrival"};
template <>
inline constexpr std::string_view kWords<sim::MeghaDispatch>[] = {"frontend", "tasks"};
template <>
inline constexpr std::string_view kWords<sim::MeghaNews>[] = {"own", "all"};
template <>
inline constexpr std::string_view kWords<sim::RowUpdates>[] = {"delta", "full"};

/// See overlay/params.h.
void append_entries(sim::BaselineParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
