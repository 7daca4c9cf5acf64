// SPDX-License-Identifier: MIT
#pragma once

#include "node/agent/agent_parts.h"
#include "node/message.h"

namespace dunlin::node {

/// Deletes the output that is kept here of jobs that their home has forgotten: nobody can ask for
/// it any more. It asks the homes, one a second, about kJobsMax jobs each time.
class OutputKeeper {
 public:
  explicit OutputKeeper(AgentParts& parts) : parts_(parts) {}

  /// Asks the next home. Call it about once a second. Requires that all parts are open.
  void look();

  static constexpr std::size_t kJobsMax = OutputCheck::kJobsMax;

 private:
  AgentParts& parts_;
  sched::JobId asked_{};  ///< The last one.
};

/// As the home of those jobs, answers which of them are forgotten here.
void answer_check(AgentParts& parts, const overlay::Endpoint& from, const OutputCheck& asked);
/// The home of those jobs has forgotten them.
void forget_output(AgentParts& parts, const overlay::Endpoint& home, const OutputGone& gone);

}  // namespace dunlin::node
