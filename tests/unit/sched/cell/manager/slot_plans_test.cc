// SPDX-License-Identifier: MIT
#include "sched/cell/manager/slot_plans.h"

#include <gtest/gtest.h>

#include "sched/cell/plan_rule.h"
#include "tests/support/led_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class SlotPlansTest : public ::testing::Test {
 protected:
  void set_rule(std::uint64_t version, const std::optional<PlanParams>& params) {
    cell.apply_change(books::Classes{.version = version, .classes = {}, .plan = plan_rule(params)});
  }
  /// Node `from` has four slots and a job of so many tasks.
  Handling claim(std::uint64_t from, std::uint32_t left, std::uint64_t member) {
    cell.sent.clear();
    cell::Claims claims{
        .cell = cell.cell(), .member = {member}, .sequence = ++sequence, .slots = 4};
    claims.claims.push_back({.job = {.home = {from}, .number = 1}, .left = left, .task_time = 1s});
    return plans.on_message(cell.turn(), cell.at(from), claims);
  }
  Handling claim(std::uint64_t from, std::uint32_t left) { return claim(from, left, from); }
  void wake() {
    cell.now = std::max(cell.now, plans.deadline());
    plans.on_deadline(cell.turn());
  }

  test::LedCell cell;
  SlotPlans plans{cell.params};
  std::uint64_t sequence = 0;
};

TEST_F(SlotPlansTest, SleepsWithoutARule) {
  cell.admit(1);
  EXPECT_EQ(claim(1, 4), Handling::handled);
  plans.on_period(cell.turn());
  EXPECT_EQ(plans.deadline(), kNever);
  EXPECT_TRUE(cell.sent.empty());
}

TEST_F(SlotPlansTest, PlansByTheRuleOfTheBooksOnceAllMembersWereHeard) {
  cell.admit(1);
  cell.admit(2);
  set_rule(1, PlanParams{});
  claim(1, 6);
  EXPECT_GT(plans.deadline(), cell.now) << "node 2 was not heard";
  claim(2, 2);
  EXPECT_EQ(plans.deadline(), Time{}) << "a plan is due";
  wake();
  for (const std::uint64_t node : {1u, 2u}) {
    const auto told = cell.told<cell::Allotments>(node);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].cell, cell.cell());
    EXPECT_EQ(told[0].epoch, cell.turn().epoch());
    EXPECT_EQ(told[0].life, cell.params.cell.grant_life);
    EXPECT_FALSE(told[0].allotted.empty());
  }
  EXPECT_EQ(cell.seen<PlanMade>(), 1u);
  claim(2, 2);
  EXPECT_EQ(cell.told<cell::Allotments>(2).size(), 1u) << "each claims renew the lease";
  set_rule(2, std::nullopt);
  plans.on_period(cell.turn());
  EXPECT_EQ(plans.deadline(), kNever);
}

TEST_F(SlotPlansTest, ReportsTellWhatTheSlotsOfMembersDoAsLongAsThereIsARule) {
  cell.admit(1);
  cell.admit(2);
  const auto report = [&](std::uint64_t node) {
    cell::MemberReport said = cell.report(node);
    said.slots = {.all = 4, .busy = 3};
    plans.on_report(cell.turn(), said);
  };
  report(1);
  EXPECT_TRUE(plans.states().all().empty());
  set_rule(1, PlanParams{});
  plans.on_period(cell.turn());
  report(1);
  report(2);
  report(3);
  EXPECT_EQ(plans.states().all().size(), 2u) << "node 3 is no member";
  cell.apply(books::Burn{.node = PeerId{2}, .returned = true});
  plans.on_period(cell.turn());
  EXPECT_EQ(plans.states().all().at({1}).slots.busy, 3u);
  EXPECT_EQ(plans.states().all().at({2}).slots.down, 4u);
  set_rule(2, std::nullopt);
  plans.on_period(cell.turn());
  EXPECT_TRUE(plans.states().all().empty());
}

TEST_F(SlotPlansTest, OnlyMembersClaimAndOnlyForThemselves) {
  cell.admit(1);
  set_rule(1, PlanParams{});
  EXPECT_EQ(claim(2, 4), Handling::refused);
  EXPECT_EQ(claim(1, 4, 2), Handling::refused);
  EXPECT_EQ(claim(1, 4), Handling::handled);
  EXPECT_EQ(plans.on_message(cell.turn(), cell.at(1), cell::Enlisted{}), Handling::passed);
}

TEST_F(SlotPlansTest, AGuestIsNoMemberAndIsAnswered) {
  cell.admit(1);
  set_rule(1, PlanParams{});
  claim(1, 2);
  wake();
  const auto ask = [&](std::uint64_t from) {
    cell::Claims said{.cell = cell.cell(), .member = {from}, .sequence = ++sequence, .guest = true};
    said.claims.push_back({.job = {.home = {from}, .number = 9}, .left = 5, .task_time = 1s});
    return plans.on_message(cell.turn(), cell.at(from), said);
  };
  EXPECT_EQ(ask(1), Handling::refused);
  EXPECT_EQ(ask(7), Handling::handled);
  cell.sent.clear();
  wake();
  ASSERT_EQ(cell.told<cell::Allotments>(7).size(), 1u);
  EXPECT_EQ(cell.told<cell::Allotments>(7)[0].lacks.at(0).slots, 2u);
  plans.on_period(cell.turn());
  EXPECT_EQ(plans.planner().guests(), 1u);
}

TEST_F(SlotPlansTest, AMemberThatLeftTheBooksIsForgotten) {
  cell.admit(1);
  cell.admit(2);
  set_rule(1, PlanParams{});
  claim(1, 6);
  claim(2, 2);
  wake();
  cell.apply(books::Burn{.node = PeerId{2}, .returned = true});
  plans.on_period(cell.turn());
  EXPECT_EQ(plans.planner().members(), 1u);
  wake();
  EXPECT_EQ(plans.planner().plans().back().cause, PlanCause::workers);
}

TEST_F(SlotPlansTest, CellsOfCellsPlanNothing) {
  test::LedCell above{1};
  above.apply_change(books::Classes{.version = 1, .classes = {}, .plan = plan_rule(PlanParams{})});
  SlotPlans of_cells{above.params};
  of_cells.on_period(above.turn());
  EXPECT_EQ(of_cells.planner().rule(), std::nullopt);
}

TEST(PlanRule, GoesToTheTableAndBack) {
  for (const auto policy :
      {PlanPolicyName::priority, PlanPolicyName::proportion, PlanPolicyName::workload,
          PlanPolicyName::deadline, PlanPolicyName::edf, PlanPolicyName::assured}) {
    for (const auto spare : {SpareRule::priority, SpareRule::deadline}) {
      const PlanParams params{.policy = policy, .spare = spare, .reserve = .25, .horizon = 7s};
      EXPECT_EQ(plan_params(plan_rule(params)), params);
    }
  }
  EXPECT_EQ(plan_params(plan_rule(std::nullopt)), std::nullopt);
  EXPECT_EQ(plan_params({}), std::nullopt);
}

TEST(PlanRule, ATableMayHaveOneWithoutClassesButNotNonsense) {
  books::Classes table{.version = 1, .classes = {}, .plan = plan_rule(std::nullopt)};
  EXPECT_TRUE(validate(table));
  table.plan.reserve = 1001;
  EXPECT_FALSE(validate(table));
  table.plan = {};
  EXPECT_FALSE(validate(table)) << "neither classes nor a rule";
}

}  // namespace
}  // namespace dunlin::sched
