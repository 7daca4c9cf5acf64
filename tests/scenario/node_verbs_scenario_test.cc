// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/cell/plan_rule.h"
#include "sched/ledger/class_name.h"
#include "sched/worker/worker.h"
#include "tests/support/world.h"

// What administrators were told is done stays so, whenever the node that they told dies after that:
// the table of verbs that are of no job. Those of jobs: see verbs_scenario_test.cc.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

/// The node that is told, and dies.
constexpr std::size_t kTold = 0;

struct NodeVerb {
  const char* name;
  std::function<void(World&)> before;
  std::function<void(World&)> say;
  /// True when the user may be told.
  std::function<bool(const World&)> done;
  /// What is wrong when all has settled; empty if it is well.
  std::function<std::string(const World&)> wrong;
};
void PrintTo(const NodeVerb& verb, std::ostream* out) {
  *out << verb.name;
}

bool told_drains(const World& world) {
  const sched::Worker* const worker = world.peer(kTold).worker();
  return worker != nullptr && worker->slots().draining();
}

/// The version of the class table in the books of a manager; 0: no manager has one.
std::uint64_t kept_version(const World& world) {
  std::uint64_t newest = 0;
  for (std::size_t node = 0; node < world.size(); ++node) {
    if (!world.up(node) || world.peer(node).cells() == nullptr) continue;
    for (const auto& hosted : world.peer(node).cells()->hosted()) {
      if (hosted->manager) newest = std::max(newest, hosted->books().roster().classes.version);
    }
  }
  return newest;
}

sched::books::Classes gold_table(std::uint64_t version) {
  sched::books::Classes classes{.version = version, .classes = {}};
  classes.classes.push_back({.class_id = sched::class_id_of("gold"), .name = "gold", .share = 3});
  return classes;
}

bool all_know_table(const World& world, std::uint64_t version) {
  for (std::size_t node = 0; node < world.size(); ++node) {
    if (world.peer(node).classes().version != version) return false;
  }
  return true;
}

/// Sets a rule of plans, or none, as that version of the table.
void set_plan(World& world, std::uint64_t version, bool on) {
  sched::PlanParams rule;
  rule.policy = sched::PlanPolicyName::deadline;
  const auto told = on ? std::optional(rule) : std::nullopt;
  ASSERT_TRUE(world.set_classes(
      kTold, {.version = version, .classes = {}, .plan = sched::plan_rule(told)}));
}

/// `what`, if a node has not the rule that set_plan() sets, or none; empty if all are well.
std::string wrong_plan(const World& world, bool on, const char* what) {
  for (std::size_t node = 0; node < world.size(); ++node) {
    const auto rule = sched::plan_params(world.peer(node).classes().plan);
    const bool deadline = rule && rule->policy == sched::PlanPolicyName::deadline;
    if (on ? !deadline : rule.has_value()) return what;
  }
  return "";
}

bool is_kept(const World& world, std::uint64_t version) {
  return kept_version(world) == version && world.all_durable();
}

void no_more(World&) {}

const std::vector<NodeVerb>& node_verbs() {
  static const std::vector<NodeVerb> all = {
      {"drain", no_more, [](World& world) { world.drain(kTold, true); },
          [](const World& world) { return world.all_durable(); },
          [](const World& world) {
            return std::string(told_drains(world) ? "" : "a drained node takes tasks again");
          }},
      {"drain_off",
          [](World& world) {
            world.drain(kTold, true);
            world.run_for(3s);
          },
          [](World& world) { world.drain(kTold, false); },
          [](const World& world) { return world.all_durable(); },
          [](const World& world) {
            return std::string(told_drains(world) ? "the end of a drain was forgotten" : "");
          }},
      {"share_set", no_more,
          [](World& world) { ASSERT_TRUE(world.set_classes(kTold, gold_table(1))); },
          [](const World& world) { return is_kept(world, 1); },
          [](const World& world) {
            return std::string(all_know_table(world, 1) ? "" : "a table of classes was forgotten");
          }},
      {"share_set_again",
          [](World& world) {
            ASSERT_TRUE(world.set_classes(kTold, gold_table(1)));
            ASSERT_TRUE(world.run_until([&] { return is_kept(world, 1); }, 120s));
          },
          [](World& world) { ASSERT_TRUE(world.set_classes(kTold, gold_table(2))); },
          [](const World& world) { return is_kept(world, 2); },
          [](const World& world) {
            return std::string(
                all_know_table(world, 2) ? "" : "the next table of classes was forgotten");
          }},
      {"plan_set", no_more, [](World& world) { set_plan(world, 1, true); },
          [](const World& world) { return is_kept(world, 1); },
          [](const World& world) {
            return wrong_plan(world, true, "a rule of plans was forgotten");
          }},
      {"plan_off",
          [](World& world) {
            set_plan(world, 1, true);
            ASSERT_TRUE(world.run_until([&] { return is_kept(world, 1); }, 120s));
          },
          [](World& world) { set_plan(world, 2, false); },
          [](const World& world) { return is_kept(world, 2); },
          [](const World& world) {
            return wrong_plan(world, false, "the end of plans was forgotten");
          }},
  };
  return all;
}

class AcknowledgedNodeVerbs : public ::testing::TestWithParam<NodeVerb> {
 protected:
  /// What is wrong in the end, if the node dies so many steps after its answer.
  static std::string after_death(int steps, bool agent_alone) {
    WorldOptions options;
    options.seed = 200 + static_cast<std::uint64_t>(steps);
    options.commit_max = 5ms;
    options.params.sharing.cell.cell_size = 8;
    World world(options);
    world.add(4, {});
    world.run_for(5s);
    GetParam().before(world);
    GetParam().say(world);
    if (!world.run_until([&] { return GetParam().done(world); }, 120s)) return "it is never done";
    for (int i = 0; i < steps; ++i) world.step();
    agent_alone ? world.crash_agent(kTold) : world.crash(kTold);
    world.run_for(500ms);
    world.restart(kTold);
    world.run_for(60s);
    return world.failure().empty() ? GetParam().wrong(world) : world.failure();
  }
};

TEST_P(AcknowledgedNodeVerbs, OutliveADeathOfTheNodeAtEachStep) {
  for (const bool agent_alone : {false, true}) {
    // Other steps for each way to die.
    for (int steps = agent_alone ? 4 : 0; steps < 24; steps += 8) {
      EXPECT_EQ(after_death(steps, agent_alone), "")
          << "killed " << steps << " steps after the answer, the agent alone: " << agent_alone;
    }
  }
}

// Every node at once, as where the power fails: what one of them alone had heard is gone.
TEST_P(AcknowledgedNodeVerbs, OutliveADeathOfAllNodes) {
  WorldOptions options;
  options.seed = 31;
  options.commit_max = 5ms;
  options.params.sharing.cell.cell_size = 8;
  World world(options);
  world.add(4, {});
  world.run_for(5s);
  GetParam().before(world);
  GetParam().say(world);
  ASSERT_TRUE(world.run_until([&] { return GetParam().done(world); }, 120s));
  for (std::size_t node = 0; node < world.size(); ++node) world.crash(node);
  world.run_for(500ms);
  for (std::size_t node = 0; node < world.size(); ++node) world.restart(node);
  world.run_for(90s);
  EXPECT_EQ(GetParam().wrong(world), "");
  EXPECT_EQ(world.failure(), "");
}

INSTANTIATE_TEST_SUITE_P(
    All, AcknowledgedNodeVerbs, ::testing::ValuesIn(node_verbs()), [](const auto& verb) {
      return std::string(verb.param.name);
    });

}  // namespace
}  // namespace dunlin::test
