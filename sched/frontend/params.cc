// SPDX-License-Identifier: MIT
#include "sched/frontend/params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sched::FrontendParams> = "frontend";
template <>
inline constexpr auto kParams<sched::FrontendParams> = std::tuple{
    Param<&sched::FrontendParams::placement>{{},
        "The nodes that a frontend asks, and where a reservation walks on.", "design, section 5"},
    Param<&sched::FrontendParams::probe_ratio>{{1.0, 8.0, Scale::log},
        "Reservations sent for each waiting task.", "Ousterhout 2013, section 3.2; ID2210, 3.1"},
    Param<&sched::FrontendParams::probe_ratio_full>{{1.0, 16.0, Scale::log},
        "The greatest ratio: where one CPU in f seems free, f reservations are sent for each task, "
        "from probe_ratio up to this. Below probe_ratio: always probe_ratio."},
    Param<&sched::FrontendParams::probes_max>{
        {1, 4096, Scale::log}, "Reservations of one task group that are out at once."},
    Param<&sched::FrontendParams::probes_crowded>{{1, 256, Scale::log},
        "Reservations of a task group, however few tasks of it wait, once one of them had to "
        "queue.",
        "Delgado 2016, section 4"},
    Param<&sched::FrontendParams::node_cache>{{0, 4096},
        "Nodes that a frontend remembers beyond the views, so that the reservations of a large job "
        "go to different ones."},
    Param<&sched::FrontendParams::unknown_duration>{
        {std::chrono::milliseconds(1), std::chrono::hours(24), Scale::log},
        "The mean time that tasks are thought to run until a first one, of any job, has finished. "
        "The first task of a job that does not say how long its tasks run ranks by a tenth of the "
        "mean, the others by the mean until the first has run for longer."},
    Param<&sched::FrontendParams::hops_max>{
        {0, 8}, "Times a reservation is forwarded before it queues."},
    Param<&sched::FrontendParams::probe_timeout>{
        {std::chrono::milliseconds(50), std::chrono::seconds(30), Scale::log},
        "A walking reservation not heard of for so long is lost, and replaced."},
    Param<&sched::FrontendParams::reprobe_period>{
        {std::chrono::milliseconds(50), std::chrono::seconds(30), Scale::log},
        "Time between looks at whether enough reservations are out."},
    Param<&sched::FrontendParams::queue_lease>{
        {std::chrono::seconds(3), std::chrono::minutes(10), Scale::log},
        "A queued reservation not confirmed for so long is lost. At least 3 × "
        "worker.queue_renew."},
    Param<&sched::FrontendParams::task_lease>{
        {std::chrono::seconds(2), std::chrono::minutes(10), Scale::log},
        "A task not confirmed for so long is lost, and attempted again: sooner, after three missed "
        "confirmations, if other nodes say that its worker does not answer them either. At least 3 "
        "× worker.renew."},
    Param<&sched::FrontendParams::recovery_wait>{
        {std::chrono::milliseconds(500), std::chrono::minutes(1), Scale::log},
        "After a restart, time for workers to report tasks that still run."},
    Param<&sched::FrontendParams::greedy_cap>{
        {0.0, 1.0}, "adaptive: the largest share of greedy hops.", "facts: herd effect"},
    Param<&sched::FrontendParams::greedy_floor>{
        {0.0, 0.5}, "adaptive: the smallest share, so that success is noticed again."},
    Param<&sched::FrontendParams::rank>{{},
        "Of the nodes that have room, the best for greedy hops and looks: with the most room by "
        "gradient.utility, by the largest dot product of demand and room, by the room that is most "
        "like the demand, or by the least that is left over.",
        "Grandl 2014"},
    Param<&sched::FrontendParams::estimate>{{},
        "What is learned of demands that users do not say: nothing; the rates of disks and "
        "networks "
        "that nodes declare; or CPU, too. Finished tasks of the group tell it, else those of "
        "earlier "
        "jobs of the same owner, name and group: the 95th percentile of their peaks, and a tenth "
        "more.",
        "Grandl 2014"},
    Param<&sched::FrontendParams::estimate_memory>{{},
        "Likewise the memory of groups that say none. A task that it kills runs again without."},
    Param<&sched::FrontendParams::estimate_unknown>{{0.0, 1.0},
        "The part of a node's disk rates that a task is taken to demand as long as nothing is "
        "known "
        "of its group."},
    Param<&sched::FrontendParams::history_min>{{std::chrono::seconds(0), std::chrono::hours(8760)},
        "A job that finished is remembered for so long, however many there are; but no longer than "
        "history_age."},
    Param<&sched::FrontendParams::history_age>{
        {std::chrono::minutes(1), std::chrono::hours(8760), Scale::log},
        "Jobs that finished longer ago are forgotten."},
    Param<&sched::FrontendParams::history_bytes>{
        {std::uint64_t{1} << 20, std::uint64_t{1} << 40, Scale::log},
        "Bytes that finished jobs take. Beyond it the first of the user that takes most lose the "
        "records of their tasks; then they are forgotten."},
    Param<&sched::FrontendParams::history_max>{{0, 1000000},
        "Finished jobs remembered; beyond it the first of the user that takes most are "
        "forgotten."},
    Param<&sched::FrontendParams::history_standbys>{
        {std::chrono::minutes(1), std::chrono::hours(8760), Scale::log},
        "The same as history_age for jobs with standbys, if it is less: these keep all records of "
        "a log as long as one of its jobs is remembered."},
    Param<&sched::FrontendParams::replicas>{{0, 4},
        "Standbys, on other machines, that keep the records of each job: a job may ask for more. "
        "0: "
        "a job that asks for none is lost with this node's disk.",
        "Lin 2008, PacificA"},
    Param<&sched::FrontendParams::replicas_required>{{0, 4},
        "Standbys that must have what a job promises before it promises it; at most its replicas."},
    Param<&sched::FrontendParams::home_lease>{
        {std::chrono::milliseconds(500), std::chrono::minutes(10), Scale::log},
        "The silence of a job's home after which a standby takes over."},
};

void append_entries(sched::FrontendParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
