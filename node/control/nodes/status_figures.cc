// SPDX-License-Identifier: MIT
#include "node/control/nodes/status_figures.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "node/control/agent_services.h"
#include "node/store/results.h"
#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/directory/known_node.h"
#include "sched/ledger/audit.h"
#include "sched/peer_view.h"

// It is asked for every second or two, by whatever collects figures: each of these walks over
// something small, or counts what is there.
namespace dunlin::node {

bool is_forgotten(AgentServices& agent, overlay::PeerId id, const sched::KnownNode& node) {
  if (node.state(agent.now()) != sched::NodeState::down) return false;
  const auto& gone = agent.local().gone.all();
  const auto found = gone.find(id);
  return found != gone.end() && found->second.forgotten;
}

Json node_states_json(AgentServices& agent) {
  using enum sched::NodeState;
  Json states = Json::object();
  for (const sched::NodeState each : {up, draining, sick, suspect, down}) {
    states[std::string(sched::to_string(each))] = 0;
  }
  for (const auto& [id, node] : sched::directory_of(agent.peer()).nodes()) {
    const bool farewell = node.departure && node.departure->farewell;
    if (farewell || is_forgotten(agent, id, node)) continue;
    Json& count = states[std::string(sched::to_string(node.state(agent.now())))];
    count = count.get<std::uint64_t>() + 1;
  }
  return states;
}

Json own_cells_json(const AgentServices& agent) {
  const sched::CellNode* const cells = agent.peer().cells();
  if (cells == nullptr) return nullptr;
  std::size_t managed = 0;
  std::size_t broken = 0;
  Json voters = nullptr;
  for (const auto& hosted : cells->hosted()) {
    if (!hosted->manager) continue;
    ++managed;
    if (sched::broken_invariant(hosted->books().ledger().state())) ++broken;
    const auto count = static_cast<std::uint64_t>(std::ranges::count(
        hosted->group.members(), sched::raft::MemberRole::voter, &sched::raft::Member::role));
    if (voters.is_null() || count < voters.get<std::uint64_t>()) voters = count;
  }
  return {{"leased", cells->member().leased(agent.now())}, {"managed", managed}, {"broken", broken},
      {"voters", std::move(voters)}};
}

Json disk_json(const std::optional<DiskFigures>& disk) {
  if (!disk) return nullptr;
  return {{"size_bytes", disk->size}, {"free_bytes", disk->free}, {"needed_bytes", disk->needed}};
}

}  // namespace dunlin::node
