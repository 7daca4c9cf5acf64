// SPDX-License-Identifier: MIT
#include "web/gateway/endpoint.h"

#include <algorithm>

namespace dunlin::web {
namespace {

constexpr std::int64_t kLimitMax = 200;
constexpr std::int64_t kLimit = 50;

// Examples that are said more than once, or are long. Each example of this file is asked of a real
// agent by a test, so it must be right as it stands.

/// What an answer alone can tell, such as a cursor: the example goes without.
constexpr std::string_view kOfAnAnswer = "";
constexpr std::string_view kMoment = "1735689600000000000";
constexpr std::string_view kJobExample =
    R"({"name":"nightly","groups":[{"command":["sh","-c","echo begun; sleep 600"],"count":2,)"
    R"("demand":{"cpu_milli":100,"memory_mib":16}}]})";

constexpr Parameter kLimitOf = {
    "limit", "limit", Type::integer, "lines of a page, 1 to 200", "10", kLimitMax, kLimit};
constexpr Parameter kAfter = {
    "after", "after", Type::text, "`next` of the page before; empty: the first", kOfAnAnswer};
constexpr Parameter kSince = {
    "since_at_ns", "since_at_ns", Type::integer, "ns since 1970: from then on", kMoment};

constexpr Parameter kJobs[] = {kLimitOf, kAfter,
    {"state", "state", Type::text, "only jobs in it", "running"},
    {"user", "user", Type::text, "only those of this owner", "alice"},
    {"class", "class", Type::text, "only those of this class", "gold"},
    {"name", "name", Type::text, "only those whose name is so; *, ? and [...] as in a shell",
        "night*"},
    {"all", "all", Type::flag, "finished ones, too", "true"},
    {"since_at_ns", "since_at_ns", Type::integer, "only those submitted then or later", kMoment},
    {"ended_since_at_ns", "ended_since_at_ns", Type::integer, "only those ended then or later",
        kMoment},
    {"node", "node", Type::text, "only those of this node", "node1"},
    {"ids", "ids", Type::texts, "only these, finished or not", "node1.1"},
    {"sort", "sort", Type::text, "number, newest, oldest, tasks, name, user or state", "newest"}};
constexpr Parameter kJob[] = {
    {"request", "request", Type::flag, "tell what was asked for, too", "true"}};
constexpr Parameter kTasks[] = {kLimitOf,
    {"after", "from", Type::integer, "`next` of the page before", "1"},
    {"state", "state", Type::text, "only tasks in it", "running"},
    {"attempts", "attempts", Type::flag, "tell of earlier attempts, too", "true"}};
constexpr Parameter kTimeline[] = {{"bins", "bins", Type::integer, "of time, 2 to 1,000", "60"},
    {"bars", "bars", Type::integer, "attempts are told of a job of no more tasks", "100"}};
constexpr Parameter kTaskBins[] = {
    {"bins", "bins", Type::integer, "ranges of tasks, 1 to 1,000", "60"}};
constexpr Parameter kOutput[] = {{"stream", "stream", Type::text, "out or err", "err"},
    {"attempt", "attempt", Type::integer, "0: the last one", "1"},
    {"download", "", Type::flag, "as an attachment", "true"}};
constexpr Parameter kNodes[] = {
    {"limit", "", Type::integer, "nodes of a page, 1 to 200", "10", kLimitMax, kLimit},
    {"after", "", Type::text, "`next` of the page before; empty: the first", kOfAnAnswer},
    {"state", "", Type::text, "only nodes in it", "up"},
    {"name", "", Type::text, "only those with this in their name", "node"},
    {"sort", "", Type::text,
        "name, state, version, free_cpu, free_memory, running, queued or age; -name backwards",
        "-free_cpu"}};
constexpr Parameter kPage[] = {kLimitOf, kAfter};
constexpr Parameter kPast[] = {{"figures", "figures", Type::texts, "those alone", "running,queued"},
    {"step_ns", "step_ns", Type::integer, "5000000000 or 60000000000", "60000000000"}, kSince};
constexpr Parameter kEvents[] = {{"level", "level", Type::text, "this and graver", "warn"},
    {"names", "names", Type::texts, "those alone; job_* for all that begin so", "job_*,task_lost"}};
constexpr Parameter kAudit[] = {
    kLimitOf, {"user", "user", Type::text, "only what this user did", "alice"}};
constexpr Parameter kCells[] = {{"members", "members", Type::flag, "list their members", "true"}};
constexpr Parameter kShares[] = {
    {"cell", "cell", Type::text, "its id or the begin of it; empty: all", kOfAnAnswer},
    {"past", "past", Type::flag, "what classes had saved over time, too", "true"}};
constexpr Parameter kUsage[] = {
    {"limit", "limit", Type::integer, "lines, 1 to 200", "10", kLimitMax, kLimitMax},
    {"by", "by", Type::text, "user, class, day or node", "user"}, kSince,
    {"until_at_ns", "until_at_ns", Type::integer, "ns since 1970: up to then", kMoment},
    {"user", "user", Type::text, "only of this user", "alice"},
    {"class", "class", Type::text, "only of this class", "gold"}};
constexpr Parameter kFind[] = {{"name", "name", Type::text, "NODE.NUMBER, or NODE.NUMBER.TASKS",
    "node1.1", INT64_MAX, 0, true}};
constexpr Parameter kTopics[] = {
    {"topics", "", Type::texts, "what is told", "jobs,nodes", INT64_MAX, 0, true}};

constexpr Parameter kTasksBody[] = {{"tasks", "tasks", Type::integers, "these alone", "1"}};
constexpr Parameter kRetryBody[] = {
    {"tasks", "tasks", Type::integers, "these, however they ended", "1"},
    {"failed", "failed", Type::flag, "those that failed alone", ""}};
constexpr Parameter kSetBody[] = {{"priority", "priority", Type::integer, "0 to 100", "40"},
    {"deadline_ns", "deadline_ns", Type::integer, "from now on; 0: none any more",
        "7200000000000"}};
constexpr Parameter kDrainBody[] = {{"on", "on", Type::flag, "false takes it back", "true"},
    {"reason", "reason", Type::text, "why", "new disk"},
    {"lasts_ns", "lasts_ns", Type::integer, "it ends by itself after so long", "3600000000000"}};
constexpr Parameter kCodeBody[] = {
    {"code", "", Type::text, "of the link", "4f1c0a9e2b7d88534f1c0a9e2b7d8853"}};

constexpr std::string_view kAttempts = "\"limit\":1,\"attempts\":true";
constexpr std::uint64_t kNodesFreshMs = 2'000;
constexpr std::uint64_t kSlowFreshMs = 5'000;

const Endpoint kEndpoints[] = {
    {"POST", "/v1/session", Way::login, "", "", {}, kCodeBody, "Log in by a code"},
    {"DELETE", "/v1/session", Way::logout, "", "", {}, {}, "Log out"},
    {"GET", "/v1/whoami", Way::whoami, "", "", {}, {}, "Who asks, and which agent answers"},
    {"GET", "/v1/openapi.json", Way::openapi, "", "", {}, {}, "This description"},
    {"GET", "/v1/status", Way::verb, "status", "", {}, {}, "What the agent is", 1'000, true},
    {"GET", "/v1/jobs", Way::list, "jobs", "\"cluster\":true", kJobs, {}, "Jobs of the cluster"},
    {"GET", "/v1/jobs/{job}", Way::verb, "job", "", kJob, {}, "All about a job"},
    {"GET", "/v1/jobs/{job}/tasks", Way::tasks, "tasks", "", kTasks, {}, "Tasks of a job"},
    {"GET", "/v1/jobs/{job}/tasks/{task}", Way::task, "tasks", kAttempts, {}, {}, "One task"},
    {"GET", "/v1/jobs/{job}/tasks/{task}/output", Way::output, "output", "", kOutput, {},
        "What a task wrote"},
    {"GET", "/v1/jobs/{job}/timeline", Way::verb, "timeline", "", kTimeline, {},
        "When its attempts began and ended", kNodesFreshMs},
    {"GET", "/v1/jobs/{job}/bins", Way::verb, "task_bins", "", kTaskBins, {},
        "How many of its tasks stand where", kNodesFreshMs},
    {"GET", "/v1/jobs/{job}/explain", Way::verb, "explain", "", {}, {}, "Why it does not run"},
    {"GET", "/v1/nodes", Way::nodes, "nodes", "", kNodes, {}, "Nodes of the cluster", kNodesFreshMs,
        true},
    {"GET", "/v1/nodes/bins", Way::node_bins, "node_bins", "", {}, {},
        "How many nodes are how full", kNodesFreshMs, true},
    {"GET", "/v1/nodes/{node}", Way::verb, "node", "", {}, {}, "All about a node", 1'000, true},
    {"GET", "/v1/nodes/{node}/tasks", Way::list, "node_tasks", "", kPage, {}, "What runs there"},
    {"GET", "/v1/nodes/{node}/past", Way::verb, "past", "", kPast, {}, "As it was", kNodesFreshMs,
        true},
    {"GET", "/v1/nodes/{node}/overlay", Way::verb, "overlay", "", {}, {}, "Which nodes it knows",
        kSlowFreshMs, true},
    {"GET", "/v1/nodes/{node}/events", Way::verb, "events", "", kEvents, {}, "What happened there"},
    {"GET", "/v1/nodes/{node}/audit-log", Way::verb, "audit_log", "", kAudit, {},
        "Who did what there"},
    {"GET", "/v1/past", Way::verb, "past", "", kPast, {}, "As the gateway's agent was",
        kNodesFreshMs, true},
    {"GET", "/v1/overlay", Way::verb, "overlay", "", {}, {},
        "Which nodes the gateway's agent knows", kSlowFreshMs, true},
    {"GET", "/v1/events", Way::verb, "events", "", kEvents, {}, "What happened at that agent"},
    {"GET", "/v1/audit-log", Way::verb, "audit_log", "", kAudit, {}, "Who did what there"},
    {"GET", "/v1/cells", Way::list, "cells", "", kCells, {}, "Cells of a cluster that is shared",
        kNodesFreshMs, true},
    {"GET", "/v1/shares", Way::list, "shares", "", kShares, {}, "What each class has",
        kNodesFreshMs, true},
    {"GET", "/v1/classes", Way::verb, "share_list", "", {}, {}, "The table of classes", 1'000,
        true},
    {"GET", "/v1/plan", Way::list, "plan", "", {}, {}, "The last plan of each cell", kNodesFreshMs,
        true},
    {"GET", "/v1/masters", Way::list, "masters", "", {}, {}, "Who places tasks by a view",
        kNodesFreshMs, true},
    {"GET", "/v1/usage", Way::verb, "usage", "\"cluster\":true", kUsage, {}, "Who used how much",
        kSlowFreshMs},
    {"GET", "/v1/params", Way::verb, "params", "", {}, {}, "Parameters of the agent", kSlowFreshMs,
        true},
    {"GET", "/v1/find", Way::verb, "find", "", kFind, {}, "Read the name of a job"},
    {"POST", "/v1/jobs", Way::submit, "submit", "", {}, {}, "Submit a job", 1'000, false,
        kJobExample},
    {"PATCH", "/v1/jobs/{job}", Way::verb, "set", "", {}, kSetBody, "Set its terms"},
    {"POST", "/v1/jobs/{job}/cancel", Way::verb, "cancel", "", {}, kTasksBody, "Stop it"},
    {"POST", "/v1/jobs/{job}/hold", Way::verb, "hold", "", {}, {}, "Let it start no more tasks"},
    {"POST", "/v1/jobs/{job}/release", Way::verb, "release", "", {}, {}, "Let it go on"},
    {"POST", "/v1/jobs/{job}/retry", Way::verb, "retry", "", {}, kRetryBody, "Run tasks again"},
    {"POST", "/v1/jobs/{job}/requeue", Way::verb, "requeue", "", {}, kTasksBody,
        "Stop tasks that run, and run them again"},
    {"POST", "/v1/nodes/{node}/drain", Way::verb, "drain", "", {}, kDrainBody,
        "Let it take no more tasks"},
    {"GET", "/v1/stream", Way::stream, "", "", kTopics, {}, "What happens, as it happens"},
    {"POST", "/v1/stream/{stream}", Way::topics, "", "", {}, kTopics, "Change what is told"},
};

}  // namespace

std::span<const Endpoint> all_endpoints() {
  return kEndpoints;
}

bool matches(std::string_view path, std::span<const std::string> steps, Captures& captures) {
  captures.clear();
  std::size_t at = 0;
  while (!path.empty()) {
    path.remove_prefix(1);  // The slash.
    const auto end = std::min(path.find('/'), path.size());
    const std::string_view step = path.substr(0, end);
    path.remove_prefix(end);
    if (at == steps.size()) return false;
    if (step.starts_with('{')) {
      captures.emplace(step.substr(1, step.size() - 2), steps[at]);
    } else if (step != steps[at]) {
      return false;
    }
    ++at;
  }
  return at == steps.size();
}

std::string_view example_of_capture(std::string_view name) {
  if (name == "job") return "1";
  if (name == "task") return "0";
  if (name == "node") return "node1";
  return "4f1c0a9e2b7d8853";  // Of a stream, as its event `hello` tells it.
}

std::string_view member_of_capture(std::string_view name, std::string_view verb) {
  if (name == "node") return verb == "node" || verb == "drain" ? "node" : "at";
  if (name == "task") return verb == "tasks" ? "from" : "task";
  return name;
}

}  // namespace dunlin::web
