// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "node/control/after/after_jobs.h"
#include "node/control/after/stages.h"
#include "node/control/control_handlers.h"
#include "node/control/inputs/input_nodes.h"
#include "node/control/job_name.h"
#include "node/control/safety_text.h"
#include "node/ids.h"
#include "sched/constraints.h"
#include "sched/federation/global/global_master.h"
#include "sched/frontend/frontend.h"
#include "sched/peer_view.h"
#include "sched/resources.h"

// Why is it not running? Which demand or constraint, how many nodes could ever serve it, and where
// its probes are.
namespace dunlin::node {
namespace {

constexpr std::size_t kProbesShown = 64;

/// The number of nodes that pass each test that a task makes, so that a user sees which one is too
/// hard.
Json census_json(const sched::Census& census) {
  Json rates_short = Json::object();
  for (std::size_t i = 0; i < census.rate_short.size(); ++i) {
    if (census.rate_short[i] > 0) rates_short[sched::kRates[i].key] = census.rate_short[i];
  }
  return {{"known", census.known}, {"up", census.up}, {"aside", census.aside_count},
      {"matching", census.matching}, {"could_fit", census.could_fit}, {"fit_now", census.fit_now},
      {"cpu_short", census.cpu_short}, {"memory_short", census.memory_short},
      {"rates_short", std::move(rates_short)}, {"custom_short", census.custom_short},
      {"oldest_ns", census.oldest.count()}, {"largest_name", census.largest_name},
      {"largest", to_json(census.largest)}, {"failed_constraints", census.failed_constraints}};
}

/// Where the reservations are that wait for it, the first of them.
Json probes_json(const AgentServices& agent, const std::vector<sched::Probe>& out) {
  Json probes = Json::array();
  for (const sched::Probe& probe : out) {
    if (probes.size() >= kProbesShown) break;
    probes.push_back({{"probe", probe.id}, {"queued", probe.queued},
        {"holder", to_string(probe.holder.id)}, {"holder_name", agent.name_of(probe.holder.id)},
        {"ahead", probe.ahead}, {"age_ns", (agent.now() - probe.sent).count()}});
  }
  return probes;
}

/// The last line: is the request sound, and what does it wait for?
std::string verdict_of(AgentServices& agent,
    const sched::JobState& job,
    std::uint16_t index,
    const sched::Census& census) {
  const sched::TaskGroup& group = job.spec_of(index);
  if (job.groups()[index].waiting == 0) {
    const std::string rests = resting_text(agent, job, index);
    return rests.empty() ? "no task of it waits" : rests;
  }
  if (job.progress().held) return held_text(agent, job);
  if (const std::string unsafe = safety_text(agent, job); !unsafe.empty()) {
    return "its submit is not acknowledged, and no task of it starts: " + unsafe;
  }
  if (sched::waits_for_jobs(job)) return after_text(agent, job);
  if (job.waits_to_begin()) return begin_text(agent, job);
  if (job.stages().holds(index)) return stage_text(job, index);
  if (job.offered(index) == 0) {
    return "at most " + std::to_string(group.at_once) +
        " of its tasks run at once, and so many do: the next starts when one of them ends";
  }
  if (group.gang) {
    const auto never = sched::directory_of(agent.peer()).why_never(agent.now(), group);
    if (never) return "the request cannot be met: " + *never;
    return "its " + std::to_string(job.offered(index)) +
        " tasks start together: they wait until there is room for all of them at once";
  }
  const std::string wanted = sched::to_string(group.demand);
  if (job.held_until() > agent.now()) {
    return "this agent restarted a moment ago; its tasks are handed out again once the workers "
           "had time to report those that still run";
  }
  if (census.could_fit == 0 && census.aside_count > 0) {
    return "the request is sound: it starts when a node that could fit takes tasks again: " +
        aside_text(agent, census);
  }
  if (census.up == 0) return "it starts when a node is up and takes tasks";
  if (census.matching == 0) {
    return "the request cannot be met: no node satisfies " + constraints_text(group.constraints) +
        "; it starts when such a node joins";
  }
  if (census.could_fit == 0) {
    const auto never =
        sched::directory_of(agent.peer()).why_never(agent.now(), group.demand, group.constraints);
    return "the request cannot be met: " + never.value_or("no node can ever fit " + wanted) +
        "; it starts when a larger node joins";
  }
  if (census.fit_now == 0) {
    return "the request is sound: it starts when one node has " + wanted + " free";
  }
  const auto& probes = sched::frontend_of(agent.peer(), job.id()).probes(job, index);
  // They came to nodes that had no room, whatever was heard of these before.
  if (!probes.empty() && std::ranges::all_of(probes, &sched::Probe::queued)) {
    return "the request is sound: it waits in the queues of nodes, and starts when one has " +
        wanted + " free";
  }
  return "the request is sound, and " + std::to_string(census.fit_now) +
      (census.fit_now == 1 ? " node has" : " nodes have") +
      " room for it: it starts within moments";
}

/// What a global master sees of the cluster for a group; null if the frontend has no view.
Json view_json(const AgentServices& agent, const sched::JobState& job, std::uint16_t index) {
  const sched::Frontend& frontend = sched::frontend_of(agent.peer(), job.id());
  const auto* const master = frontend.master();
  if (master == nullptr) return nullptr;
  const sched::TaskGroup& group = job.spec_of(index);
  const auto census = master->census(agent.now(), group.demand, group.constraints);
  Json constraints = Json::array();
  for (std::size_t i = 0; i < group.constraints.size(); ++i) {
    constraints.push_back(
        {{"constraint", sched::to_string(group.constraints[i])}, {"rows", census.satisfied[i]}});
  }
  Json parked = Json::array();
  for (const sched::CellId cell : frontend.parked_at(job, index)) parked.push_back(to_string(cell));
  return {{"cells", census.cells}, {"rows", census.rows}, {"constraints", std::move(constraints)},
      {"matching", census.matching}, {"with_room", census.with_room},
      {"parked", std::move(parked)}};
}

Json group_explanation(AgentServices& agent, const sched::JobState& job, std::uint16_t index) {
  const sched::TaskGroup& group = job.spec_of(index);
  const sched::Census census =
      sched::directory_of(agent.peer()).census(agent.now(), group.demand, group.constraints);
  Json constraints = Json::array();
  for (const auto& constraint : group.constraints) {
    constraints.push_back(sched::to_string(constraint));
  }
  return {{"group", index}, {"name", group.name}, {"waiting", job.groups()[index].waiting},
      {"resting", job.groups()[index].resting}, {"after", stages_json(job, index)},
      {"inputs", inputs_json(job, index)}, {"demand", to_json(group.demand)},
      {"guessed", amounts_json(job.groups()[index].guessed)},
      {"constraints", std::move(constraints)},
      {"waited_ns", (agent.now() - job.accepted()).count()}, {"census", census_json(census)},
      {"probes", probes_json(agent, sched::frontend_of(agent.peer(), job.id()).probes(job, index))},
      {"view", view_json(agent, job, index)}, {"verdict", verdict_of(agent, job, index, census)}};
}

/// The nodes that the census did not count as up.
Json not_up_json(const AgentServices& agent) {
  Json nodes = Json::array();
  for (const auto& [id, node] : sched::directory_of(agent.peer()).nodes()) {
    const sched::NodeState state = node.state(agent.now());
    if (state == sched::NodeState::up) continue;
    nodes.push_back({{"name", agent.name_of(id)}, {"state", to_string(state)},
        {"sick", node.sick() && node.facts ? node.facts->sick : ""},
        {"drained_for",
            node.facts && !node.facts->drain.empty() ? node.facts->drain.front().reason : ""}});
  }
  return nodes;
}

}  // namespace

Result<Json> handle_explain(AgentServices& agent, ControlSession& session, Args& args) {
  const auto found = find_job(agent, args);
  if (!found) return tl::unexpected(found.error());
  const sched::JobState& job = **found;
  Json json = summary_of(agent, job, session.speaker());
  json["known_as"] = job_text(agent, job.id());
  Json groups = Json::array();
  for (std::uint16_t i = 0; i < job.groups().size(); ++i) {
    groups.push_back(group_explanation(agent, job, i));
  }
  json["groups"] = std::move(groups);
  json["not_up"] = not_up_json(agent);
  return json;
}

}  // namespace dunlin::node
