// SPDX-License-Identifier: MIT
// Plans of several cells: what the own cell cannot give, a frontend claims at others.
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/cell/plan_member.h"
#include "sched/cell/plan_rule.h"
#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::CellId;
using sched::JobId;
using sched::PlanParams;
using sched::PlanPolicyName;

/// Ten nodes of one CPU each, in cells of six at most.
class PlansOfCells : public ::testing::Test {
 protected:
  static WorldOptions options() {
    WorldOptions options{.seed = 7};
    options.params.sharing.cell.cell_size = 6;
    return options;
  }
  void SetUp() override {
    world.filter([&](std::size_t, std::size_t, const AnyMessage& message) {
      const auto* cell = std::get_if<sched::cell::Message>(&message);
      const auto* claims = cell == nullptr ? nullptr : std::get_if<sched::cell::Claims>(cell);
      if (claims == nullptr || !claims->guest) return 1u;
      ++messages;
      return lost ? 0u : 1u;
    });
    world.add(10, {.total = {.cpu = 1000, .memory = 8192, .custom = {}}});
    world.run_for(5s);
  }
  void set(const PlanParams& rule) {
    ASSERT_TRUE(
        world.set_classes(9, {.version = 1, .classes = {}, .plan = sched::plan_rule(rule)}));
    const auto all_plan = [&] {
      std::size_t members = 0;
      for (const auto& [cell, planner] : planners()) members += planner->members();
      return planners().size() >= 2 && members == world.size();
    };
    ASSERT_TRUE(world.run_until(all_plan, 240s));
    messages = 0;
  }
  std::map<CellId, const sched::Planner*> planners() const {
    std::map<CellId, const sched::Planner*> found;
    for (std::size_t i = 0; i < world.size(); ++i) {
      if (!world.up(i) || world.peer(i).cells() == nullptr) continue;
      for (const auto& hosted : world.peer(i).cells()->hosted()) {
        if (!hosted->manager || hosted->level() != 0) continue;
        found[hosted->cell()] = &hosted->manager->planner();
      }
    }
    return found;
  }
  CellId cell_of(std::size_t node) const { return world.peer(node).cells()->member().cell(); }
  std::size_t node_outside(CellId cell) const {
    for (std::size_t i = 0; i < world.size(); ++i) {
      if (cell_of(i) != cell) return i;
    }
    return 0;
  }
  std::uint32_t members(CellId cell) const {
    return static_cast<std::uint32_t>(planners().at(cell)->members());
  }
  /// The slots of the job in that cell.
  std::uint32_t slots(const JobId& job, CellId cell) const {
    const auto given = planners().at(cell)->given();
    const auto at = given.find(job);
    return at == given.end() ? 0 : at->second;
  }
  std::uint32_t slots(const JobId& job) const {
    std::uint32_t sum = 0;
    for (const auto& [cell, planner] : planners()) sum += slots(job, cell);
    return sum;
  }
  JobId submit(std::size_t node, std::uint32_t count, sched::Duration length, int priority = 50) {
    auto wanted = job(count, lasting(length));
    wanted.groups[0].duration = length;
    wanted.groups[0].priority = static_cast<std::int16_t>(priority);
    const auto id = world.submit(node, wanted);
    EXPECT_TRUE(id);
    return *id;
  }
  const sched::GuestClaims& abroad(std::size_t node) const {
    return world.peer(node).cells()->plans().abroad();
  }

  World world{options()};
  bool lost = false;           ///< Claims at other cells do not arrive.
  std::uint64_t messages = 0;  ///< Claims at other cells.
};

TEST_F(PlansOfCells, AJobThatItsOwnCellCanServeAsksNoOther) {
  set(PlanParams{});
  const auto job = submit(0, 2, 20s);
  world.run_for(10s);
  EXPECT_EQ(slots(job, cell_of(0)), 2u);
  EXPECT_EQ(messages, 0u);
  EXPECT_TRUE(abroad(0).hosts().empty());
}

TEST_F(PlansOfCells, WhatTheOwnCellCannotGiveOthersGive) {
  set(PlanParams{});
  const CellId own = cell_of(0);
  const auto job = submit(0, 9, 60s);
  ASSERT_TRUE(world.run_until([&] { return slots(job) == 9; }, 30s));
  EXPECT_EQ(slots(job, own), members(own));
  EXPECT_GT(messages, 0u);
  // As long as it lasts, and no more than it can use.
  for (int i = 0; i < 20; ++i) {
    world.run_for(1s);
    ASSERT_EQ(slots(job), 9u);
  }
  // When it has ended nothing is claimed any more.
  ASSERT_TRUE(world.run_until([&] { return slots(job) == 0; }, 120s));
  world.run_for(30s);
  EXPECT_TRUE(abroad(0).hosts().empty());
  messages = 0;
  world.run_for(30s);
  EXPECT_EQ(messages, 0u);
  EXPECT_EQ(world.failure(), "");
}

// Jobs of the other cell do not stand in the way of one that matters more.
TEST_F(PlansOfCells, AJobOfHighPriorityGetsSlotsOfAFullCell) {
  set(PlanParams{.policy = PlanPolicyName::priority, .reserve = 0});
  const CellId own = cell_of(0);
  const auto low = submit(node_outside(own), 300, 4s, 10);
  ASSERT_TRUE(world.run_until([&] { return slots(low) == 10; }, 60s));
  const auto high = submit(0, 100, 4s, 80);
  ASSERT_TRUE(world.run_until([&] { return slots(high) >= 9; }, 30s));
  EXPECT_EQ(slots(low) + slots(high), 10u);
}

// Claims that do not arrive cost the job nothing but the plan of another cell.
TEST_F(PlansOfCells, ACellThatIsNotReachedIsLeft) {
  set(PlanParams{});
  const CellId own = cell_of(0);
  lost = true;
  const auto job = submit(0, 400, 4s);
  ASSERT_TRUE(world.run_until([&] { return messages > 0; }, 30s));
  world.run_for(5s);
  EXPECT_EQ(slots(job), members(own));
  lost = false;
  ASSERT_TRUE(world.run_until([&] { return slots(job) > members(own); }, 60s));
  ASSERT_TRUE(world.run_until(
      [&] { return sched::find_job(world.peer(0), job)->finished().has_value(); }, 300s));
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
