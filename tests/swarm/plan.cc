// SPDX-License-Identifier: MIT
#include "tests/swarm/plan.h"

#include <algorithm>

#include "overlay/param_entries.h"
#include "sched/cell/plan_rule.h"
#include "sched/ledger/class_name.h"
#include "sched/resources.h"
#include "tests/support/builders.h"
#include "tests/swarm/plan_params.h"

namespace dunlin::test {
namespace {

using overlay::Rng;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Zero in half of the runs.
double draw_share(double max, Rng& rng) {
  const double share = max * rng.uniform();
  return rng.chance(0.5) ? 0.0 : share;
}

NodeConfig draw_node(Rng& rng) {
  NodeConfig node;
  node.total.cpu = 1000 * (1 + rng.below(16));
  node.total.memory = 1024U << rng.below(5);
  if (rng.chance(0.2)) sched::set_amount(node.total, "gpu", 1 + rng.below(4));
  for (const sched::Rate& rate : sched::kRates) {
    if (rng.chance(0.2)) node.total.*rate.amount = 1 + rng.below(1000);
  }
  node.attributes.push_back({"arch", rng.chance(0.7) ? "x86_64" : "arm64"});
  node.attributes.push_back({"rack", std::to_string(rng.below(3))});
  if (rng.chance(0.15)) node.slowness = rng.between(milliseconds(1), milliseconds(150));
  return node;
}

/// Faults of plans whose jobs have replicas: none of them is of use to others.
void draw_replica_deeds(Plan& plan, Rng& rng) {
  const std::uint32_t deaths = rng.below(4);
  for (std::uint32_t i = 0; i < deaths; ++i) {
    plan.deeds.push_back({.kind = Deed::Kind::perish,
        .at = rng.between(seconds(5), plan.safety_phase),
        .lasts = rng.between(seconds(1), seconds(60)),
        .seed = rng()});
  }
  const std::uint32_t cuts = rng.below(3);
  for (std::uint32_t i = 0; i < cuts; ++i) {
    plan.deeds.push_back({.kind = Deed::Kind::isolate,
        .at = rng.between(seconds(5), plan.safety_phase),
        .lasts = rng.between(seconds(1), seconds(30)),
        .seed = rng()});
  }
  const std::uint32_t ends = rng.below(4);
  for (std::uint32_t i = 0; i < ends; ++i) {
    plan.deeds.push_back({.kind = rng.chance(0.6) ? Deed::Kind::retire : Deed::Kind::fill,
        .at = rng.between(seconds(5), plan.safety_phase),
        .lasts = rng.between(seconds(1), seconds(30)),
        .seed = rng()});
  }
  for (NodeConfig& node : plan.nodes) {
    if (rng.chance(0.15)) node.disk = rng.between(milliseconds(10), milliseconds(2000));
  }
}

/// Classes that come to share the cluster.
void draw_classes(Plan& plan, Rng& rng) {
  for (std::uint32_t i = 0; i <= rng.below(4); ++i)
    plan.classes.push_back(std::string(1, static_cast<char>('a' + i)));
  plan.drawn += draw_sharing(plan.world.params.sharing, rng);
  for (std::uint32_t i = 0; i < 1 + rng.below(3); ++i) {
    plan.deeds.push_back({.kind = Deed::Kind::share,
        .at = rng.between(milliseconds(500), plan.safety_phase / 2),
        .lasts = {},
        .seed = rng()});
  }
}

Deed draw_deed(Duration horizon, Rng& rng) {
  constexpr Deed::Kind kKinds[] = {Deed::Kind::cancel, Deed::Kind::cancel_some, Deed::Kind::crash,
      Deed::Kind::crash, Deed::Kind::crash, Deed::Kind::leave, Deed::Kind::split, Deed::Kind::cut,
      Deed::Kind::cut, Deed::Kind::drain, Deed::Kind::sicken, Deed::Kind::bereave, Deed::Kind::hold,
      Deed::Kind::retry, Deed::Kind::set, Deed::Kind::requeue};
  Deed deed;
  deed.kind = kKinds[rng.index(std::size(kKinds))];
  deed.at = rng.between(seconds(2), horizon);
  deed.lasts = rng.between(milliseconds(10), seconds(rng.chance(0.3) ? 60 : 12));
  deed.seed = rng();
  return deed;
}

/// Wall clocks up to four minutes apart: more than any deadline is away.
void draw_clocks(Plan& plan, Rng& rng) {
  plan.clocks = true;
  plan.drawn += " clocks";
  for (NodeConfig& node : plan.nodes) {
    node.clock = rng.between(seconds(0), seconds(rng.chance(0.5) ? 240 : 2));
    if (rng.chance(0.5)) node.drift = rng.below(500);
  }
}

/// Classes whose gangs hold slots before they have all of them.
void draw_gang_classes(Plan& plan, Rng& rng) {
  for (const char name : {'a', 'b'}) plan.classes.push_back(std::string(1, name));
  plan.drawn += " gangs of classes";
  plan.deeds.push_back({.kind = Deed::Kind::share,
      .at = rng.between(milliseconds(500), plan.safety_phase / 2),
      .lasts = {},
      .seed = rng()});
}

/// A home dies for good where a plan divides slots, perhaps.
void draw_death_under_plan(Plan& plan, Rng& rng) {
  plan.deeds.push_back({.kind = Deed::Kind::perish,
      .at = rng.between(plan.safety_phase / 2, plan.safety_phase),
      .lasts = rng.between(seconds(1), seconds(60)),
      .seed = rng()});
}

/// Parameters, network, disks and how often tasks fail to start.
void draw_world(Plan& plan, Rng& rng) {
  plan.drawn = draw_params(plan.world.params, rng);
  plan.world.network.latency_max = rng.between(milliseconds(1), milliseconds(80));
  plan.world.network.loss = draw_share(0.2, rng);
  plan.world.network.duplication = draw_share(0.2, rng);
  plan.world.network.straggling = draw_share(0.05, rng);
  plan.world.executor.spawn_failure = draw_share(0.05, rng);
  if (rng.chance(0.5)) plan.world.commit_max = rng.between(milliseconds(1), milliseconds(50));
  plan.world.codec = rng.chance(0.5);
  // A worker that gives up before an answer can come never gets a task.
  auto& patience = plan.world.params.worker.ask_timeout;
  patience = std::max(patience, 2 * plan.world.network.latency_max + plan.world.commit_max);
}

/// A cluster, small in a third of the runs, of nodes that are alike or not.
void draw_nodes(Plan& plan, Rng& rng) {
  const std::uint32_t nodes = rng.chance(0.3) ? 2 + rng.below(3) : 3 + rng.below(38);
  const NodeConfig uniform = draw_node(rng);
  const bool alike = rng.chance(0.4);
  for (std::uint32_t i = 0; i < nodes; ++i) plan.nodes.push_back(alike ? uniform : draw_node(rng));
}

/// The length of the phase with faults, the faults that every plan may have, and the jobs.
void draw_faults_and_jobs(Plan& plan, Rng& rng) {
  plan.safety_phase = rng.between(seconds(10), seconds(60));
  const std::uint32_t faults = rng.chance(0.2) ? 0 : rng.below(16);
  for (std::uint32_t i = 0; i < faults; ++i) {
    plan.deeds.push_back(draw_deed(plan.safety_phase, rng));
  }
  const std::uint32_t jobs = 1 + rng.below(8);
  for (std::uint32_t i = 0; i < jobs; ++i) {
    plan.deeds.push_back({.kind = Deed::Kind::submit,
        .at = rng.between(milliseconds(500), plan.safety_phase),
        .lasts = {},
        .seed = rng()});
  }
}

/// The parties that divide slots or keep records: classes, standbys, a federation. True if there is
/// a federation.
bool draw_parties(Plan& plan, Rng& rng) {
  bool sharing = rng.chance(0.25);
  if (sharing) draw_classes(plan, rng);
  if (rng.chance(0.5)) {
    plan.replicas = true;
    plan.drawn += " replicas";
    // The books that say which node drives a job are a cell's.
    if (!sharing) plan.drawn += draw_sharing(plan.world.params.sharing, rng);
    draw_replica_deeds(plan, rng);
    sharing = true;
  }
  const bool federated =
      rng.chance(0.2) || plan.world.params.frontend.placement == sched::PlacementName::federated;
  if (federated) {
    plan.drawn += draw_federation(plan.world.params, rng);
    // Local masters are the managers of cells.
    if (!sharing) plan.drawn += draw_sharing(plan.world.params.sharing, rng);
  }
  return federated;
}

/// What jobs of the plan may say, and whether all stands still in the end.
void draw_words(Plan& plan, bool federated, Rng& rng) {
  plan.after = rng.chance(0.3);
  if (plan.after) plan.drawn += " after";
  plan.stages = rng.chance(0.3);
  if (plan.stages) plan.drawn += " stages";
  plan.inputs = rng.chance(0.3);
  if (plan.inputs) plan.drawn += " inputs";
  plan.idle = rng.chance(federated ? 0.5 : 0.2);
  if (plan.idle) plan.drawn += " idle";
}

}  // namespace

// The order of the draws is what a seed means: a draw that moves makes other plans of all seeds.
Plan Plan::draw(std::uint64_t seed) {
  Rng rng(seed * 2 + 1);
  Plan plan;
  plan.seed = seed;
  plan.world.seed = rng();
  draw_world(plan, rng);
  draw_nodes(plan, rng);
  draw_faults_and_jobs(plan, rng);
  const bool federated = draw_parties(plan, rng);
  draw_words(plan, federated, rng);
  if (rng.chance(0.3)) draw_clocks(plan, rng);
  if (federated && plan.classes.empty() && rng.chance(0.3)) draw_gang_classes(plan, rng);
  if (plan.replicas && !plan.classes.empty()) draw_death_under_plan(plan, rng);
  plan.words = rng.chance(0.3);
  if (plan.words) plan.drawn += " words";
  std::ranges::stable_sort(plan.deeds, {}, &Deed::at);
  return plan;
}

std::string to_string(const Plan& plan) {
  constexpr std::string_view kWords[] = {"submit", "cancel", "cancel_some", "crash", "leave",
      "split", "cut", "mend", "drain", "share", "sicken", "bereave", "hold", "retry", "set",
      "perish", "isolate", "retire", "fill", "requeue"};
  const NetworkParams& network = plan.world.network;
  std::string text = "seed " + std::to_string(plan.seed) + ": " +
      std::to_string(plan.nodes.size()) + " nodes, latency to " +
      overlay::to_string(network.latency_max) + ", loss " + overlay::number_text(network.loss) +
      ", duplication " + overlay::number_text(network.duplication) + ", straggling " +
      overlay::number_text(network.straggling) + ", spawn failure " +
      overlay::number_text(plan.world.executor.spawn_failure) + ", commit to " +
      overlay::to_string(plan.world.commit_max) + "\n ";
  for (const Deed& deed : plan.deeds) {
    text += " " + std::string(kWords[static_cast<std::size_t>(deed.kind)]) + "@" +
        std::to_string(std::chrono::duration<double>(deed.at).count());
  }
  return text + "\n " + plan.drawn + "\n";
}

sched::Job draw_job(const std::vector<NodeConfig>& nodes, bool crowded, Rng& rng) {
  sched::Job job;
  job.name = "swarm";
  const std::uint32_t groups = 1 + rng.below(3);
  for (std::uint32_t g = 0; g < groups; ++g) {
    // Made to the measure of one node, so that one can run it.
    const NodeConfig& model = nodes[rng.index(nodes.size())];
    Script script;
    const bool few_and_long = rng.chance(0.2);
    script.duration = milliseconds(1 + rng.below(few_and_long ? 30'000 : crowded ? 5'000 : 1'000));
    if (rng.chance(0.2)) {
      script.status = static_cast<std::int32_t>(1 + rng.below(100));
      script.attempts_failing = static_cast<std::uint16_t>(1 + rng.below(3));
    }
    sched::TaskGroup group = tasks(1 + rng.below(few_and_long ? 5 : 60), script);
    group.name = "g" + std::to_string(g);
    group.demand = {.cpu = 1 + rng.below(rng.chance(0.2) ? model.total.cpu : 1000),
        .memory = 1 + rng.below(rng.chance(0.2) ? model.total.memory : 256),
        .custom = {}};
    const std::uint32_t gpus = sched::amount_of(model.total, "gpu");
    if (gpus > 0 && rng.chance(0.5)) sched::set_amount(group.demand, "gpu", 1 + rng.below(gpus));
    for (const sched::Rate& rate : sched::kRates) {
      const std::uint32_t there = model.total.*rate.amount;
      if (there > 0 && rng.chance(0.5)) group.demand.*rate.amount = 1 + rng.below(there);
    }
    if (rng.chance(0.2)) {
      const sched::Attribute& attribute = model.attributes[rng.index(model.attributes.size())];
      group.constraints.push_back({attribute.key, sched::Comparison::equal, attribute.value});
    }
    group.priority = static_cast<std::int16_t>(rng.below(101));
    group.retries = static_cast<std::uint16_t>(rng.chance(0.5) ? 0 : rng.below(4));
    if (rng.chance(0.15)) group.at_once = 1 + rng.below(8);
    if (rng.chance(0.15)) group.time_limit = milliseconds(100 + rng.below(3000));
    if (rng.chance(0.5)) group.duration = milliseconds(1 + rng.below(60'000));  // True or not.
    if (rng.chance(0.2)) {
      for (std::uint32_t i = 0; i < group.count; ++i) {
        group.entries.push_back("line " + std::to_string(i));
      }
    }
    job.groups.push_back(std::move(group));
  }
  // Requeue is what jobs have that say nothing.
  constexpr sched::OnPreempt kYields[] = {sched::OnPreempt::never, sched::OnPreempt::checkpoint,
      sched::OnPreempt::suspend, sched::OnPreempt::suspend};
  if (rng.chance(0.3)) job.on_preempt = kYields[rng.index(std::size(kYields))];
  if (rng.chance(0.3)) job.deadline = milliseconds(1 + rng.below(60'000));
  if (job.deadline && rng.chance(0.3)) job.past_deadline = sched::PastDeadline::cancel;
  return job;
}

sched::books::Classes draw_table(const Plan& plan, std::uint64_t version, Rng& rng) {
  sched::books::Classes table;
  table.version = version;
  for (const std::string& name : plan.classes) {
    table.classes.push_back({.class_id = sched::class_id_of(name),
        .name = name,
        .share = static_cast<sched::Tickets>(1 + rng.below(9))});
  }
  std::ranges::sort(table.classes, {}, &sched::books::Class::class_id);
  if (rng.chance(.5)) {
    table.plan = sched::plan_rule(
        sched::PlanParams{.policy = static_cast<sched::PlanPolicyName>(rng.below(6)),
            .spare = static_cast<sched::SpareRule>(rng.below(2))});
  }
  return table;
}

void draw_replicas(sched::Job& job, Rng& rng) {
  job.replicas = static_cast<std::uint8_t>(rng.below(3));
  if (job.replicas > 0) job.replicas_required = static_cast<std::uint8_t>(rng.below(2));
}

}  // namespace dunlin::test
