// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "node/control/agent_services.h"
#include "node/control/json.h"
#include "node/control/requests/pending.h"
#include "sched/frontend/job_state.h"

namespace dunlin::node {

/// Tells of a job once all that its frontend knew of it when it was asked is on disk, and at its
/// standbys. A disk that fails or hangs holds up no answer: what is not on it has not ended for
/// good.
class FromDisk final : public Pending {
 public:
  /// Empty: it reads on in another turn.
  using Answered = Result<std::optional<Json>>;
  using Answer = std::function<Answered(AgentServices&, const sched::JobState&)>;

  FromDisk(const AgentServices& agent, const sched::JobState& job, Answer answer);

  overlay::Time due() const override { return until_; }
  std::string waits_for(const AgentServices& agent) const override;
  bool advance(AgentServices& agent, const Reply& reply) override;

 private:
  sched::JobId job_;
  RecordMark mark_;
  overlay::Time until_;  ///< The latest time to look again.
  bool ready_ = false;   ///< What was known is on disk, or is not waited for any more.
  Answer answer_;
};

}  // namespace dunlin::node
