// SPDX-License-Identifier: MIT
#include "web/metrics/metric_table.h"

#include <algorithm>

// No label names a job, a task, a user or a peer: so there are as many series on a busy node as on
// an idle one. Whoever adds a counter to an agent adds a line here, which tests/web asks for.
namespace dunlin::web {
namespace {

using enum Origin;
using enum Gather;

constexpr double kMiB = 1'048'576;
constexpr double kNs = 1e-9;

constexpr std::string_view kNodes = "Nodes";
constexpr std::string_view kWork = "Tasks and jobs";
constexpr std::string_view kStore = "Disk and records";
constexpr std::string_view kCells = "Cells";
constexpr std::string_view kClients = "Clients";
constexpr std::string_view kNetwork = "Network";

constexpr Metric kMetrics[] = {
    {"dunlin_build_info", "version", version, "", sum, "short", kNodes, "The version of the agent"},
    {"dunlin_node_state", "state", state, "", sum, "short", kNodes,
        "1 of the state that the node is in"},
    {"dunlin_nodes", "state", reading, "", highest, "short", kNodes,
        "Nodes that the agent knows, by state, without those that said good-bye"},
    {"dunlin_uptime_seconds", "", reading, "", lowest, "s", kNodes, "Since the agent was started"},
    {"dunlin_slots", "state", reading, "", sum, "short", kWork, "Slots by their state"},
    {"dunlin_cpu_cores", "kind", reading, "", sum, "short", kWork, "CPUs for tasks"},
    {"dunlin_memory_bytes", "kind", reading, "", sum, "bytes", kWork, "Memory for tasks"},
    {"dunlin_tasks_running", "", reading, "", sum, "short", kWork, "Tasks that run on this node"},
    {"dunlin_reservations_queued", "", reading, "", sum, "short", kWork,
        "Reservations that wait on this node"},
    {"dunlin_jobs_unfinished", "", reading, "", sum, "short", kWork, "Jobs that this node drives"},
    {"dunlin_job_wait_seconds", "", reading, "", highest, "s", kWork,
        "The longest that a job of this node has waited for its first task"},
    {"dunlin_events_total", "event", family, "event_", sum, "short", kWork,
        "What happened at this agent, by event"},
    {"dunlin_store_ok", "", store, "", lowest, "short", kStore,
        "1 if the agent can write its records"},
    {"dunlin_disk_bytes", "kind", reading, "", lowest, "bytes", kStore,
        "The disk of the data directory; with less free than needed the node is sick"},
    {"dunlin_output_bytes", "", reading, "", sum, "bytes", kStore, "Output of tasks that is kept"},
    {"dunlin_commits_total", "", counter, "commits", sum, "short", kStore,
        "Transactions of the database"},
    {"dunlin_commits_failed_total", "", counter, "commits_failed", sum, "short", kStore,
        "Transactions that failed"},
    {"dunlin_rows_damaged_total", "", counter, "rows_damaged", sum, "short", kStore,
        "Rows that did not match their checksums, as often as they were read"},
    {"dunlin_cell_leased", "", reading, "", lowest, "short", kCells,
        "1 if the node is a member of a cell, and the manager renews its lease"},
    {"dunlin_cells_managed", "", reading, "", sum, "short", kCells, "Cells that this node manages"},
    {"dunlin_cells_broken", "", reading, "", sum, "short", kCells,
        "Managed cells whose books break a rule that must always hold"},
    {"dunlin_cell_voters", "", reading, "", lowest, "short", kCells,
        "Voters in the books of the managed cell that has the fewest"},
    {"dunlin_cell_total", "what", family, "cell_", sum, "short", kCells,
        "Messages and questions of cells"},
    {"dunlin_grants_refused_total", "", counter, "grants_refused", sum, "short", kCells,
        "Leases of managers that had been replaced"},
    {"dunlin_requests_total", "", counter, "requests", sum, "short", kClients,
        "Requests of clients"},
    {"dunlin_requests_failed_total", "", counter, "requests_failed", sum, "short", kClients,
        "Requests that met a fault of the agent"},
    {"dunlin_datagrams_total", "direction", family, "datagrams_", sum, "short", kNetwork,
        "Datagrams of gossip"},
    {"dunlin_datagram_bytes_total", "direction", family, "datagram_bytes_", sum, "bytes", kNetwork,
        "Bytes of datagrams"},
    {"dunlin_messages_total", "direction", family, "messages_", sum, "short", kNetwork,
        "Messages between nodes"},
    {"dunlin_streams_total", "what", family, "streams_", sum, "short", kNetwork,
        "Streams between nodes"},
    {"dunlin_stream_bytes_total", "direction", family, "stream_bytes_", sum, "bytes", kNetwork,
        "Bytes of streams"},
    {"dunlin_dropped_total", "reason", family, "dropped_", sum, "short", kNetwork,
        "Datagrams and streams that were refused, by reason"},
    {"dunlin_malformed_total", "", counter, "malformed", sum, "short", kNetwork,
        "Messages that were sealed well and made no sense"},
    {"dunlin_introductions_total", "", counter, "introductions", sum, "short", kNetwork,
        "Datagrams that introduce this node to others"},
    {"dunlin_greetings_total", "", counter, "greetings", sum, "short", kNetwork,
        "Answers to introductions"},
};

constexpr Reading kReadings[] = {
    {"dunlin_nodes", "up", {"node_states", "up"}},
    {"dunlin_nodes", "draining", {"node_states", "draining"}},
    {"dunlin_nodes", "sick", {"node_states", "sick"}},
    {"dunlin_nodes", "suspect", {"node_states", "suspect"}},
    {"dunlin_nodes", "down", {"node_states", "down"}},
    {"dunlin_uptime_seconds", "", {"uptime_ns"}, kNs},
    {"dunlin_slots", "available", {"slots", "available"}},
    {"dunlin_slots", "occupied", {"slots", "occupied"}},
    {"dunlin_slots", "busy", {"slots", "busy"}},
    {"dunlin_slots", "down", {"slots", "down"}},
    {"dunlin_cpu_cores", "offered", {"total", "cpu_milli"}, 1e-3},
    {"dunlin_cpu_cores", "free", {"free", "cpu_milli"}, 1e-3},
    {"dunlin_memory_bytes", "offered", {"total", "memory_mib"}, kMiB},
    {"dunlin_memory_bytes", "free", {"free", "memory_mib"}, kMiB},
    {"dunlin_tasks_running", "", {"running"}},
    {"dunlin_reservations_queued", "", {"queued"}},
    {"dunlin_jobs_unfinished", "", {"jobs"}},
    {"dunlin_job_wait_seconds", "", {"longest_wait_ns"}, kNs},
    {"dunlin_disk_bytes", "size", {"disk", "size_bytes"}},
    {"dunlin_disk_bytes", "free", {"disk", "free_bytes"}},
    {"dunlin_disk_bytes", "needed", {"disk", "needed_bytes"}},
    {"dunlin_output_bytes", "", {"output_bytes"}},
    {"dunlin_cell_leased", "", {"cells", "leased"}},
    {"dunlin_cells_managed", "", {"cells", "managed"}},
    {"dunlin_cells_broken", "", {"cells", "broken"}},
    {"dunlin_cell_voters", "", {"cells", "voters"}},
};

}  // namespace

std::span<const Metric> all_metrics() {
  return kMetrics;
}

std::span<const Reading> all_readings() {
  return kReadings;
}

const Metric* metric_of_counter(std::string_view name) {
  const auto found = std::ranges::find_if(kMetrics, [name](const Metric& each) {
    return each.origin == counter ? each.from == name
                                  : each.origin == family && name.starts_with(each.from);
  });
  return found == std::end(kMetrics) ? nullptr : found;
}

bool is_counter(const Metric& metric) {
  return metric.origin == counter || metric.origin == family;
}

}  // namespace dunlin::web
