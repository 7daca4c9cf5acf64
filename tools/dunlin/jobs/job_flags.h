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

/// The flags of `run` and `submit`, word for word.
struct JobFlags {
  std::string file;
  std::string name;
  std::string service_class;  ///< The value of --class; empty: none.
  std::string deadline;
  std::string past_deadline;
  bool no_preempt = false;
  std::string on_preempt;
  std::string checkpoint_signal;
  std::string checkpoint_time;
  std::uint8_t replicas = 0;
  std::uint8_t replicas_required = 0;
  std::uint32_t count = 1;
  std::string each_line;
  std::string array;
  std::string cpus;
  std::string memory;
  RateFlags rates;
  std::string input;
  std::vector<std::string> resources;
  std::vector<std::string> constraints;
  std::int16_t priority = sched::kPriorityDefault;
  std::uint16_t retries = 0;
  std::uint32_t at_once = 0;
  bool gang = false;
  std::string time_limit;
  std::string duration;
  std::vector<std::string> environment;
  std::string directory;
  std::string stdin_path;
  std::string stdout_path;
  std::string stderr_path;
  bool literal = false;  ///< The command's words have no placeholders.
  std::vector<std::string> limits;
  bool hold = false;
  std::vector<std::string> after;
  std::string on_end;
  bool allow_unsatisfiable = false;
  bool dry_run = false;
  std::vector<std::string> command;  ///< The user's own, byte for byte.
};

/// Adds the flags to a subcommand. `flags` must outlive it.
void add_job_flags(CLI::App& app, JobFlags& flags);

/// The complete and checked job that the flags describe. Reads the job file if one is named. `here`
/// is the directory at which relative paths begin. Fails with `usage`.
Result<JobRequest> job_request(const JobFlags& flags, const std::string& here);

}  // namespace dunlin::cli
