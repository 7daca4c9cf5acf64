// SPDX-License-Identifier: MIT
#include "node/agent/kept_drain.h"

#include <optional>
#include <string>

#include "node/agent/agent_parts.h"
#include "node/wall_clock.h"
#include "sched/peer_maintenance.h"

namespace dunlin::node {

Result<void> restore_drain(AgentParts& parts) {
  const auto drain = parts.records->store().drain();
  if (!drain) return tl::unexpected(drain.error());
  if (!*drain) return {};
  parts.peer->maintenance().set_drain(parts.host(), *drain);
  parts.log.say(overlay::Level::warn, "still_drained",
      {{"by", (*drain)->by.empty() ? "unknown" : (*drain)->by}, {"reason", (*drain)->reason},
          {"cure", "dunlin node drain --off " + parts.configuration.agent.name}});
  return {};
}

void end_drain_in_time(AgentParts& parts) {
  const std::optional<sched::DrainTerms>& drain = parts.peer->self().drain;
  // By the wall clock, as it must hold through restarts of the machine; 0: until it is taken back.
  if (!drain || drain->until == 0 || wall_clock_ns() < drain->until) return;
  parts.peer->maintenance().set_drain(parts.host(), std::nullopt);
}

}  // namespace dunlin::node
