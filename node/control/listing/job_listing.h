// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "node/control/json.h"
#include "overlay/address.h"
#include "overlay/result.h"
#include "sched/listing/job_query.h"

// Lists of jobs: which are wanted, in which order, and how the lists of many nodes become one.
namespace dunlin::node {

class AgentServices;

using sched::JobLine;
using sched::JobQuery;
using sched::JobTotals;

inline constexpr std::uint32_t kListedMax = 1000;  ///< Jobs in one answer.

/// The line of a Summary, which any node may have made: members that are missing or of another type
/// are empty.
JobLine line_of(const Json& summary);

/// The node that took a job, and by which people name it.
struct JobOrigin {
  overlay::PeerId node;
  std::string name;
};
/// That of a Summary; the job's home, if an older agent made it.
JobOrigin origin_of_summary(const Json& summary);

/// Reads the members of a request `jobs`; `fallback` is the limit if none is given, 0: no limit.
/// Without `ids`: see read_ids().
JobQuery query_of(Args& args, std::uint32_t fallback);
/// Reads the member `ids`: NUMBER of this agent, or NODE.NUMBER. Fails as read_job_name().
Result<std::vector<sched::ListedJob>> read_ids(const AgentServices& agent, Args& args);
/// Where a list goes on that had this line as its last: a word that only agents read.
std::string next_text(const JobLine& last, sched::JobSort sort);
/// The request that asks another node for the same.
Json request_of(const JobQuery& query);

/// One list from those of many nodes. Holds no more than the query's limit, and one list more.
class JobMerge {
 public:
  explicit JobMerge(JobQuery query) : query_(std::move(query)) {}

  /// What `node` answered. An older agent knows neither filters nor totals, so all is done again.
  void add(overlay::PeerId node, const std::string& name, const Json& answer);
  /// A node of which no line is needed has so many jobs.
  void count(const sched::NodeJobs& node);

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
