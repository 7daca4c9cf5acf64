// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "node/agent/agent_parts.h"
#include "node/control/agent_ports.h"

namespace dunlin::node {

/// What the database of an agent that runs has of its jobs and tasks.
class LiveHistory : public virtual TaskHistory {
 public:
  Result<std::vector<ResultRow>> results(const ResultQuery& query) override;
  Result<std::vector<AttemptRow>> attempts(const sched::JobId& job, std::uint32_t index) override;
  Result<std::vector<AttemptRow>> attempts_page(const AttemptQuery& query) override;
  std::shared_ptr<const sched::Job> record(const sched::JobId& job) override;
  Result<std::vector<StoredUsage>> usage(const UsageQuery& query) override;

 protected:
  /// `parts` must outlive this. Requires that the records are open.
  explicit LiveHistory(AgentParts& parts) : parts_(parts) {}

 private:
  AgentParts& parts_;
  sched::JobId recorded_job_{};                 ///< Which job was read last, ...
  std::shared_ptr<const sched::Job> recorded_;  ///< ... and its record; null if there is none.
};

}  // namespace dunlin::node
