// SPDX-License-Identifier: MIT
#include "web/metrics/alert_rules.h"

// Each rule tells of something that an operator can mend, and says how. What mends itself within
// moments, or is of one user's job, is no alarm. A rule that compares nodes with each other says
// what holds for most: Prometheus alone sees all of them.
namespace dunlin::web {
namespace {

constexpr std::string_view kCritical = "critical";
constexpr std::string_view kWarning = "warning";
constexpr std::string_view kInfo = "info";

constexpr AlertRule kAlertRules[] = {
    {"DunlinUnreachable", kCritical, "up{job=\"dunlin\"} == 0", "2m",
        "{{ $labels.instance }} tells nothing: its machine, its gateway or its agent is down",
        "On that machine look at `systemctl status dunlin dunlin-web`. The gateway's /readyz says "
        "whether its agent answers. Start what is down: tasks run on, and jobs go on.",
        "drain-stop-upgrade"},
    {"DunlinNodeDown", kWarning, "max(dunlin_nodes{state=\"down\"}) > 0", "1m",
        "{{ $value }} nodes went down without a good-bye in the last minutes",
        "`dunlin nodes` names them. Start them again with their data; say `dunlin node forget "
        "NODE` "
        "of one that does not come back.",
        "watch"},
    {"DunlinNodeAlone", kWarning,
        "sum by (instance) (dunlin_nodes{state=~\"up|draining|sick\"}) == 1 "
        "and on () count(dunlin_build_info) > 1",
        "5m", "{{ $labels.instance }} knows no other node",
        "Its log says why: waiting_for_contact or datagrams_unopened. Look at --join, at the key "
        "file, and at UDP and TCP 7700 both ways.",
        "trouble"},
    {"DunlinNodeSick", kWarning, "dunlin_node_state{state=\"sick\"} == 1", "1m",
        "{{ $labels.instance }} is sick: it takes no tasks",
        "The line below `dunlin nodes` says why. The node is well again by itself once that is "
        "mended.",
        "sick-nodes"},
    {"DunlinDrainForgotten", kInfo, "dunlin_node_state{state=\"draining\"} == 1", "1d",
        "{{ $labels.instance }} has been drained for a day",
        "`dunlin nodes` says who drained it, and why. `dunlin node drain NODE --off` ends it.",
        "drain-stop-upgrade"},
    {"DunlinRestarts", kWarning, "resets(dunlin_uptime_seconds[1h]) > 3", "0s",
        "The agent of {{ $labels.instance }} began anew {{ $value }} times within an hour",
        "Its log says why it ended; what the exit status means stands in the guide.",
        "drain-stop-upgrade"},
    {"DunlinVersionsDiffer", kInfo, "count(count by (version) (dunlin_build_info)) > 1", "1h",
        "Agents of {{ $value }} versions run",
        "An upgrade goes node by node, and ended half-way: `dunlin nodes` shows the versions.",
        "drain-stop-upgrade"},
    {"DunlinOtherWireVersion", kCritical,
        "sum by (instance) (increase(dunlin_dropped_total{reason=\"other_version\"}[15m])) > 0",
        "5m", "{{ $labels.instance }} hears agents with another version of the wire",
        "They do not hear each other at all. The log (other_version) names their addresses: "
        "upgrade all agents together.",
        "drain-stop-upgrade"},
    {"DunlinStoreFailing", kCritical, "dunlin_store_ok == 0", "30s",
        "{{ $labels.instance }} cannot write its records: it takes no jobs",
        "The log (store_failed) says why. Make room on its disk, or mend it: it goes on by itself.",
        "what-is-kept-where"},
    {"DunlinCommitsFailed", kWarning, "increase(dunlin_commits_failed_total[15m]) > 0", "0s",
        "Transactions of {{ $labels.instance }} failed, and were tried again",
        "Look at its disk and at store_failed in its log: a disk that fails now and then will fail "
        "for good.",
        "what-is-kept-where"},
    {"DunlinRowsDamaged", kWarning, "dunlin_rows_damaged_total > 0", "0s",
        "The database of {{ $labels.instance }} has damaged rows",
        "The log (row_damaged) and `dunlin status` name them. They are left out; look at the disk, "
        "and at a backup.",
        "backup"},
    {"DunlinDiskNearFull", kWarning,
        "dunlin_disk_bytes{kind=\"free\"} "
        "< ignoring (kind) 1.25 * dunlin_disk_bytes{kind=\"needed\"}",
        "10m", "The disk of {{ $labels.instance }} is nearly full: the node falls sick soon",
        "Output of tasks has given way already: others fill this disk. Make room, or give the "
        "agent a disk of its own.",
        "sizing"},
    {"DunlinJobWaits", kInfo, "max by (instance) (dunlin_job_wait_seconds) > 3600", "15m",
        "A job of {{ $labels.instance }} has waited for its first task for "
        "{{ $value | humanizeDuration }}",
        "`dunlin explain JOB` at that node says what it waits for: room, a share, or a node that "
        "there is not.",
        "trouble"},
    {"DunlinTasksLost", kWarning,
        "sum by (instance) (increase(dunlin_events_total{event=\"task_lost\"}[15m])) > 0 "
        "unless on () (max(max_over_time(dunlin_nodes{state=~\"down|suspect\"}[15m])) > 0)",
        "0s", "Jobs of {{ $labels.instance }} lost attempts though no node went down",
        "They are made again. `dunlin events --event task_lost` names the nodes: an agent that "
        "hangs, or a network that loses much.",
        "watch"},
    {"DunlinCellWithoutManager", kWarning,
        "dunlin_cell_leased == 0 and on () (max(max_over_time(dunlin_cell_leased[1d])) == 1)", "5m",
        "{{ $labels.instance }} is in no cell with a manager: classes go by the table alone",
        "`dunlin cells` names cells without a manager. Mostly more than half of its voters are "
        "down: start them with their data.",
        "who-shares-the-cluster"},
    {"DunlinGrantsLapsed", kWarning,
        "sum by (instance) (increase(dunlin_events_total{event=\"grants_lapsed\"}[15m])) > 0", "0s",
        "{{ $labels.instance }} had no newer grants in time",
        "It does not reach the manager of its cell. `dunlin cells` says which node that is.",
        "who-shares-the-cluster"},
    {"DunlinFewVoters", kWarning,
        "min by (instance) (dunlin_cell_voters) < 3 and on () count(dunlin_build_info) >= 3", "10m",
        "The books of a cell that {{ $labels.instance }} manages have {{ $value }} voters",
        "With fewer than three the loss of one node may end the cell, and takeovers of jobs with "
        "replicas. They need three machines that run: `dunlin cells` shows them.",
        "backup"},
    {"DunlinBooksBroken", kCritical, "max by (instance) (dunlin_cells_broken) > 0", "0s",
        "The books of {{ $value }} cells that {{ $labels.instance }} manages do not add up",
        "`dunlin audit` says what is wrong. It is a bug: keep the data of the voters of that cell, "
        "and tell those who make Dunlin.",
        "who-shares-the-cluster"},
    {"DunlinCellStrangers", kWarning,
        "sum by (instance) (increase(dunlin_cell_total{what=\"strangers\"}[15m])) > 0", "0s",
        "{{ $labels.instance }} had orders of nodes that have no say in its cell",
        "A member that errs, or is hostile: see who holds the key of the cluster.",
        "who-shares-the-cluster"},
    {"DunlinLogOrphaned", kCritical,
        "sum by (instance) (increase(dunlin_events_total{event=\"log_orphaned\"}[1h])) > 0", "0s",
        "{{ $labels.instance }} has records of jobs that no node drives any more",
        "`dunlin jobs` says of which. Start their homes again; if those disks are lost, `dunlin "
        "node take-over JOB` at that node goes on with what it has.",
        "backup"},
    {"DunlinClockDiffers", kWarning,
        "sum by (instance) (increase(dunlin_dropped_total{reason=\"clock\"}[15m])) > 0", "0s",
        "The clock of {{ $labels.instance }} and that of another node are minutes apart",
        "The log (clock_differs) names the other one. Set the wrong clock, and let NTP keep it.",
        "trouble"},
    {"DunlinWrongKey", kWarning,
        "sum by (instance) (increase(dunlin_dropped_total{reason=~\"key|wrong_cluster\"}[15m])) > "
        "0",
        "15m", "{{ $labels.instance }} hears agents with another key, or of another cluster",
        "The log (datagrams_unopened) names their addresses. After a change of keys: copy the file "
        "there, and `systemctl reload dunlin`.",
        "keys"},
    {"DunlinRequestsFailed", kWarning,
        "sum by (instance) (increase(dunlin_requests_failed_total[15m])) > 0", "0s",
        "Requests at {{ $labels.instance }} met a fault of its agent",
        "The log (request_failed) says which: tell those who make Dunlin.", "watch"},
};

/// As YAML takes any text: between single quotes, and those in it doubled.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

void add_line(std::string& out, std::string_view key, std::string_view value) {
  out.append(key).append(": ").append(quoted(value)).append("\n");
}

}  // namespace

std::span<const AlertRule> all_alert_rules() {
  return kAlertRules;
}

std::string alert_rules_text() {
  std::string out =
      "# Alarms of Dunlin " DUNLIN_VERSION
      " for Prometheus, printed by `dunlin metrics --alerts`: see docs/guide/web.md.\n"
      "groups:\n"
      "  - name: dunlin\n"
      "    rules:\n";
  for (const AlertRule& rule : kAlertRules) {
    add_line(out, "      - alert", rule.name);
    add_line(out, "        expr", rule.expr);
    add_line(out, "        for", rule.after);
    out += "        labels:\n";
    add_line(out, "          severity", rule.severity);
    out += "        annotations:\n";
    add_line(out, "          summary", rule.summary);
    add_line(out, "          description", rule.cure);
    add_line(out, "          page", "docs/guide/operators.md#" + std::string(rule.section));
  }
  return out;
}

}  // namespace dunlin::web
