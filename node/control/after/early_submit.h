// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "node/control/control_session.h"
#include "overlay/time.h"
#include "sched/job.h"

namespace dunlin::node {

class AgentServices;

/// Why it is too early to say whether this node takes the job: it may have taken it before, see
/// sched::find_submission(), or a node that fits it may be one that this node has not met yet, or a
/// machine that its replicas need.
std::optional<Error> too_early(
    const AgentServices& agent, const sched::Job& job, bool allow_unsatisfiable);

/// Submits a job as soon as it is not too early.
class EarlyPending final : public Pending {
 public:
  using Submit = std::function<PendingResult(sched::Job)>;
  /// So long a client waits at most.
  static constexpr overlay::Duration kPatience = std::chrono::seconds(10);
  static constexpr overlay::Duration kLook = std::chrono::milliseconds(100);

  EarlyPending(const AgentServices& agent, sched::Job job, bool allow_unsatisfiable, Submit submit);

  overlay::Time due() const override { return submitted_ ? submitted_->due() : next_; }
  std::string waits_for(const AgentServices& agent) const override;
  bool advance(AgentServices& agent, const Reply& reply) override;

 private:
  sched::Job job_;
  bool allow_;
  Submit submit_;
  overlay::Time end_;
  overlay::Time next_;
  std::unique_ptr<Pending> submitted_;
};

}  // namespace dunlin::node
