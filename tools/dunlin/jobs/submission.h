// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include "tools/dunlin/connection/connection.h"
#include "tools/dunlin/jobs/job_request.h"
#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

/// A job that an agent accepted. From now on it is safe.
struct Submitted {
  std::uint32_t number = 0;
  std::string job;  ///< Its full id.
  /// "merlin.12": the same job wherever it is read. The number, if an older agent does not say it.
  std::string name;
  /// As the agent counted them.
  std::uint64_t tasks = 0;
  /// The least time between its deadline and its end, by what the agent knows; 0: it may be in
  /// time.
  std::chrono::nanoseconds late{0};
  std::string exposed;                     ///< Why its replicas do not protect it yet; or empty.
  std::vector<std::string> unknown_nodes;  ///< Names in its inputs that the agent knows no node by.
};

/// Tells the user on stderr that the job will be late, if that is known, and which nodes with its
/// inputs are not.
void show_warnings(const Submitted& job);

/// Submits a job. Its lines, if any, are read and sent a chunk at a time, so that a million tasks
/// take no more memory than a thousand; a long upload shows its progress on `err`.
Result<Submitted> submit(Connection& agent, const JobRequest& request, const Terminal& err);

}  // namespace dunlin::cli
