// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "overlay/result.h"
#include "tools/dunlin/jobs/job_request.h"
#include "tools/dunlin/jobs/rate_flags.h"

namespace CLI {
class App;
}

namespace dunlin::cli {

/// The words of a user's own command, among the positionals of one of ours. A command of ours with
/// this positional takes such words; they never pass through CLI11 (see cut()).
inline constexpr const char* kCommandWords = "command";

/// The flags of `run` and `submit`, word for word: what they mean, and which of them go together,
/// is settled by job_request(). Empty texts and zeros were not said.
struct JobFlags {
  /// The job file; only flags about the whole job go with one. Empty: none.
  std::string file;
  std::string name;
  std::string service_class;  ///< The value of --class; empty: none.
  /// As parse_deadline() reads it.
  std::string deadline;
  /// `run` or `cancel`. Needs a deadline.
  std::string past_deadline;
  /// The short form of --on-preempt never.
  bool no_preempt = false;
  /// A word of sched::kOnPreemptWords.
  std::string on_preempt;
  /// As parse_signal() reads it. This and the next mean --on-preempt checkpoint, where none is
  /// said.
  std::string checkpoint_signal;
  std::string checkpoint_time;
  /// Standbys on other machines; 0: as many as the agent's frontend.replicas.
  std::uint8_t replicas = 0;
  std::uint8_t replicas_required = 0;
  /// How many tasks; --each-line and --array are the other two ways to say that.
  std::uint32_t count = 1;
  /// A path, or "-" for stdin.
  std::string each_line;
  /// As node::parse_array() reads it: "0-99%10".
  std::string array;
  /// Amounts of each task, as texts: one that was not said may be learned.
  std::string cpus;
  std::string memory;
  /// One text for each of sched::kRates, in their order.
  RateFlags rates;
  /// As sched::parse_input() reads it: "2G@node1,node2".
  std::string input;
  /// Each NAME=COUNT, the same for every task.
  std::vector<std::string> resources;
  /// Each as sched::parse_constraint() reads it.
  std::vector<std::string> constraints;
  std::int16_t priority = sched::kPriorityDefault;
  /// How often a task that failed runs again.
  std::uint16_t retries = 0;
  /// Tasks that run at once at most; 0: no bound.
  std::uint32_t at_once = 0;
  /// All tasks start together, or none does.
  bool gang = false;
  /// Of one task, not of the job.
  std::string time_limit;
  /// What a task is expected to take.
  std::string duration;
  /// Each NAME=VALUE, or NAME for the value it has here.
  std::vector<std::string> environment;
  /// Relative ones, here and in the next three, begin where the user is.
  std::string directory;
  std::string stdin_path;
  std::string stdout_path;
  std::string stderr_path;
  std::string script;        ///< A file; the command's words are its arguments. Empty: none.
  bool literal = false;      ///< The command's words have no placeholders.
  bool truncate = false;     ///< Files of output begin empty.
  std::string limit_signal;  ///< As read_limit_signal() reads it.
  /// Each NAME=VALUE, as add_limit() reads it.
  std::vector<std::string> limits;
  bool hold = false;
  /// As parse_deadline() reads it.
  std::string begin;
  /// A word of sched::kRerunWords.
  std::string rerun;
  /// Each as parse_after() reads it: "merlin.12:any".
  std::vector<std::string> after;
  /// A line for a shell, run when the job has ended.
  std::string on_end;
  std::string comment;
  /// Each as sched::parse_label() reads it: "team=lab3".
  std::vector<std::string> labels;
  bool allow_unsatisfiable = false;
  /// Show what would be submitted, and ask no agent.
  bool dry_run = false;
  std::vector<std::string> command;  ///< The user's own, byte for byte.
};

/// Adds the flags to a subcommand. `flags` must outlive it.
void add_job_flags(CLI::App& app, JobFlags& flags);

/// The complete and checked job that the flags describe. Reads the job file if one is named. `here`
/// is the directory at which relative paths begin. Fails with `usage`.
Result<JobRequest> job_request(const JobFlags& flags, const std::string& here);

}  // namespace dunlin::cli
