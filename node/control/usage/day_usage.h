// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "node/access/principal.h"
#include "node/control/json.h"
#include "node/quotas.h"
#include "node/store/results.h"
#include "overlay/result.h"
#include "overlay/time.h"
#include "sched/job.h"

namespace dunlin::node {

class AgentServices;

/// The CPU time that was held today, by UTC, as this agent added it up. Its rows are read anew now
/// and then, a slice in each turn of the loop: a submit asks for a sum, and waits for no table.
class DayUsage {
 public:
  /// Sums are read anew after so long: what ends within it is not counted yet.
  static constexpr overlay::Duration kFresh = std::chrono::seconds(10);
  /// Rows that are read in one turn: some 2 ms.
  static constexpr std::uint32_t kSlice = 500;

  /// Reads on, if it is time, and if the agent has quotas at all. `wall_ns`: the wall clock.
  void advance(AgentServices& agent, std::int64_t wall_ns);
  /// When advance() is wanted next even if nothing happens: while it reads.
  overlay::Time due() const { return reading_ ? overlay::Time{} : overlay::kNever; }
  /// True once the sums of that day are known.
  bool known(std::int64_t wall_ns) const;
  /// In milliseconds. 0 where there is none, and before they are known.
  std::int64_t held_by_user(const std::string& user) const { return found(users_, user); }
  std::int64_t held_by_class(const std::string& name) const { return found(classes_, name); }
  /// Of all users.
  const std::map<std::string, std::int64_t>& users() const { return users_; }

 private:
  using Sums = std::map<std::string, std::int64_t>;
  static std::int64_t found(const Sums& sums, const std::string& name);

  Sums users_;  ///< Of day_.
  Sums classes_;
  std::int64_t day_ = -1;  ///< Since 1970; below 0: none was read yet.
  overlay::Time read_at_{};
  bool reading_ = false;
  std::int64_t reads_day_ = -1;
  UsageQuery query_;
  Sums reads_users_;
  Sums reads_classes_;
};

/// Fails with `quota` if the user of the job, or its class, has held as much CPU time today as
/// agent.quota allows; with `busy` while that is not known yet. Administrators are not bound.
Result<void> check_day(AgentServices& agent, const Principal& who, const sched::Job& job);

/// The quotas of this agent, with what is used of each; users whom the one for each user binds have
/// one of their own, at most 100. Quota of docs/design/control-protocol.md.
Json quotas_json(AgentServices& agent);

}  // namespace dunlin::node
