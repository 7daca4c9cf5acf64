// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "node/access/accounts.h"
#include "node/control/agent_services.h"

namespace dunlin::node {

/// Asks all nodes for fresh facts, in one census with all who ask within a moment. The time from
/// which on facts are fresh; empty: not now, see Census::next().
inline std::optional<overlay::Time> ask_all(AgentServices& agent) {
  const auto begun = agent.local().accounts.census().begin(agent.now());
  if (!begun) return std::nullopt;
  if (begun->ask) agent.ask_for_facts();
  return begun->at;
}

}  // namespace dunlin::node
