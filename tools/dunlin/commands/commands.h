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

struct JobsOptions {
  bool all = false;
  bool quiet = false;
  bool here = false;  ///< Only those of the agent at hand.
  std::string state;
  std::string user;
  std::string node;
  std::string service_class;
  std::string name;
  std::string since;  ///< A time before now: "2h".
  std::uint32_t limit = 50;
  std::string sort = "newest";
  ColumnChoice columns;
};
Result<int> jobs(const Globals& globals, const JobsOptions& options);

struct JobOptions {
  std::string job = "last";
  bool tasks = false;
  bool attempts = false;
  bool file = false;  ///< Print its job file.
  std::string state;
  ColumnChoice columns;  ///< Of the list of tasks.
};
Result<int> job(const Globals& globals, const JobOptions& options);

/// Explains why a job does not run, or not faster.
Result<int> explain(const Globals& globals, const std::string& job);

struct WaitOptions {
  std::vector<std::string> jobs = {"last"};
  bool ignore_failures = false;
  bool quiet = false;
  std::string timeout;
};
Result<int> wait(const Globals& globals, const WaitOptions& options);

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
Result<int> logs(const Globals& globals, const LogsOptions& options);

Result<int> cancel(const Globals& globals, const std::vector<std::string>& jobs);

/// Stops tasks that run, and has them run again.
Result<int> requeue(const Globals& globals, const std::vector<std::string>& jobs);

/// Puts jobs on hold, or releases them.
Result<int> hold(const Globals& globals, const std::vector<std::string>& jobs, bool on);

struct RetryOptions {
  std::string job;
  bool failed = false;  ///< Only those that failed, not those that were cancelled.
  std::string tasks;    ///< "3-7,9": these, however they ended. Empty: see `failed`.
};
/// Runs tasks again that have ended.
Result<int> retry(const Globals& globals, const RetryOptions& options);

struct SetOptions {
  std::string job;
  std::string priority;
  std::string deadline;  ///< As of a submit; "none" takes it away.
};
/// Sets the terms of a job.
Result<int> set(const Globals& globals, const SetOptions& options);

struct NodesOptions {
  bool quiet = false;
  bool all = false;  ///< Those, too, that left without a good-bye.
  ColumnChoice columns;
};
Result<int> nodes(const Globals& globals, const NodesOptions& options);
/// Has the agent at hand list a node no more that is down, and does not come back.
Result<int> forget_node(const Globals& globals, const std::string& node);

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

struct TakeOverOptions {
  std::string job;
  bool yes = false;
};
/// Lets the node of the agent at hand go on with a job whose home and standbys in sync are lost.
/// Without --yes it asks the user for the job once more, and fails (`usage`) where it cannot ask.
Result<int> take_over(const Globals& globals, const TakeOverOptions& options);

/// Sets shares of classes: "gold", "5", "silver", "3" ...
Result<int> share_set(const Globals& globals, const std::vector<std::string>& words);
Result<int> share_remove(const Globals& globals, const std::vector<std::string>& names);
Result<int> share_list(const Globals& globals);

struct PlanOptions {
  std::string policy;
  std::string spare;
  std::string reserve;
  std::string horizon;
};
/// Sets the rule by which managers divide slots among jobs.
Result<int> plan_set(const Globals& globals, const PlanOptions& options);
Result<int> plan_off(const Globals& globals);
/// Prints the rule, and the last plan of each cell.
Result<int> plan_show(const Globals& globals);

/// Prints the local and the global masters of federated placement.
Result<int> masters(const Globals& globals);

struct CellsOptions {
  bool members = false;
  ColumnChoice columns;
};
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

struct AuditLogOptions {
  std::string user;
  std::string node;
  std::uint32_t limit = 100;
};
/// Prints who did what at an agent, the last action first.
Result<int> audit_log(const Globals& globals, const AuditLogOptions& options);

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

struct TopOptions {
  std::string interval = "1s";
  bool once = false;
};
Result<int> top(const Globals& globals, const TopOptions& options);

struct ParamsOptions {
  bool markdown = false;
  bool agent = false;  ///< The values of the running agent, in place of the defaults.
  std::string section;
};
Result<int> params(const Globals& globals, const ParamsOptions& options);

struct KeygenOptions {
  std::string cluster = "dunlin";
  std::string output;
  bool add = false;
};
Result<int> keygen(const Globals& globals, const KeygenOptions& options);

struct MeasureDiskOptions {
  std::string directory;  ///< Empty: where agents keep their data.
};
/// Measures the disk below a directory, and prints what an agent there may declare.
Result<int> measure_disk(const Globals& globals, const MeasureDiskOptions& options);

struct IdentityOptions {
  std::string data_dir;
  std::string machine_id = "/etc/machine-id";
  bool renew = false;
  bool adopt = false;
};
Result<int> identity(const Globals& globals, const IdentityOptions& options);

Result<int> version(const Globals& globals);

/// Prints names that a script for completion asks for: "jobs", "nodes" or "classes". One stands on
/// a line and, behind a tab, what it is. Prints nothing where no agent tells them within a second.
Result<int> completion_names(const Globals& globals, const std::string& what);

}  // namespace dunlin::cli
