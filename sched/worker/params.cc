// SPDX-License-Identifier: MIT
#include "sched/worker/params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sched::WorkerParams> = "worker";
template <>
inline constexpr auto kParams<sched::WorkerParams> = std::tuple{
    Param<&sched::WorkerParams::discipline>{{},
        "The job that a worker starts next: the one submitted first, the one of highest priority, "
        "the one with the least left to do, the one of the earliest deadline, or the one with the "
        "task that packs best along all resources, short jobs preferred."},
    Param<&sched::WorkerParams::length_weight>{{0.0, 1.0},
        "shortest: what is left of a job is its waiting tasks x their length to the power of this: "
        "1 ranks by work, 0 by number of tasks."},
    Param<&sched::WorkerParams::patience>{{0.1, 1000.0, Scale::log},
        "shortest, tetris: a job that has waited for so many mean task lengths seems half as long, "
        "after twice as many a third as long, and so on. Lower: 99th percentiles of busy clusters "
        "down, means up."},
    Param<&sched::WorkerParams::packing_score>{{},
        "tetris: how well a task goes with what is free. dot: both point the same way, and the "
        "task is large; cosine: direction alone; l2_difference: little is left; l2_ratio: little "
        "of it is taken; sum, product: the task is large.",
        "Grandl 2014"},
    Param<&sched::WorkerParams::scarcity>{{0.0, 16.0},
        "tetris: resources count for the score by the power of this of the work that waits for "
        "them: 0 counts all alike, as the paper does; higher, and the busiest one decides."},
    Param<&sched::WorkerParams::srtf_weight>{{0.0, 1000.0},
        "tetris: weight of short jobs against packing. 0: packing alone.", "Grandl 2014"},
    Param<&sched::WorkerParams::fairness>{{0.0, 0.99},
        "tetris: this part of the jobs that wait at a worker, those that hold most, must let the "
        "others go first. Near 1 it is dominant resource fairness.",
        "Grandl 2014"},
    Param<&sched::WorkerParams::remote_penalty>{{0.0, 0.99},
        "tetris: a task that has its input elsewhere loses this part of its score.", "Grandl 2014"},
    Param<&sched::WorkerParams::barrier>{{0.0, 1.0},
        "tetris: once this part of a group's tasks have ended, its last ones go first. 1: never.",
        "Grandl 2014"},
    Param<&sched::WorkerParams::ageing>{
        {std::chrono::milliseconds(100), std::chrono::hours(24), Scale::log},
        "priority: waiting for so long is worth one point of priority."},
    Param<&sched::WorkerParams::express_share>{{0.0, 0.9},
        "Share of the CPUs of all workers that only tasks shorter than express_limit may use."},
    Param<&sched::WorkerParams::express_limit>{
        {std::chrono::milliseconds(1), std::chrono::hours(24), Scale::log},
        "Tasks that run longer keep out of the express share."},
    Param<&sched::WorkerParams::overtake>{
        {std::chrono::milliseconds(1), std::chrono::hours(1), Scale::log},
        "Smaller tasks may overtake one that does not fit yet for this time; then room is kept for "
        "it. tetris: for two mean task times at least."},
    Param<&sched::WorkerParams::queue_max>{
        {1, 32768, Scale::log}, "Reservations kept in the queue."},
    Param<&sched::WorkerParams::tasks_max>{{1, 32768, Scale::log},
        "Tasks that run or are asked for at once, however little they demand. A node with more "
        "CPUs than that takes one for each CPU."},
    Param<&sched::WorkerParams::slots_per_user>{{16, 32768, Scale::log},
        "Tasks of less than a CPU that one user may have run or asked for at once at a node with "
        "tasks of others: the places left are for these. Alone there, three quarters of those are "
        "free to use, too."},
    Param<&sched::WorkerParams::queue_renew>{
        {std::chrono::milliseconds(500), std::chrono::minutes(3), Scale::log},
        "Time between two confirmations that a reservation still waits here."},
    Param<&sched::WorkerParams::ask_timeout>{
        {std::chrono::milliseconds(10), std::chrono::seconds(10), Scale::log},
        "GetTask is sent again if no answer came for so long; twice as long each time."},
    Param<&sched::WorkerParams::ask_tries>{{1, 10}, "Then the slots are given up."},
    Param<&sched::WorkerParams::renew>{
        {std::chrono::milliseconds(200), std::chrono::minutes(1), Scale::log},
        "Time between two confirmations that a task still runs here."},
    Param<&sched::WorkerParams::resend>{
        {std::chrono::milliseconds(50), std::chrono::seconds(30), Scale::log},
        "A report not acknowledged is sent again after so long; twice as long each time, to 30 s."},
    Param<&sched::WorkerParams::orphan_after>{
        {std::chrono::seconds(5), std::chrono::hours(24), Scale::log},
        "Tasks of a frontend silent for so long are stopped."},
    Param<&sched::WorkerParams::reattach_within>{
        {std::chrono::milliseconds(100), std::chrono::hours(24), Scale::log},
        "Tasks run on without their agent for so long; then they are stopped. A node that says "
        "that it restarts keeps the leases of its tasks for as much longer."},
    Param<&sched::WorkerParams::trial_period>{
        {std::chrono::milliseconds(100), std::chrono::hours(1), Scale::log},
        "A node on which two starts in a row failed takes no task, and tries one of its own after "
        "each such time, until it starts."},
    Param<&sched::WorkerParams::preempt>{{},
        "The tasks for which a worker without room stops others, which run again: none, those of "
        "emergency_priority or more and of jobs that else miss their deadlines, those of any "
        "priority, those that a plan gives slots, in place of tasks beyond their jobs' slots, or "
        "those of classes below their share, in place of the class furthest above its own. Jobs "
        "may ask to be spared."},
    Param<&sched::WorkerParams::preempt_delta>{
        {1, 100}, "preempt: a task is stopped only for one whose priority is higher by so much."},
    Param<&sched::WorkerParams::emergency_priority>{{1, 100},
        "The priority from which on jobs are emergencies. Where preempt is emergency, only "
        "administrators may ask for it."},
    Param<&sched::WorkerParams::preempt_exempt>{
        {std::chrono::milliseconds(1), std::chrono::hours(24), Scale::log},
        "preempt: a task that has run for less is not stopped."},
    Param<&sched::WorkerParams::preempt_max>{
        {0, 10000}, "preempt: a task that was preempted so often is not stopped any more."},
    Param<&sched::WorkerParams::suspend_max>{
        {std::chrono::seconds(1), std::chrono::hours(24 * 30), Scale::log},
        "A task that was suspended so that others have its CPU, and finds none again for so long, "
        "runs again elsewhere."},
    Param<&sched::WorkerParams::loans_max>{{0, 4096},
        "Tasks elsewhere to which this node lends disk read and network out at once, so that they "
        "read their input here. 0: none."},
    Param<&sched::WorkerParams::loan_lease>{
        {std::chrono::seconds(1), std::chrono::hours(1), Scale::log},
        "Such a loan ends after so long unless it is renewed; borrowers renew it three times as "
        "often."},
    Param<&sched::WorkerParams::loan_rest>{
        {std::chrono::milliseconds(100), std::chrono::hours(1), Scale::log},
        "If no node lends to a task whose input is elsewhere, this node asks for no such task of "
        "its group for so long."},
};

void append_entries(sched::WorkerParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
