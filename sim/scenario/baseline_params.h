// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

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
  omniscient,
  sparrow,  ///< Batch sampling and late binding at random workers; knows all of them.
  central,
  batch,
  per_task,
  random,
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

/// The rows that a local master of Megha tells in each message.
enum class RowUpdates : std::uint8_t {
  delta,  ///< Those that have changed.
  full,   ///< All.
};

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
inline constexpr std::string_view kWords<sim::RowUpdates>[] = {"delta", "full"};
template <>
inline constexpr std::string_view kSection<sim::BaselineParams> = "baseline";
template <>
inline constexpr auto kParams<sim::BaselineParams> = std::tuple{
    Param<&sim::BaselineParams::scheduler>{{},
        "The scheduler that places the jobs. dunlin: the peers, as their parameters say; sampling: "
        "they probe nodes of their views at random and forward nothing; gradient: they ask the "
        "best node known; tman: "
        "they probe at random among the gradient's neighbours and forward nothing; all others are "
        "no peers: see the laboratory's manual.",
        "Ousterhout 2013, section 3"},
    Param<&sim::BaselineParams::decision_time>{
        {std::chrono::nanoseconds(0), std::chrono::seconds(10)},
        "central: what the server needs to place one task."},
    Param<&sim::BaselineParams::probes>{
        {1.0, 100.0}, "sparrow, batch, per_task, early_binding: workers asked for each task."},
    Param<&sim::BaselineParams::gives_back>{{},
        "early_binding: what was allocated beyond a job's tasks is given back, and what still "
        "waits "
        "is cancelled; if not, it is held for as long as a task runs."},
    Param<&sim::BaselineParams::policy>{
        {}, "master: how slots are divided among jobs.", "Lin 2014, chapter 5; assured is ours"},
    Param<&sim::BaselineParams::spare>{{},
        "master: to which jobs go the slots that no job needs; with none they stay idle.",
        "Lin 2014, section 5.5"},
    Param<&sim::BaselineParams::reserve>{{0.0, 1.0},
        "master, policy priority: the part of all slots that is kept from the first job."},
    Param<&sim::BaselineParams::horizon>{{std::chrono::milliseconds(1), std::chrono::hours(24)},
        "master, policy workload: the time within which a job shall do its work."},
    Param<&sim::BaselineParams::preempt>{{},
        "master: a task of a job with more tasks than slots yields to one of a job with fewer, and "
        "runs again from its beginning. If not, a slot that changes its job finishes its task "
        "first."},
    Param<&sim::BaselineParams::plan>{{},
        "dunlin, sampling, gradient: the managers of cells plan by policy, spare, reserve and "
        "horizon, from classes.set_at on."},
    Param<&sim::BaselineParams::start_time>{{std::chrono::seconds(0), std::chrono::minutes(10)},
        "master, edf, edf_preempt: the time that a start takes on its slot before the task works."},
    Param<&sim::BaselineParams::task_time>{{std::chrono::seconds(0), std::chrono::hours(24)},
        "master, edf, edf_preempt: what a task of a job is taken to need that says nothing of it, "
        "until one has ended. 0: what those of other jobs need."},
    Param<&sim::BaselineParams::heartbeat>{
        {std::chrono::milliseconds(10), std::chrono::hours(1), Scale::log},
        "megha: each local master tells each global one its rows so often. slots, drf, tetris: "
        "each "
        "machine tells the master so often what has ended, and gets tasks then.",
        "Megha, section V-A: 10 s"},
    Param<&sim::BaselineParams::updates>{{},
        "megha: the rows that a local master tells in a heartbeat or an answer: those that the "
        "global one does not know yet, or (full) all, which costs processing.row each."},
    Param<&sim::BaselineParams::order>{{},
        "megha: which of the tasks that wait goes first: that of the job with the fewest tasks "
        "that "
        "have not ended, looked at anew when a job comes or a launch fails; or the first that "
        "came.",
        "tasks_left: the simulator of the Megha paper"},
    Param<&sim::BaselineParams::resources>{{},
        "drf: the resources of which no machine gives away more than it has, and by which shares "
        "are "
        "dominant: cpu_memory, or all.",
        "YARN's is cpu_memory; Ghodsi 2011"},
    Param<&sim::BaselineParams::slot>{{0, 1 << 24},
        "slots: MiB of one; a task takes as many as its memory needs, and nothing else is counted. "
        "0: what the largest machine has for each of its CPUs.",
        "Grandl 2014 (Facebook's scheduler)"},
};
}  // namespace dunlin::overlay
