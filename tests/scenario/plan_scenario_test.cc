// SPDX-License-Identifier: MIT
// Plans in whole peers: from the rule that an operator sets to the tasks that run.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <variant>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/cell/plan_member.h"
#include "sched/cell/plan_rule.h"
#include "sched/peer_view.h"
#include "sched/worker/worker.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Planner;
using sched::PlanParams;
using sched::PlanPolicyName;
using Numbers = std::map<std::uint32_t, std::uint32_t>;

/// Ten nodes of one CPU each, in one cell.
class Plans : public ::testing::Test {
 protected:
  explicit Plans(sched::PreemptMode preempt = sched::PreemptMode::off) : world(options(preempt)) {}

  static WorldOptions options(sched::PreemptMode preempt = sched::PreemptMode::off) {
    WorldOptions options{.seed = 7};
    options.params.worker.preempt = preempt;
    options.params.sharing.cell.cell_size = 12;
    return options;
  }
  void SetUp() override {
    world.filter([&](std::size_t from, std::size_t, const AnyMessage& message) {
      if (const auto* cell = std::get_if<sched::cell::Message>(&message)) {
        const bool plans = std::holds_alternative<sched::cell::Claims>(*cell) ||
            std::holds_alternative<sched::cell::Allotments>(*cell) ||
            std::holds_alternative<sched::cell::Invite>(*cell);
        if (plans) ++messages;
        if (plans && silent.contains(from)) return 0u;
      }
      return 1u;
    });
    world.add(10, {.total = {.cpu = 1000, .memory = 8192, .custom = {}}});
    world.run_for(5s);
  }
  /// Sets the rule at node 9, and waits until a manager of all ten nodes plans by it.
  void set(const std::optional<PlanParams>& rule) {
    const auto version = world.peer(9).classes().version + 1;
    ASSERT_TRUE(
        world.set_classes(9, {.version = version, .classes = {}, .plan = sched::plan_rule(rule)}));
    if (!rule) return world.run_for(30s);
    ASSERT_TRUE(world.run_until(
        [&] { return planner() != nullptr && planner()->members() == world.size(); }, 240s));
  }
  /// The node that manages the cell of nodes; none if two do, or none does.
  std::optional<std::size_t> manager() const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < world.size(); ++i) {
      if (!world.up(i) || world.peer(i).cells() == nullptr) continue;
      for (const auto& hosted : world.peer(i).cells()->hosted()) {
        if (!hosted->manager || hosted->level() != 0) continue;
        if (found) return std::nullopt;
        found = i;
      }
    }
    return found;
  }
  const Planner* planner() const {
    const auto node = manager();
    if (!node) return nullptr;
    for (const auto& hosted : world.peer(*node).cells()->hosted()) {
      if (hosted->manager && hosted->level() == 0) return &hosted->manager->planner();
    }
    return nullptr;
  }
  /// The job is known to the manager by its number plus 10 × its node.
  sched::JobId submit(
      std::size_t node, std::uint32_t count, int priority = 50, sched::Duration lasts = 4s) {
    auto wanted = job(count, lasting(lasts));
    wanted.groups[0].duration = lasts;
    wanted.groups[0].priority = static_cast<std::int16_t>(priority);
    const auto id = world.submit(node, wanted);
    EXPECT_TRUE(id);
    return *id;
  }
  /// The slots of each job, by the node it was submitted at.
  Numbers planned() const {
    Numbers slots;
    for (const auto& each : planner()->plans().back().plan.jobs) {
      slots[static_cast<std::uint32_t>(World::node_of(each.job.home))] = each.slots;
    }
    return slots;
  }
  Numbers running() const {
    Numbers tasks;
    for (std::size_t i = 0; i < world.size(); ++i) {
      if (!world.up(i) || world.peer(i).worker() == nullptr) continue;
      for (const auto& each : world.peer(i).worker()->running()) {
        ++tasks[static_cast<std::uint32_t>(World::node_of(each.task.job.home))];
      }
    }
    return tasks;
  }
  std::uint32_t left(const sched::JobId& id) const {
    const auto* job = find_job(world.peer(World::node_of(id.home)), id);
    return job->task_count() - job->counts()[sched::TaskState::succeeded];
  }
  std::uint64_t plans() const { return planner()->plans().back().number; }

  World world;
  std::set<std::size_t> silent;  ///< Nodes that lose their words about plans.
  std::uint64_t messages = 0;    ///< Of plans.
};

TEST_F(Plans, ClustersWithoutOneSayNothingOfIt) {
  submit(0, 20);
  ASSERT_TRUE(world.set_classes(
      1, {.version = 1, .classes = {{.class_id = 3, .name = "gold", .share = 1}}, .plan = {}}));
  world.run_for(60s);
  EXPECT_NE(world.peer(5).cells(), nullptr);
  EXPECT_EQ(messages, 0u);
  EXPECT_EQ(world.failure(), "");
}

