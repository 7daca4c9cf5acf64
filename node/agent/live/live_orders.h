// SPDX-License-Identifier: MIT
#pragma once

#include "node/agent/agent_parts.h"
#include "node/agent/shutdown.h"
#include "node/control/agent_ports.h"

namespace dunlin::node {

/// What users and administrators may do through an agent that runs: each order goes on to its peer,
/// in the current turn.
class LiveOrders : public virtual JobOrders, public virtual NodeOrders {
 public:
  Result<sched::JobId> submit(sched::Job job, bool allow_unsatisfiable) override;
  Result<void> cancel(const sched::JobId& job, std::span<const std::uint32_t> tasks) override;
  Result<void> change(const sched::JobId& job, const sched::JobChange& change) override;
  Result<void> retry(const sched::JobId& job, std::span<const std::uint32_t> tasks) override;
  Result<std::uint32_t> requeue(
      const sched::JobId& job, std::span<const std::uint32_t> tasks) override;
  void drain(const std::optional<sched::DrainTerms>& terms) override;
  Result<void> take_over(const sched::JobId& job) override;
  Result<void> set_classes(const sched::books::Classes& classes) override;
  Result<void> write_off(sched::CellId cell, sched::CellId lost, bool reissue) override;

 protected:
  /// Both must outlive this. Requires that all parts are open.
  LiveOrders(AgentParts& parts, const Shutdown& shutdown) : parts_(parts), shutdown_(shutdown) {}

 private:
  AgentParts& parts_;
  const Shutdown& shutdown_;
};

}  // namespace dunlin::node
