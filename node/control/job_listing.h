// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "node/control/json.h"
#include "overlay/address.h"

// Lists of jobs: which are wanted, in which order, and how the lists of many nodes become one.
namespace dunlin::node {

inline constexpr std::uint32_t kListedMax = 1000;  ///< Jobs in one answer.
/// The states of a job, in the order in which lists show them.
inline constexpr std::array<std::string_view, 6> kJobStates = {
    "running", "waiting", "held", "failed", "done", "cancelled"};

/// The facts of a job that lists are chosen and sorted by. Borrows its texts.
struct JobLine {
  std::string_view state;
  std::string_view user;
  std::string_view service_class;
  std::string_view name;
  std::int64_t submitted_at = 0;  ///< ns since 1970.
  std::uint32_t tasks = 0;
  bool finished = false;
  overlay::PeerId home;
  std::uint32_t number = 0;
};
/// The line of a Summary, which any node may have made: members that are missing or of another type
/// are empty.
JobLine line_of(const Json& summary);

enum class JobSort : std::uint8_t { number, newest, oldest, tasks, name, user, state };

/// The jobs that a client wants to see.
struct JobQuery {
  bool all = false;  ///< Those that have ended, too. Implied by `state`.
  std::string state;
  std::string user;
  std::string service_class;
  std::string name;        ///< A pattern of the shell: "train*".
  std::int64_t since = 0;  ///< Submitted then or later, in ns since 1970; 0: whenever.
  JobSort sort = JobSort::number;
  std::uint32_t limit = UINT32_MAX;

  /// True if the job is meant, whether or not it has ended.
  bool covers(const JobLine& job) const;
  /// True if it is to be listed as well: see `all`.
  bool lists(const JobLine& job) const { return all || !state.empty() || !job.finished; }
  /// True if `a` stands before `b`. A strict order of all jobs of a cluster.
  bool before(const JobLine& a, const JobLine& b) const;
};

/// Reads the members of a request `jobs`; `fallback` is the limit if none is given, 0: no limit.
JobQuery query_of(Args& args, std::uint32_t fallback);
/// The request that asks another node for the same.
Json request_of(const JobQuery& query);

/// Numbers of jobs by state, as kJobStates.
using JobTotals = std::array<std::uint64_t, kJobStates.size()>;
void count(JobTotals& totals, std::string_view state);

/// One list from those of many nodes. Holds no more than the query's limit, and one list more.
class JobMerge {
 public:
  explicit JobMerge(JobQuery query) : query_(std::move(query)) {}

  /// What `node` answered. An older agent knows neither filters nor totals, so all is done again.
  void add(overlay::PeerId node, const std::string& name, const Json& answer);

  /// The first of all jobs that match, in order. Moved out.
  Json take_jobs();
  /// Of all jobs that the query covers.
  const JobTotals& totals() const { return totals_; }
  /// Jobs that match, listed or not.
  std::uint64_t matching() const { return matching_; }

 private:
  JobQuery query_;
  JobTotals totals_{};
  std::uint64_t matching_ = 0;
  std::vector<Json> jobs_;
};

Json totals_json(const JobTotals& totals);

}  // namespace dunlin::node
