// SPDX-License-Identifier: MIT
#include "sim/study/figures.h"

#include <algorithm>
#include <iterator>

namespace dunlin::sim {
namespace {

constexpr Figure kFigures[] = {
    {"queueing_mean_ms", "/measures/all/queueing_delay_ms/mean",
        "queueing delay of tasks, mean, ms"},
    {"queueing_p50_ms", "/measures/all/queueing_delay_ms/p50",
        "queueing delay of tasks, median, ms"},
    {"queueing_p99_ms", "/measures/all/queueing_delay_ms/p99",
        "queueing delay of tasks, 99th percentile, ms"},
    {"finding_mean_ms", "/measures/all/finding_ms/mean", "time to find a resource, mean, ms"},
    {"finding_p50_ms", "/measures/all/finding_ms/p50", "time to find a resource, median, ms"},
    {"finding_p99_ms", "/measures/all/finding_ms/p99",
        "time to find a resource, 99th percentile, ms"},
    {"job_delay_mean_ms", "/measures/all/job_delay_ms/mean", "delay of jobs, mean, ms"},
    {"job_delay_p50_ms", "/measures/all/job_delay_ms/p50", "delay of jobs, median, ms"},
    {"job_delay_p95_ms", "/measures/all/job_delay_ms/p95", "delay of jobs, 95th percentile, ms"},
    {"job_delay_p99_ms", "/measures/all/job_delay_ms/p99", "delay of jobs, 99th percentile, ms"},
    {"job_completion_mean_ms", "/measures/all/job_completion_ms/mean",
        "completion of jobs, mean, ms"},
    {"job_completion_p50_ms", "/measures/all/job_completion_ms/p50",
        "completion of jobs, median, ms"},
    {"job_completion_p95_ms", "/measures/all/job_completion_ms/p95",
        "completion of jobs, 95th percentile, ms"},
    {"job_completion_p99_ms", "/measures/all/job_completion_ms/p99",
        "completion of jobs, 99th percentile, ms"},
    {"job_response_mean_ms", "/measures/all/job_response_ms/mean", "response of jobs, mean, ms"},
    {"job_slowdown_mean", "/measures/all/job_slowdown/mean", "slowdown of jobs, mean"},
    {"short_completion_p50_ms", "/measures/short/job_completion_ms/p50",
        "completion of short jobs, median, ms"},
    {"short_completion_p95_ms", "/measures/short/job_completion_ms/p95",
        "completion of short jobs, 95th percentile, ms"},
    {"short_completion_p99_ms", "/measures/short/job_completion_ms/p99",
        "completion of short jobs, 99th percentile, ms"},
    {"long_completion_p50_ms", "/measures/long/job_completion_ms/p50",
        "completion of long jobs, median, ms"},
    {"long_completion_p95_ms", "/measures/long/job_completion_ms/p95",
        "completion of long jobs, 95th percentile, ms"},
    {"long_completion_p99_ms", "/measures/long/job_completion_ms/p99",
        "completion of long jobs, 99th percentile, ms"},
    {"free_delay_mean_ms", "/measures/free/job_delay_ms/mean", "delay of free jobs, mean, ms"},
    {"free_delay_p99_ms", "/measures/free/job_delay_ms/p99",
        "delay of free jobs, 99th percentile, ms"},
    {"constrained_delay_mean_ms", "/measures/constrained/job_delay_ms/mean",
        "delay of constrained jobs, mean, ms"},
    {"constrained_delay_p99_ms", "/measures/constrained/job_delay_ms/p99",
        "delay of constrained jobs, 99th percentile, ms"},
    {"constrained_queueing_mean_ms", "/measures/constrained/queueing_delay_ms/mean",
        "queueing delay of constrained jobs, mean, ms"},
    {"fairness_of_slowdown", "/fairness_of_slowdown", "Jain's index of the slowdown of jobs"},
    {"utilisation", "/utilisation", "share of all CPUs that worked"},
    {"messages_per_task", "/messages_per_task", "messages of scheduling per task"},
    {"peer_messages_per_s", "/peers_sent/mean_per_s", "messages per second of a peer"},
    {"busiest_peer_messages_per_s", "/busiest_peer_messages_per_s",
        "messages per second of the busiest peer"},
    {"jobs_unfinished", "/measured_jobs_unfinished", "measured jobs that did not end"},
    {"jobs_lost", "/jobs_lost", "jobs lost"},
    {"bytes_per_task", "/per_task/bytes", "bytes of scheduling per task"},
    {"log_messages_per_task", "/per_task/log_messages", "messages of logs of jobs per task"},
    {"log_bytes_per_task", "/per_task/log_bytes", "bytes of logs of jobs per task"},
    {"jobs_left_out", "/jobs_left_out", "jobs that no machine can run"},
    {"share_deviation", "/sharing/deviation", "what classes lack of their shares, together"},
    {"share_error", "/sharing/worst_error", "the worst error of a class, relative to its share"},
    {"share_deviation_over_time", "/sharing/deviation_over_time",
        "what classes lack of their shares at a look, on average"},
    {"load_balance", "/nodes/load_balance", "Jain's index of the busy shares of machines"},
    {"served_mean_per_s", "/nodes/served_per_s/mean", "tasks served per second by a machine"},
    {"served_min_per_s", "/nodes/served_per_s/min",
        "tasks served per second by the machine with the fewest"},
    {"served_max_per_s", "/nodes/served_per_s/max",
        "tasks served per second by the machine with the most"},
    {"served_balance", "/nodes/served_per_s/balance",
        "Jain's index of the tasks served by machines"},
    {"all_in_cells_s", "/sharing/all_in_cells_s", "s until all are in cells"},
    {"one_tree_s", "/sharing/one_tree_s", "s until all are in one tree"},
    {"granted_s", "/sharing/granted_s", "s until all have grants"},
    {"healed_s", "/sharing/healed_s", "s until all are in one tree again, with grants"},
    {"shares_hold_s", "/sharing/shares_hold_s", "s until shares hold again (within .05 in all)"},
    {"shares_back_s", "/sharing/shares_back_s", "s until both"},
    {"busiest_manager_messages_per_s", "/sharing/busiest_manager/messages_per_s",
        "cell messages per second of the busiest peer"},
    {"busiest_manager_bytes_per_s", "/sharing/busiest_manager/bytes_per_s",
        "bytes of cell messages per second of the busiest peer"},
    {"busiest_manager_cpu_ms_per_s", "/cost/cells_cpu_ms_per_s/busiest_manager",
        "CPU time of the busiest peer for cells, ms per second"},
    {"busiest_of_level_0_per_s", "/sharing/busiest_manager/of_level_per_s/0",
        "messages per second of the busiest manager of nodes, about them"},
    {"busiest_of_level_1_per_s", "/sharing/busiest_manager/of_level_per_s/1",
        "messages per second of the busiest manager of cells, about them"},
    {"busiest_of_level_2_per_s", "/sharing/busiest_manager/of_level_per_s/2",
        "messages per second of the busiest manager of cells of cells, about them"},
    {"cell_messages_per_s", "/sharing/peer_messages_per_s", "cell messages per second of a peer"},
    {"peer_cells_cpu_ms_per_s", "/cost/cells_cpu_ms_per_s/peer",
        "CPU time of a peer for cells, ms per second"},
    {"broken_books", "/sharing/broken_looks"},
    {"peak_bytes", "/cost/peak_bytes", "the most memory that the run took, bytes"},
    {"view_size", "/health_at_end/view_size"},
    {"in_degree_deviation", "/health_at_end/in_degree_deviation"},
    {"unreachable", "/health_at_end/unreachable"},
    {"dead_random_links", "/health_at_end/dead_random_links"},
};

}  // namespace

std::span<const Figure> figures() {
  return kFigures;
}

std::size_t figure_index(std::string_view name) {
  return static_cast<std::size_t>(
      std::ranges::find(kFigures, name, &Figure::name) - std::begin(kFigures));
}

}  // namespace dunlin::sim