// Lin 2014, figure 3.2: ten workers, five for each of two jobs; a third of higher priority comes,
// and two workers of each of the first move to it, when their tasks end.
TEST_F(Plans, Figure32InTheClusterMovesTwoWorkersOfEachJob) {
  set(PlanParams{.policy = PlanPolicyName::proportion});
  const auto first = submit(0, 200, 10);
  const auto second = submit(1, 200, 10);
  world.run_for(20s);
  EXPECT_EQ(planned(), (Numbers{{0, 5}, {1, 5}}));
  EXPECT_EQ(running(), (Numbers{{0, 5}, {1, 5}}));
  const std::uint32_t both = left(first) + left(second);
  submit(2, both * 2 / 3, 90);
  world.run_for(1s);
  EXPECT_EQ(planned(), (Numbers{{0, 3}, {1, 3}, {2, 4}}));
  EXPECT_EQ(planner()->plans().back().plan.moved, 4u);
  const Numbers soon = running();
  EXPECT_LE(soon.contains(2) ? soon.at(2) : 0, 4u) << "tasks that run are not stopped";
  world.run_for(9s);
  EXPECT_EQ(running(), (Numbers{{0, 3}, {1, 3}, {2, 4}}));
  EXPECT_EQ(world.failure(), "");
}

class PlansThatPreempt : public Plans {
 protected:
  PlansThatPreempt() : Plans(sched::PreemptMode::plan) {}
};

// The same, with tasks that would hold their workers for long.
TEST_F(PlansThatPreempt, WorkersMoveAtOnce) {
  set(PlanParams{.policy = PlanPolicyName::proportion});
  const auto first = submit(0, 200, 10, 10min);
  const auto second = submit(1, 200, 10, 10min);
  world.run_for(20s);
  ASSERT_EQ(running(), (Numbers{{0, 5}, {1, 5}}));
  submit(2, (left(first) + left(second)) * 2 / 3, 10, 10min);
  world.run_for(3s);
  EXPECT_EQ(planned(), (Numbers{{0, 3}, {1, 3}, {2, 4}}));
  EXPECT_EQ(running(), (Numbers{{0, 3}, {1, 3}, {2, 4}}));
  world.run_for(60s);
  EXPECT_EQ(running(), (Numbers{{0, 3}, {1, 3}, {2, 4}})) << "nothing is stopped in turn";
  EXPECT_EQ(world.failure(), "");
}

TEST_F(Plans, ManagersArePassive) {
  set(PlanParams{.policy = PlanPolicyName::proportion});
  submit(0, 300);
  submit(1, 300);
  world.run_for(10s);
  const auto before = plans();
  world.run_for(40s);
  EXPECT_EQ(plans(), before) << "nothing changed";
  submit(2, 100);
  world.run_for(1s);
  EXPECT_GT(plans(), before);
}

// What no job needs goes to jobs that can use it, and where no job with slots can start a task the
// discipline fills the node.
TEST_F(Plans, NoSlotStaysIdle) {
  set(PlanParams{.policy = PlanPolicyName::edf});
  submit(0, 3, 90);
  world.run_for(1s);
  submit(1, 100, 10);
  world.run_for(2s);
  EXPECT_EQ(running(), (Numbers{{0, 3}, {1, 7}}));
  world.run_for(8s);
  EXPECT_EQ(running(), (Numbers{{1, 10}}));
}

TEST_F(Plans, TheNextManagerPlansWithinTwoPeriods) {
  set(PlanParams{.policy = PlanPolicyName::proportion});
  const auto lost = manager();
  ASSERT_TRUE(lost);
  const auto first = static_cast<std::uint32_t>((*lost + 1) % world.size());
  const auto second = static_cast<std::uint32_t>((*lost + 2) % world.size());
  submit(first, 300);
  submit(second, 300);
  world.run_for(15s);
  world.crash(*lost);
  ASSERT_TRUE(world.run_until([&] { return manager().has_value(); }, 60s));
  const auto elected = world.now();
  const auto has_planned = [&] {
    if (planner() == nullptr || planner()->plans().empty()) return false;
    return planned().contains(first) && planned().contains(second);
  };
  ASSERT_TRUE(world.run_until(has_planned, 60s));
  EXPECT_LE(world.now() - elected, 2 * options().params.sharing.cell.period);
  world.run_for(15s);
  EXPECT_EQ(running()[first] + running()[second], 9u);
  EXPECT_EQ(world.failure(), "");
}

TEST_F(Plans, WhatIsAllottedLapsesWhereNoManagerIsHeard) {
  set(PlanParams{.policy = PlanPolicyName::proportion});
  submit(0, 300);
  submit(1, 300);
  world.run_for(15s);
  const auto holds = [&](std::size_t node) {
    return !world.peer(node).cells()->plans().allotted(world.now()).empty();
  };
  ASSERT_TRUE(holds(5));
  silent.insert(5);
  world.run_for(11s);
  EXPECT_FALSE(holds(5)) << "its claims get no answer";
  EXPECT_EQ(world.peer(5).worker()->running().size(), 1u) << "the discipline decides alone";
  silent.clear();
  world.run_for(10s);
  EXPECT_TRUE(holds(5));
}

TEST_F(Plans, OffEndsThem) {
  set(PlanParams{});
  submit(0, 300);
  world.run_for(10s);
  EXPECT_GT(messages, 0u);
  set(std::nullopt);
  messages = 0;
  world.run_for(30s);
  EXPECT_EQ(messages, 0u);
  EXPECT_EQ(world.peer(5).worker()->running().size(), 1u);
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
