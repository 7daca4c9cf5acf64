// SPDX-License-Identifier: MIT
#include "sim/scenario/simulation_params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sim::SimulationParams> = "simulation";
template <>
inline constexpr auto kParams<sim::SimulationParams> = std::tuple{
    Param<&sim::SimulationParams::seed>{
        {0, 0x7fffffffffffffff}, "All chance of a run comes from it: same seed, same output."},
    Param<&sim::SimulationParams::run>{{1, 0x7fffffffffffffff},
        "Which replication: runs of one seed are independent of each other, as in ns-3."},
    Param<&sim::SimulationParams::duration>{
        {std::chrono::milliseconds(100), std::chrono::hours(24 * 365), Scale::log},
        "Simulated time during which jobs arrive."},
    Param<&sim::SimulationParams::warm_up>{{std::chrono::seconds(0), std::chrono::hours(24 * 365)},
        "Jobs submitted earlier are run, but not measured."},
    Param<&sim::SimulationParams::drain>{{std::chrono::seconds(0), std::chrono::hours(24 * 365)},
        "The longest time after that for jobs still to finish."},
};

void append_entries(sim::SimulationParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

template <>
inline constexpr std::string_view kSection<sim::ClusterParams> = "cluster";
template <>
inline constexpr auto kParams<sim::ClusterParams> = std::tuple{
    Param<&sim::ClusterParams::start>{{},
        "The way in which peers get to know each other: they join at their contacts, or (wired) "
        "know a random view of others from the start, which spares large runs a hundred messages a "
        "peer; celled: besides, all are there at once, in cluster.cells cells, which have managers "
        "at once and members after a round trip; cell.cell_size is that of the largest."},
    Param<&sim::ClusterParams::peers>{{1, 1000000, Scale::log},
        "Peers. Each is a worker, and a frontend for the jobs submitted to it."},
    Param<&sim::ClusterParams::scale>{{1, 1000000, Scale::log},
        "Everything so many times as large: peers, workload.jobs_max, and the pace of "
        "workload.job_gap. A load is a share of the cluster, and stays."},
    Param<&sim::ClusterParams::machines>{{},
        "All equal; or drawn from the ten classes of a Google cluster of 2011, the largest of "
        "which has what cpus and memory say.",
        "Reiss 2012"},
    Param<&sim::ClusterParams::constraints>{{},
        "Machines differ in attributes, hardly (a), somewhat (b) or much (c), and jobs demand "
        "some, as workload.constrained says. The shares are a model of our own.",
        "after Sharma 2011; Megha, section IV-B"},
    Param<&sim::ClusterParams::cpus>{{0.1, 4096, Scale::log}, "CPUs of each, or of the largest."},
    Param<&sim::ClusterParams::memory>{{1, 1 << 30, Scale::log}, "MiB of each, or of the largest."},
    Param<&sim::ClusterParams::speeds>{{},
        "The speeds of machines, in equal parts: \"0.5, 0.75, 1, 1.25, 1.5\". A task takes its "
        "duration divided by the speed. Empty: all have speed 1."},
    Param<&sim::ClusterParams::contacts>{
        {1, 8}, "Addresses that a peer joins by, drawn from those that join before it."},
    Param<&sim::ClusterParams::cells>{{1, 10000, Scale::log},
        "megha: the local masters, each of as many machines. start = celled: the cells of nodes.",
        "Megha, section IV-A"},
    Param<&sim::ClusterParams::join_within>{{std::chrono::seconds(0), std::chrono::hours(1)},
        "The peers come to life one after the other, evenly within this time."},
    Param<&sim::ClusterParams::disk_read>{{0.0, 1e6},
        "MiB/s that the disks of each machine, or of the largest, can read. 0: it declares none, "
        "and "
        "no task is slowed."},
    Param<&sim::ClusterParams::disk_write>{{0.0, 1e6}, "Likewise, what they can write."},
    Param<&sim::ClusterParams::net_in>{{0.0, 1e6}, "Likewise, what its network can bring."},
    Param<&sim::ClusterParams::net_out>{{0.0, 1e6}, "Likewise, what its network can send."},
    Param<&sim::ClusterParams::contention_loss>{{0.0, 1.0},
        "Tasks that together want o > 1 times a rate of their machine get on (1 - loss (1 - 1/o)) "
        "/ o "
        "times as fast. No value is published."},
    Param<&sim::ClusterParams::background_share>{{0.0, 0.99},
        "The part of each rate that something else takes on some machines for some time."},
    Param<&sim::ClusterParams::background_machines>{
        {0.0, 1.0}, "The part of the machines on which it does, evenly among all."},
    Param<&sim::ClusterParams::background_from>{
        {std::chrono::seconds(0), std::chrono::hours(24 * 365)},
        "The time from which on it does ..."},
    Param<&sim::ClusterParams::background_until>{
        {std::chrono::seconds(0), std::chrono::hours(24 * 365)}, "... and until when."},
};

void append_entries(sim::ClusterParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
