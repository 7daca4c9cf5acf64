// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// The control protocol: what a client (the command line) and an agent tell each other.
//
// Messages are JSON objects. On the Unix socket each is preceded by its length, 4 bytes, little end
// first; on a sealed stream it is one message of a ControlConnection.
//
//   request   {"verb": "jobs", "id": 7, ...}                 id: any number, chosen by the client
//   reply     {"id": 7, "ok": {...}, "end": true}            the last reply to a request
//             {"id": 7, "ok": {...}}                         more replies follow
//             {"id": 7, "error": {"kind": "usage", "text": "..."}}   the last one, too
//
// Error kinds are the words of ErrorKind: usage, not_found, refused, io, corrupt, timeout. Several
// requests may be under way at once. Unknown members are ignored. To end a stream early, close the
// connection or send {"verb": "stop", "id": N, "request": 7}.
//
// JSON texts are UTF-8, and what programs are handed need not be: words of a command, values of
// variables, paths and lines (entry, entries, lines) that are no UTF-8 are {"base64": "..."}
// instead, so that no byte of them is lost.
//
// Members ending in _ns are nanoseconds, those ending in at_ns count from 1970; *_bytes are bytes.
// Nodes are 16 hex digits ("worker"), with their names beside them ("worker_name"). RESOURCES are
// {"cpu_milli": n, "memory_mib": n, "custom": {"gpu": 1}}; COUNTS are {"waiting", "running",
// "cancelling", "done", "failed", "cancelled"}. Jobs are named by "number" (the agent's own).
//
//   status   {}                       -> {version, node, name, address, incarnation, cluster,
//   uptime_ns,
//                                         state, total: R, free: R, running, queued, jobs, limits,
//                                         data_dir, output_bytes, store_error: text|null,
//                                         counters: {name: n}}
//   params   {}                       -> {params: [{key, type, range, value, default, meaning,
//   source}]} nodes    {}                       -> {self, nodes: [{node, name, address, state,
//   age_ns, total: R,
//                                         free: R|null, attributes: {}, limits, version, running,
//                                         queued, jobs, facts: bool}]}
//            state: up, draining, suspect, down. Without facts (not heard of yet) name is hex.
//   submit   JOB [, allow_unsatisfiable]  -> {number, job, tasks}: durable, when it is said
//   submit_begin  JOB [, ...]         -> {upload}
//   submit_lines  {upload, group, lines: []}  -> {lines: so far}
//   submit_end    {upload}            -> as submit
//       JOB: {name, owner, class, groups: [{name, count, demand: R, constraints: ["arch=x86_64"],
//       priority,
//             retries, time_limit_ns, duration_ns, command: [], environment: {}, directory, stdout,
//             stderr, submit_directory, entries: []}]}. All but groups and command may be left out.
//             With entries (or uploaded lines), count is their number.
//   jobs     {[all: bool]}            -> {jobs: [SUMMARY]}; without all: unfinished ones only
//       SUMMARY: {number, job, name, owner, state, tasks, counts: COUNTS, demand: R (first group),
//                 groups: n, class, priority, submitted_at_ns, age_ns, finished: bool,
//                 reason: text|""}
//       state: waiting, running, done, failed, cancelled.
//   job      {number}                 -> SUMMARY and {node, node_name, groups: [GROUP], failed:
//   [TASK with
//                                         attempts: [ATTEMPT]] (at most 20), failed_more: n, start:
//                                         P, run: P, cpu: P, memory_peak_bytes: P}, P: {p50, p99,
//                                         max, count}
//       GROUP: {name, first, count, demand: R, constraints: [], priority, retries, time_limit_ns,
//       duration_ns,
//               command: [], waiting, probes}
//       ATTEMPT: {attempt, worker, worker_name, lost, outcome, status, wall_ns, detail}
//   tasks    {number [, state, from, limit]} -> {tasks: [TASK], next: index|null}
//       TASK: {index, state, attempt, worker, worker_name, outcome, status, shell_status, wall_ns,
//              cpu_ns, memory_peak_bytes, out_bytes, err_bytes, started_at_ns, detail, entry};
//             unknown ones left out
//   explain  {number}                 -> SUMMARY and {groups: [{group, name, waiting, demand: R,
//   constraints,
//                                         waited_ns, census: {known, up, matching, could_fit,
//                                         fit_now, cpu_short, memory_short, custom_short,
//                                         oldest_ns, largest_name, largest: R, failed_constraints:
//                                         []}, probes: [{probe, queued, holder, holder_name, ahead,
//                                         age_ns}], verdict}], not_up: [{name, state}]}
//   wait     {numbers: [] [, progress: bool]}  -> {progress: [SUMMARY]} every 200 ms, if asked;
//                                         {jobs: [SUMMARY]} when all are finished
//   watch    {number}                 -> {progress: SUMMARY, finished: [TASK]}; each finished task
//   is
//                                         told once, those of the past first; ends with the job
//   output   {number, task, stream: "out"|"err" [, attempt, offset, most, follow]}
//                                     -> {attempt, offset, total, ended, data: base64} ...
//            Without follow: what is there now. With: until the task has ended and all is told.
//   cancel   {number [, tasks: []]}   -> {cancelled: n}: told to stop or ended
//   drain    {[node: name or id,] on} -> {node, name, draining, running}
//   top      {}                       -> {status, nodes, jobs (with all)}
//   share_set   {set: [{name, weight}], remove: [names]} -> TABLE and {kept_by: cell|null}: when a
//                                         manager has it in its books, or after 15 s (null)
//   share_list  {}                    -> TABLE: {version, classes: [{name, weight, percent}]};
//                                         version 0: nobody shares
//   cells    {[members: bool]}        -> {version, cells: [CELL], silent: SILENT, nodes_known}
//       CELL: {cell, level, manager, manager_name, epoch, size, size_max, voters,
//              parent: cell|null, age_ns, tickets, version, dissolving, closed [, members:
//              [{member, name, tickets,
//              leaving}]]}, parents before their children
//       SILENT: [{cell, why}], known of and not answering
//   cells_write_off  {cell: hex, [reissue: bool]} -> {cell, holders: n, written_off: bool, back: n,
//                                         silent: SILENT}: when all cells that know of it have it
//                                         in their books (true), or after 15 s (false). holders:
//                                         cells that had not yet; back: tickets that were under way
//   shares   {[cell: hex or its beginning]} -> {version, cell, classes: [{name, weight, percent,
//                                         desired, granted, used, cpu, need, balance}], silent:
//                                         SILENT}; used: occupied, cpu: CPU time
//   audit    {[patience_ns]}          -> {conserved: bool, version, cells, nodes, readings, sums:
//                                         {minted, pools, granted, saved, accounts, in_flight,
//                                         sent, received}, off: [text], undecided: [text],
//                                         written_off: [{cell, sent, received}], silent: SILENT}
namespace dunlin::node {

/// Bounds on what one client may make an agent do.
inline constexpr std::size_t kControlConnectionsMax = 64;
inline constexpr std::size_t kControlStreamsMax = 64;  ///< Requests under way on one connection.
inline constexpr std::uint32_t kTasksMax = 1'000'000;  ///< Of one job.
inline constexpr std::size_t kLinesMax = std::size_t{256} << 20;  ///< Bytes of one job's lines.
inline constexpr std::size_t kLineMax = 65'536;
inline constexpr std::size_t kGroupsMax = 256;
inline constexpr std::uint32_t kPageMax = 1000;  ///< Tasks listed in one reply.
inline constexpr std::chrono::milliseconds kNodesWait{300};
inline constexpr std::chrono::milliseconds kProgressPeriod{200};

}  // namespace dunlin::node
