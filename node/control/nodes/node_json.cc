// SPDX-License-Identifier: MIT
#include "node/control/nodes/node_json.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "node/control/agent_services.h"
#include "node/control/use/enforced.h"
#include "node/ids.h"
#include "node/reach/unreached.h"
#include "node/store/results.h"
#include "node/wall_clock.h"
#include "sched/packing/rate_bits.h"
#include "sched/peer_view.h"
#include "sched/plan/slot_width.h"

// Knowledge of a node has two sources of different age: facts, which it told when it was asked, and
// gossip, which is newer but rounds rates and knows no custom resources. The newer one counts, as
// far as it goes. A silent node has nothing free, whatever was last heard.
namespace dunlin::node {
namespace {

Json attributes_json(const std::vector<sched::Attribute>& attributes) {
  Json object = Json::object();
  for (const auto& attribute : attributes) object[attribute.key] = attribute.value;
  return object;
}

std::optional<sched::DrainTerms> drain_of(const sched::KnownNode& node) {
  if (!node.facts || node.facts->drain.empty()) return std::nullopt;
  return node.facts->drain.front();
}

/// None if it has not said what its slots do. All slots of a node that is silent are down.
sched::SlotCounts known_slots(const sched::KnownNode& node, bool answers) {
  if (!node.facts) return {};
  const std::uint32_t all = node.facts->slots.all;
  return answers ? node.facts->slots : sched::SlotCounts{.all = all, .down = all};
}

/// Null for none.
Json known_slots_json(const sched::KnownNode& node, bool answers) {
  const sched::SlotCounts slots = known_slots(node, answers);
  return slots.all == 0 ? Json(nullptr) : slots_json(slots);
}

/// What is free, with all rates that the node declares, be there nothing left of them.
Json free_json(const sched::Resources& free, const sched::Resources& total) {
  Json json = to_json(free);
  for (const sched::Rate& rate : sched::kRates) {
    if (total.*rate.amount != 0) json["rates"][rate.key] = free.*rate.amount;
  }
  return json;
}

/// What is free of `total`, by `told` of gossip, which tells rates roughly, and by older facts.
sched::Resources freshened(
    sched::Resources facts, const sched::Resources& told, const sched::Resources& total) {
  facts.cpu = told.cpu;
  facts.memory = told.memory;
  for (const sched::Rate& rate : sched::kRates) {
    if (total.*rate.amount == 0) continue;
    facts.*rate.amount = std::min(told.*rate.amount, total.*rate.amount);
  }
  return facts;
}

/// Statements that gossip brought later are nearer the truth, but know no custom resources.
bool gossip_is_later(const AgentServices& agent, overlay::PeerId id, const sched::KnownNode& node) {
  return node.facts_at < node.born && id != agent.id();
}

/// Of a silent node nothing is free: what it said last is true of a moment before.
bool tells_of_itself(sched::NodeState state) {
  return state != sched::NodeState::suspect && state != sched::NodeState::down;
}

std::int64_t age_of(const AgentServices& agent, const sched::KnownNode& node) {
  return std::max(overlay::Duration{0}, agent.now() - node.heard_at()).count();
}

/// The state of a node that takes part, but does not answer at the address that it tells others.
constexpr std::string_view kUnreachable = "unreachable";

Json unreachable_json(const Unreached& unreached) {
  return {{"told", overlay::to_string(unreached.told)},
      {"reached_at", overlay::to_string(unreached.works)}, {"what", unreached_text(unreached)}};
}

}  // namespace

Json drain_terms_json(const std::optional<sched::DrainTerms>& terms) {
  if (!terms) return nullptr;
  return {{"reason", terms->reason}, {"by", terms->by}, {"since_ns", terms->since},
      {"until_ns", terms->until}};
}

Json slots_json(const sched::SlotCounts& slots) {
  return {{"all", slots.all}, {"available", sched::available(slots)}, {"occupied", slots.occupied},
      {"busy", slots.busy}, {"down", slots.down}};
}

Json node_json(const AgentServices& agent, overlay::PeerId id, const sched::KnownNode& node) {
  const overlay::Descriptor& said = node.descriptor;
  const sched::NodeState state = node.state(agent.now());
  const auto unreached = agent.unreachable().find(id);
  const bool lame = unreached != agent.unreachable().end();
  Json json = {{"node", to_string(id)}, {"name", agent.name_of(id)},
      {"address", overlay::to_string(said.address)},
      {"state", lame && state == sched::NodeState::up ? kUnreachable : to_string(state)},
      {"unreachable", lame ? unreachable_json(unreached->second) : Json(nullptr)},
      {"age_ns", age_of(agent, node)}};
  sched::Resources total = sched::told_total(said);
  sched::Resources free = sched::told_free(said);
  if (node.facts) {
    total = node.facts->total;
    const bool later = gossip_is_later(agent, id, node);
    free = later ? freshened(node.facts->free, free, total) : node.facts->free;
  }
  const bool known = tells_of_itself(state);
  json["total"] = to_json(total);
  json["free"] = known ? free_json(free, total) : Json(nullptr);
  json["slots"] = known_slots_json(node, known);
  json["attributes"] = node.facts ? attributes_json(node.facts->attributes) : Json::object();
  json["limits"] = node.facts ? node.facts->limits : "";
  json["enforced"] = node.facts ? enforced_json(node.facts->limits) : Json(nullptr);
  json["version"] = node.facts ? node.facts->version : "";
  json["running"] = node.facts ? Json(node.facts->running) : Json(nullptr);
  json["queued"] = node.facts ? node.facts->queued : said.queued;
  json["jobs"] = node.facts ? Json(node.facts->jobs) : Json(nullptr);
  json["trouble"] = node.facts ? node.facts->trouble : "";
  json["sick"] = node.facts && node.sick() ? node.facts->sick : "";
  json["drain"] = drain_terms_json(drain_of(node));
  json["capabilities"] = node.facts ? node.facts->capabilities : std::uint64_t{0};
  json["facts"] = node.facts.has_value();
  return json;
}

NodeFigures figures_of(
    const AgentServices& agent, overlay::PeerId id, const sched::KnownNode& node) {
  const sched::NodeState state = node.state(agent.now());
  const bool lame = state == sched::NodeState::up && agent.unreachable().contains(id);
  const sched::Resources told = sched::told_free(node.descriptor);
  NodeFigures figures{.state = lame ? kUnreachable : to_string(state),
      .queued = node.descriptor.queued,
      .age_ns = age_of(agent, node),
      .tells = tells_of_itself(state)};
  figures.slots = known_slots(node, figures.tells);
  const sched::Resources total = sched::told_total(node.descriptor);
  figures.cpu = total.cpu;
  figures.memory = total.memory;
  figures.cpu_free = told.cpu;
  figures.memory_free = told.memory;
  if (!node.facts) return figures;
  const sched::Facts& facts = *node.facts;
  figures.version = facts.version;
  figures.running = facts.running;
  figures.queued = facts.queued;
  figures.cpu = facts.total.cpu;
  figures.memory = facts.total.memory;
  if (gossip_is_later(agent, id, node)) return figures;
  figures.cpu_free = facts.free.cpu;
  figures.memory_free = facts.free.memory;
  return figures;
}

Json gone_node_json(overlay::PeerId id, const GoneNode& node) {
  return {{"node", to_string(id)}, {"name", node.name.empty() ? to_string(id) : node.name},
      {"address", overlay::to_string(node.address)}, {"heard_at_ns", node.heard_at},
      {"age_ns", std::max(std::int64_t{0}, wall_clock_ns() - node.heard_at)}};
}

}  // namespace dunlin::node
