// SPDX-License-Identifier: MIT
#include "sim/scenario/baseline_params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

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
    Param<&sim::BaselineParams::dispatch>{{},
        "megha: which global master gets a job: that of its frontend, or the one whose number is "
        "the number of its tasks, modulo the masters, so that jobs of one size meet at one.",
        "tasks: the simulator of the Megha paper"},
    Param<&sim::BaselineParams::news>{{},
        "megha: which local masters tell a global one what has changed when a task of its has "
        "ended "
        "or a launch has failed: its own alone, or all.",
        "all: the simulator of the Megha paper, where it takes no time"},
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

void append_entries(sim::BaselineParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
