// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_choice.h"

#include <algorithm>

namespace dunlin::cli {

Result<std::vector<std::uint32_t>> choose_jobs(
    Connection& agent, const JobSelector& selector, bool unfinished_only) {
  if (auto numbers = selector.numbers()) return std::move(*numbers);
  const bool all = !unfinished_only || selector.last;
  const auto reply = agent.ask("jobs", {{"all", all}});
  if (!reply) return tl::unexpected(reply.error());
  std::vector<std::uint32_t> known;
  for (const Json& job : member(*reply, "jobs")) {
    known.push_back(value<std::uint32_t>(job, "number"));
  }
  std::ranges::sort(known);
  return selector.among(known);
}

Result<std::uint32_t> choose_job(Connection& agent, const JobSelector& selector) {
  const auto numbers = choose_jobs(agent, selector);
  if (!numbers) return tl::unexpected(numbers.error());
  if (numbers->size() != 1) {
    return failure(ErrorKind::usage, "name one job: its number, or last");
  }
  return numbers->front();
}

}  // namespace dunlin::cli
