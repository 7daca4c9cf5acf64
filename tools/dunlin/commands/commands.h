// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "node/entry.h"
#include "overlay/result.h"
#include "tools/dunlin/globals.h"
#include "tools/dunlin/jobs/job_flags.h"
#include "tools/dunlin/screen/column_choice.h"

// The commands, after their words are parsed. Each returns the exit status, or the reason why it
// failed.
namespace dunlin::cli {

/// Of `run`; `submit` has only the job and `quiet`.
struct RunOptions {
  JobFlags job;
  bool quiet = false;
  bool label = false;  ///< The number of its task before each line of output.
  bool no_label = false;
  bool line_buffer = false;  ///< Whole lines while the tasks run.
  bool pty = false;
  bool keep = false;  ///< The job goes on when the user leaves.
};
/// Submits a job and waits for it: shows its output and progress, and returns its exit status.
Result<int> run_job(const Globals& globals, const RunOptions& options);
/// Submits a job and returns.
Result<int> submit_job(const Globals& globals, const RunOptions& options);

/// Which jobs, in which order. Empty texts select nothing out.
struct JobsOptions {
  bool all = false;
  bool quiet = false;
  bool here = false;  ///< Only those of the agent at hand.
  std::string state;
  std::string user;
  std::string node;
  std::string service_class;
  std::string name;
  std::string since;        ///< A time before now: "2h".
  std::string ended_since;  ///< Likewise.
  std::uint32_t limit = 50;
  std::string sort = "newest";
  std::string after;                ///< `next` of a list before.
  std::vector<std::string> labels;  ///< Each as sched::parse_wanted_label() reads it.
  ColumnChoice columns;
};
/// Lists jobs of all nodes, the newest first unless `sort` says otherwise; those that have ended
/// only if they are asked for. Nodes that did not answer are named on stderr.
Result<int> jobs(const Globals& globals, const JobsOptions& options);

/// One job, and what of it.
struct JobOptions {
  std::string job = "last";
  bool tasks = false;
  bool attempts = false;
  bool file = false;      ///< Print its job file.
  bool timeline = false;  ///< Show when its attempts began and ended.
  bool bins = false;      ///< Show how many of its tasks stand where.
  std::string state;
  ColumnChoice columns;  ///< Of the list of tasks.
};
/// Prints all about one job, a list of its tasks, or its job file.
Result<int> job(const Globals& globals, const JobOptions& options);

/// Explains why a job does not run, or not faster.
Result<int> explain(const Globals& globals, const std::string& job);

/// Which jobs, and for how long.
struct WaitOptions {
  std::vector<std::string> jobs = {"last"};
  bool ignore_failures = false;
  bool quiet = false;
  std::string timeout;
};
/// Waits until jobs have ended. The status is 1 if a task failed, unless failures are ignored; 124
/// if the time ran out.
Result<int> wait(const Globals& globals, const WaitOptions& options);

/// Which outputs of which tasks of one job.
struct LogsOptions {
  std::string tasks = "last";
  bool follow = false;
  bool err = false;  ///< Only standard error.
  bool out = false;  ///< Only standard output.
  bool label = false;
  bool line_buffer = false;   ///< Whole lines, of any length.
  std::uint32_t attempt = 0;  ///< 0: the one that counts.
  bool on_end = false;        ///< Of the command that was run when the job had ended.
};
/// Prints what tasks wrote. The status is 1 if some of it is missing.
Result<int> logs(const Globals& globals, const LogsOptions& options);

/// Stops what is left of jobs, or some of their tasks. All words are looked up before any job is
/// touched.
Result<int> cancel(const Globals& globals, const std::vector<std::string>& jobs);

/// Stops tasks that run, and has them run again.
Result<int> requeue(const Globals& globals, const std::vector<std::string>& jobs);

/// Puts jobs on hold, or releases them.
Result<int> hold(const Globals& globals, const std::vector<std::string>& jobs, bool on);

/// Which tasks of one job.
struct RetryOptions {
  std::string job;
  bool failed = false;  ///< Only those that failed, not those that were cancelled.
  std::string tasks;    ///< "3-7,9": these, however they ended. Empty: see `failed`.
};
/// Runs tasks again that have ended.
Result<int> retry(const Globals& globals, const RetryOptions& options);

/// New terms; an empty text leaves the term as it is.
struct SetOptions {
  std::string job;
  std::string priority;
  std::string deadline;  ///< As of a submit; "none" takes it away.
};
/// Sets the terms of a job.
Result<int> set(const Globals& globals, const SetOptions& options);

/// Which nodes, and how much of each.
struct NodesOptions {
  bool quiet = false;
  bool all = false;  ///< Those, too, that left without a good-bye.
  ColumnChoice columns;
};
/// Lists the nodes that the agent at hand knows, and what is wrong with them.
Result<int> nodes(const Globals& globals, const NodesOptions& options);
struct NodeShowOptions {
  std::string node;
  bool tasks = false;  ///< List all of its tasks.
};
/// Shows all about one node.
Result<int> show_node(const Globals& globals, const NodeShowOptions& options);
/// The node whose overlay is shown; empty: the one at hand.
struct OverlayOptions {
  std::string node;
  ColumnChoice columns;
};
/// Shows which nodes a node knows, by chance and by rank, and how far they are.
Result<int> show_overlay(const Globals& globals, const OverlayOptions& options);
/// Has the agent at hand list a node no more that is down, and does not come back.
Result<int> forget_node(const Globals& globals, const std::string& node);

/// The node, and until when it takes no tasks.
struct DrainOptions {
  std::string node;
  bool off = false;
  std::string deadline;
  std::string reason;
  std::string until;
};
/// Lets a node accept no more tasks, until another word. With a deadline, waits until its last task
/// has ended.
Result<int> drain(const Globals& globals, const DrainOptions& options);

/// The job, by a name that all nodes understand: NODE.12.
struct TakeOverOptions {
  std::string job;
  bool yes = false;
};
/// Lets the node of the agent at hand go on with a job whose home and standbys in sync are lost.
/// Without --yes it asks the user for the job once more, and fails (`usage`) where it cannot ask.
Result<int> take_over(const Globals& globals, const TakeOverOptions& options);

/// Sets shares of classes: "gold", "5", "silver", "3" ...
Result<int> share_set(const Globals& globals, const std::vector<std::string>& words);
/// Takes classes out of the table: they have no share any more.
Result<int> share_remove(const Globals& globals, const std::vector<std::string>& names);
/// Prints the table of classes that the agent at hand knows.
Result<int> share_list(const Globals& globals);

/// A rule of planning. Empty texts after the policy: as the agent has it.
struct PlanOptions {
  std::string policy;
  std::string spare;
  std::string reserve;
  std::string horizon;
};
/// Sets the rule by which managers divide slots among jobs.
Result<int> plan_set(const Globals& globals, const PlanOptions& options);
/// Has managers plan no more: workers go by their discipline.
Result<int> plan_off(const Globals& globals);
/// Prints the rule, and the last plan of each cell.
Result<int> plan_show(const Globals& globals);

/// Prints the local and the global masters of federated placement.
Result<int> masters(const Globals& globals);

/// How much of each cell is printed.
struct CellsOptions {
  bool members = false;
  ColumnChoice columns;
};
/// The cell, by its whole id.
struct WriteOffOptions {
  std::string cell;
  bool reissue = false;
  bool yes = false;
};
/// Declares a cell lost for good. Without --yes it asks the user for the cell's id once more, and
/// fails (`usage`) where it cannot ask. The status is 1 unless all books that were asked have it.
Result<int> write_off(const Globals& globals, const WriteOffOptions& options);
/// Prints the tree of cells.
Result<int> cells(const Globals& globals, const CellsOptions& options);
/// Prints the share that each class has of the cluster, or of the cell with an id that begins so.
Result<int> shares(const Globals& globals, const std::string& cell);
/// Adds up every ticket of the cluster. The status is 1 unless everything is in order, and known to
/// be.
Result<int> audit(const Globals& globals, const std::string& timeout);

/// Whose actions, at which agent; empty texts: all, and the one at hand.
struct AuditLogOptions {
  std::string user;
  std::string node;
  std::uint32_t limit = 100;
};
/// Prints who did what at an agent, the last action first.
Result<int> audit_log(const Globals& globals, const AuditLogOptions& options);

/// Whose profiles, at which agent (empty: the one at hand).
struct ProfileOptions {
  std::string job;  ///< Forget those of this name.
  bool all = false;
  std::string owner;
  std::string node;
};
/// Prints what tasks of recurring jobs were seen to take.
Result<int> profile_list(const Globals& globals, const ProfileOptions& options);
/// Has an agent forget it: such jobs begin like new ones.
Result<int> profile_forget(const Globals& globals, const ProfileOptions& options);

struct UsageOptions {
  std::string since = "7d";  ///< As of parse_past_moment(), or "all".
  std::string until;         ///< Likewise; empty: now.
  std::string by = "user";
  std::string user;
  std::string service_class;
  std::uint32_t limit = 1000;
  bool here = false;  ///< What this agent added up, and no other.
  bool csv = false;
  ColumnChoice columns;
};
/// Prints who used how much.
Result<int> usage(const Globals& globals, const UsageOptions& options);

/// Which events, at which agent.
struct EventsOptions {
  bool follow = false;
  std::string level;               ///< Empty: info.
  std::vector<std::string> names;  ///< Only these; job_* for all that begin so.
  std::string node;
};
/// Prints what happened at an agent, or what happens: then it ends with the agent, or by a signal.
Result<int> events(const Globals& globals, const EventsOptions& options);

/// Prints what the agent is or, with `users`, what each user is charged with there.
Result<int> status(const Globals& globals, bool users);

/// What of the metrics. With `alerts` or `board` no agent is asked.
struct MetricsOptions {
  std::string textfile;  ///< Where to write them; empty: print them.
  bool alerts = false;   ///< Print the rules of alarms instead.
  bool board = false;    ///< Print a board for Grafana instead.
};
/// Prints what the agent counts and measures, as Prometheus reads it; or writes it to a file,
/// whole, for a collector of text files; or prints what belongs to such metrics.
Result<int> metrics(const Globals& globals, const MetricsOptions& options);

/// How often it looks.
struct TopOptions {
  std::string interval = "1s";
  bool once = false;
};
/// Shows the cluster on the whole terminal, again and again, until the user quits.
Result<int> top(const Globals& globals, const TopOptions& options);

/// Which parameters, and whose values.
struct ParamsOptions {
  bool markdown = false;
  bool agent = false;  ///< The values of the running agent, in place of the defaults.
  std::string section;
};
/// Prints parameters with their meaning, ranges and defaults, or the values of the agent at hand.
Result<int> params(const Globals& globals, const ParamsOptions& options);

struct LaunchOptions {
  std::vector<std::string> hosts;  ///< As parse_hosts() reads them.
  bool slurm = false;              ///< The nodes of this allocation.
  bool pbs = false;
  bool status = false;
  bool mend = false;  ///< With `status`: what is down is started.
  bool stop = false;
  bool drain = false;  ///< With `stop`: tasks may end.
  bool upgrade = false;
  bool remove = false;
  bool all = false;  ///< With `remove`: all hosts.
  bool dry_run = false;
  std::uint32_t at_once = 32;
  std::uint32_t restarts_at_once = 1;  ///< With `upgrade`.
  std::string timeout = "30s";         ///< Of each step on a host.
  std::string directory;
  std::vector<std::string> settings;  ///< KEY=VALUE of every agent.
  std::string programs;               ///< Where the programs are; empty: beside this one.
  std::string ssh_config;
};
/// Starts agents on hosts by ssh; or looks at, stops, upgrades or removes those that were started
/// so. The status is 1 if one host failed.
Result<int> launch(const Globals& globals, const LaunchOptions& options);

/// Where to, and for which cluster.
struct KeygenOptions {
  std::string cluster = "dunlin";
  std::string output;
  bool add = false;
};
/// Writes the key of a new cluster, or adds one to a file of keys, to rotate them.
Result<int> keygen(const Globals& globals, const KeygenOptions& options);

struct MeasureDiskOptions {
  std::string directory;  ///< Empty: where agents keep their data.
};
/// Measures the disk below a directory, and prints what an agent there may declare.
Result<int> measure_disk(const Globals& globals, const MeasureDiskOptions& options);

/// Which data directory, and what is to become of its identity.
struct IdentityOptions {
  std::string data_dir;
  std::string machine_id = "/etc/machine-id";
  bool renew = false;
  bool adopt = false;
};
/// Prints the identity of a data directory. Or gives it a new one after a copy, or keeps it for a
/// new machine. Fails to change it while an agent runs there.
Result<int> identity(const Globals& globals, const IdentityOptions& options);

/// Prints the version of this program; no agent is asked.
Result<int> version(const Globals& globals);

/// Prints names that a script for completion asks for: "jobs", "nodes" or "classes". One stands on
/// a line and, behind a tab, what it is. Prints nothing where no agent tells them within a second.
Result<int> completion_names(const Globals& globals, const std::string& what);

}  // namespace dunlin::cli
