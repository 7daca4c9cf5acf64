// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "node/entry.h"
#include "overlay/result.h"
#include "tools/dunlin/globals.h"
#include "tools/dunlin/jobs/job_flags.h"

// What each command does once its words are understood. Each returns the exit status, or why it
// could not do its work.
namespace dunlin::cli {

struct RunOptions {
  JobFlags job;
  bool quiet = false;
};
/// Submits a job and stays with it: its output, its progress, its exit status.
Result<int> run_job(const Globals& globals, const RunOptions& options);
/// Submits a job and leaves.
Result<int> submit_job(const Globals& globals, const RunOptions& options);

struct JobsOptions {
  bool all = false;
  bool quiet = false;
};
Result<int> jobs(const Globals& globals, const JobsOptions& options);

struct JobOptions {
  std::string job = "last";
  bool tasks = false;
  std::string state;
};
Result<int> job(const Globals& globals, const JobOptions& options);

/// Why a job does not run, or not faster.
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
};
Result<int> logs(const Globals& globals, const LogsOptions& options);

Result<int> cancel(const Globals& globals, const std::vector<std::string>& jobs);

Result<int> nodes(const Globals& globals, bool quiet);

struct DrainOptions {
  std::string node;
  bool off = false;
  std::string deadline;
};
/// Lets a node accept no more tasks, and, with a deadline, waits until its last one has ended.
Result<int> drain(const Globals& globals, const DrainOptions& options);

/// Who shares the cluster: "gold", "5", "silver", "3" ...
Result<int> share_set(const Globals& globals, const std::vector<std::string>& words);
Result<int> share_remove(const Globals& globals, const std::vector<std::string>& names);
Result<int> share_list(const Globals& globals);

struct CellsOptions {
  bool members = false;
};
struct WriteOffOptions {
  std::string cell;
  bool reissue = false;
  bool yes = false;
};
/// Says that a cell is lost for good. Unless told --yes, it asks for its id once more, and fails
/// (`usage`) where nobody can be asked. The status is 1 unless all books that could be asked have
/// it.
Result<int> write_off(const Globals& globals, const WriteOffOptions& options);
/// The tree of cells.
Result<int> cells(const Globals& globals, const CellsOptions& options);
/// What each class has of the cluster, or of the cell whose id begins so.
Result<int> shares(const Globals& globals, const std::string& cell);
/// Adds up every ticket of the cluster. The status is 1 unless all is known to be in order.
Result<int> audit(const Globals& globals, const std::string& timeout);

struct TopOptions {
  std::string interval = "1s";
  bool once = false;
};
Result<int> top(const Globals& globals, const TopOptions& options);

struct ParamsOptions {
  bool markdown = false;
  bool agent = false;  ///< The values of the running agent, not the defaults.
  std::string section;
};
Result<int> params(const Globals& globals, const ParamsOptions& options);

struct KeygenOptions {
  std::string cluster = "dunlin";
  std::string output;
  bool add = false;
};
Result<int> keygen(const Globals& globals, const KeygenOptions& options);

Result<int> version(const Globals& globals);

}  // namespace dunlin::cli
