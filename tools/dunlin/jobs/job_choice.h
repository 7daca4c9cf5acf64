// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/dunlin/connection/connection.h"
#include "tools/dunlin/jobs/selectors.h"

namespace dunlin::cli {

/// A job that the user named, here or at another node.
struct JobRef {
  /// At the node that drives it: two nodes may each have a job 12.
  std::uint32_t number = 0;
  std::string home = {};   ///< The id of the node that drives it; empty: of the agent at hand.
  std::string label = {};  ///< The user's word for it: "12", "merlin.12".

  /// The job of that number at the agent at hand.
  static JobRef here(std::uint32_t number) { return {number, "", std::to_string(number)}; }
  /// The members of a request that name it.
  Json request() const;
};

/// The jobs of which "all" and ranges select.
enum class Among : std::uint8_t {
  known,           ///< All that the agent knows.
  unfinished,      ///< Those that have not ended.
  ended_by_range,  ///< "all" of those that have not ended, ranges of all: how they ended matters.
};
/// The jobs that `selector` names: those named by NODE.NUMBER first. Asks the agent for its jobs
/// only if it must.
Result<std::vector<JobRef>> choose_jobs(
    Connection& agent, const JobSelector& selector, Among among = Among::known);

/// How texts for pasting name a job of which the agent told `answer`: "merlin.12", the same job
/// wherever it is read. The user's word for it, if an older agent does not say it.
std::string pasted_name(const Json& answer, const JobRef& job);
/// The same; asks the agent.
std::string pasted_name(Connection& agent, const JobRef& job);

/// Tasks of one job, here or at another node.
struct ChosenTasks {
  JobRef job;
  TaskSelector tasks;
};
/// The meaning of a word such as "12", "last.3", "merlin.12" or "merlin.12.0-9". Asks the agent, if
/// the word begins with a node. Fails with `usage` or `not_found`, naming the cure.
Result<ChosenTasks> choose_tasks(Connection& agent, std::string_view word);

}  // namespace dunlin::cli
