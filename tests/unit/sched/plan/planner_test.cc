// SPDX-License-Identifier: MIT
#include "sched/plan/planner.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>

#include "overlay/rng.h"
#include "tests/unit/sched/plan/planned_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using plan_world::job_id;

using Cell = plan_world::PlannedCell;
using plan_world::TwoNodes;

TEST(Planner, ListensBeforeItsFirstPlanUntilAllMembersWereHeard) {
  Cell cell;
  cell.say(1, 4, {Cell::claim(1, 50, 8)});
  EXPECT_TRUE(cell.planner.wake(cell.now).empty());
  EXPECT_EQ(cell.planner.deadline(), Time{102s});
  cell.planner.hear_all(2);
  EXPECT_EQ(cell.planner.deadline(), Time{102s});
  cell.planner.hear_all(1);
  EXPECT_FALSE(cell.planner.wake(cell.now).empty());
  EXPECT_EQ(cell.slots(1, 1), 4u);
}

TEST(Planner, WithoutARuleItKeepsAndPlansNothing) {
  TwoNodes cell;
  EXPECT_TRUE(cell.planner.set_rule(cell.now, std::nullopt));
  EXPECT_EQ(cell.planner.allotments({1}), std::nullopt);
  cell.say(1, 4, {Cell::claim(2, 90, 8)});
  EXPECT_EQ(cell.planner.members() + cell.planner.jobs(), 0u);
  EXPECT_EQ(cell.planner.deadline(), kNever);
}

// Lin 2014, section 3.2: the decision maker is invoked when a job comes or ends, when a worker
// fails or rejoins, or when statistics changed.
TEST(Planner, PlansWhenSomethingChangesAndOnlyThen) {
  TwoNodes cell;
  const auto cause_of = [&](auto&& change) -> std::optional<PlanCause> {
    const auto before = cell.plans();
    change();
    (void)cell.plan_after_gap();
    if (cell.plans() == before) return std::nullopt;
    return cell.planner.plans().back().cause;
  };
  EXPECT_EQ(cause_of([&] { cell.say(1, 4, {Cell::claim(1, 50, 20)}); }), std::nullopt);
  EXPECT_EQ(cause_of([&] { cell.say(2, 4, {Cell::claim(2, 50, 3)}); }), PlanCause::jobs);
  EXPECT_EQ(cause_of([&] { cell.say(2, 4, {Cell::claim(2, 60, 3)}); }), PlanCause::jobs);
  EXPECT_EQ(cause_of([&] {
    auto later = Cell::claim(2, 60, 3);
    later.deadline = 30s;
    cell.say(2, 4, {later});
  }),
      PlanCause::jobs);
  EXPECT_EQ(cause_of([&] { cell.say(2, 4, {Cell::claim(2, 60, 0)}); }), PlanCause::jobs);
  EXPECT_EQ(cause_of([&] { cell.say(2, 3); }), PlanCause::workers);
  EXPECT_EQ(cause_of([&] { cell.forget(2); }), PlanCause::workers);
  EXPECT_EQ(cause_of([&] { cell.planner.set_rule(cell.now, PlanParams{PlanPolicyName::edf}); }),
      PlanCause::rule);
}

TEST(Planner, PlansAtMostOnceInAGap) {
  TwoNodes cell;
  const Time last = cell.now;
  cell.say(2, 4, {Cell::claim(2, 50, 1)});
  cell.say(2, 4, {Cell::claim(3, 50, 1)});
  EXPECT_TRUE(cell.planner.wake(cell.now).empty());
  EXPECT_EQ(cell.planner.deadline(), last + cell.params.gap);
  EXPECT_FALSE(cell.plan_after_gap().empty());
  EXPECT_EQ(cell.plans(), 2u) << "one plan for both jobs";
}

TEST(Planner, AJobOffItsCourseIsPlannedAnew) {
  // 20 tasks of 1 s in 8 slots: 2.5 s, give or take a task and a fifth, which is 1.5 s.
  TwoNodes cell;
  cell.now += 1s;
  cell.say(1, 4, {Cell::claim(1, 50, 16)});
  (void)cell.plan_after_gap();
  EXPECT_EQ(cell.plans(), 1u) << "it will end half a second late";
  cell.now += 1s;
  cell.say(1, 4, {Cell::claim(1, 50, 16)});
  (void)cell.plan_after_gap();
  EXPECT_EQ(cell.plans(), 2u);
  EXPECT_EQ(cell.planner.plans().back().cause, PlanCause::off_course);
}

// 100 tasks of 1 s in 8 slots: 13 in each, while 13.3 s are left.
TEST(Planner, AJobThatComesToMissItsDeadlineIsPlannedAnew) {
  for (const bool has_deadline : {true, false}) {
    TwoNodes cell;
    auto claim = Cell::claim(1, 50, 100);
    claim.held = 8;
    if (has_deadline) claim.deadline = 13500ms;
    const auto say_after = [&](Duration passes, Duration ran) {
      cell.now += passes;
      claim.age += passes;
      claim.ran = ran;
      const auto before = cell.plans();
      cell.say(1, 4, {claim});
      (void)cell.plan_after_gap();
      return cell.plans() > before;
    };
    (void)say_after(0s, 0s);
    EXPECT_FALSE(say_after(500ms, 600ms)) << "half of the first eight is done";
    EXPECT_EQ(say_after(400ms, 0s), has_deadline) << "these were lost, and run again";
  }
}

TEST(Planner, ALengthThatBecomesKnownIsPlannedWith) {
  Cell cell;
  cell.planner.hear_all(0);
  auto unknown = Cell::claim(1, 50, 20);
  unknown.task_time = 0s;
  cell.say(1, 4, {unknown});
  (void)cell.plan_after_gap();
  cell.say(1, 4, {unknown});
  (void)cell.plan_after_gap();
  EXPECT_EQ(cell.plans(), 1u);
  cell.say(1, 4, {Cell::claim(1, 50, 20)});
  (void)cell.plan_after_gap();
  EXPECT_EQ(cell.plans(), 2u);
}

TEST(Planner, OldClaimsChangeNothing) {
  TwoNodes cell;
  const cell::Claims old{.member = {1}, .sequence = 1, .slots = 9};
  EXPECT_FALSE(cell.planner.hear(cell.now, Cell::node(1), old));
  (void)cell.plan_after_gap();
  EXPECT_EQ(cell.slots(1, 1), 4u);
}

TEST(Planner, ForgetsWhatIsNotHeardOfForALease) {
  TwoNodes cell;
  cell.now += 5s;
  cell.say(2, 4, {Cell::claim(2, 50, 20)});
  (void)cell.plan_after_gap();
  cell.now = Time{110s} + 2 * cell.params.gap;
  (void)cell.plan_after_gap();
  EXPECT_EQ(cell.planner.members(), 1u);
  EXPECT_EQ(cell.planner.jobs(), 1u);
  EXPECT_EQ(cell.slots(2, 2), 4u) << "node 1 is silent: so are its slots and its job";
}

TEST(Planner, TellsOnlyThoseOfWhomSomethingChanged) {
  TwoNodes cell;
  cell.say(3, 4);
  (void)cell.plan_after_gap();
  cell.say(2, 4, {Cell::claim(2, 90, 1)});
  const auto told = cell.plan_after_gap();
  EXPECT_LE(told.size(), 2u)
      << "one slot moves, and the frontend of job 1 hears what that one lacks";
  EXPECT_EQ(std::ranges::count(told, 1u), 1);
}

TEST(Planner, KeepsTheLastHundredPlans) {
  TwoNodes cell;
  for (int i = 0; i < 120; ++i) {
    cell.say(2, 4, {Cell::claim(2, 50 + i % 2, 20)});
    (void)cell.plan_after_gap();
  }
  EXPECT_EQ(cell.planner.plans().size(), Planner::kPlansKept);
  EXPECT_EQ(cell.planner.plans().back().number, 121u);
  EXPECT_EQ(cell.planner.plans().front().number, 22u);
  EXPECT_TRUE(cell.planner.plans().front().plan.allotments.empty());
  EXPECT_EQ(cell.planner.plans().front().plan.jobs.size(), 2u);
}

// A job without a deadline has slots that are spare: one that needs slots does not wait for it.
TEST(Planner, RanksJobsThatNeedSlotsBeforeThoseThatHaveSpareOnes) {
  Cell cell(PlanParams{.policy = PlanPolicyName::deadline, .spare = SpareRule::priority});
  cell.planner.hear_all(0);
  auto due = Cell::claim(1, 50, 8);
  due.deadline = 5s;
  cell.say(1, 8, {due, Cell::claim(2, 90, 20)});
  (void)cell.plan_after_gap();
  const auto told = cell.planner.allotments({1});
  ASSERT_EQ(told->allotted.size(), 2u);
  EXPECT_EQ(told->allotted[0].job, job_id(1));
  EXPECT_EQ(told->allotted[1].slots, 6u);
}

// Whatever a stranger claims, the sums of a plan stay within their bounds.
TEST(Planner, BoundsWhatAClaimSaysOfOtherCells) {
  TwoNodes cell;
  auto wild = Cell::claim(1, 50, 20);
  wild.elsewhere = 0xffffffff;
  cell.say(1, 4, {wild});
  auto full = Cell::claim(2, 90, 2);
  full.held = 0xffffffff;
  cell.say(2, 4, {full});
  (void)cell.plan_after_gap();
  std::uint32_t total = 0;
  for (const std::uint64_t node : {1u, 2u}) {
    const auto told = cell.planner.allotments({node});
    for (const auto& each : told->allotted) {
      if (each.job == job_id(1)) total = each.total;
    }
  }
  EXPECT_EQ(total, Planner::kLeftMax + 7);
}

TEST(Planner, RanksByPriorityAndUnderEdfByDeadline) {
  auto soon = Cell::claim(1, 10, 4);
  soon.deadline = 10s;
  const auto first = [&](const PlanParams& rule) {
    Cell cell(rule);
    cell.planner.hear_all(0);
    cell.say(1, 8, {soon, Cell::claim(2, 90, 4)});
    (void)cell.plan_after_gap();
    return cell.planner.allotments({1})->allotted.at(0).job.number;
  };
  EXPECT_EQ(first({PlanPolicyName::assured}), 2u);
  EXPECT_EQ(first({PlanPolicyName::edf}), 1u);
}

// By chance: whatever members say, the manager's plan is that of the decision maker for what they
// said last, and no node or job has more than there is.
TEST(Planner, PlansWhatMembersSaidLast) {
  overlay::Rng rng(5);
  for (int seed = 0; seed < 200; ++seed) {
    Cell cell({static_cast<PlanPolicyName>(rng.below(6)), static_cast<SpareRule>(rng.below(2))});
    cell.planner.hear_all(0);
    std::map<std::uint64_t, std::uint32_t> slots;
    std::map<std::uint64_t, std::map<std::uint32_t, cell::Claim>> jobs;
    for (int step = 0; step < 40; ++step) {
      const std::uint64_t node = 1 + rng.below(5);
      if (rng.chance(.1)) {
        cell.forget(node);
        slots.erase(node);
        jobs.erase(node);
      } else {
        slots[node] = rng.below(6);
        std::vector<cell::Claim> claims;
        for (std::uint32_t i = 0; i < 3; ++i) {
          const auto number = static_cast<std::uint32_t>(node * 10 + i);
          auto claim = Cell::claim(number, static_cast<int>(rng.below(100)), rng.below(9));
          if (rng.chance(.5)) claim.deadline = 1s * (1 + rng.below(30));
          claims.push_back(claim);
          if (claim.left == 0) {
            jobs[node].erase(number);
          } else {
            jobs[node][number] = claim;
          }
        }
        cell.say(node, slots[node], claims);
      }
      (void)cell.plan_after_gap();
      ASSERT_EQ(cell.planner.broken_invariant(), std::nullopt);
      std::map<JobId, std::uint32_t> given;
      for (const auto& [id, has] : slots) {
        std::uint32_t used = 0;
        const auto allotments = cell.planner.allotments({id});
        ASSERT_TRUE(allotments);
        for (const auto& each : allotments->allotted) {
          used += each.slots;
          given[each.job] += each.slots;
          EXPECT_EQ(each.frontend.value, each.job.number / 10);
        }
        ASSERT_LE(used, has);
      }
      std::uint32_t free = 0;
      std::uint32_t lack = 0;
      std::size_t known = 0;
      for (const auto& [id, has] : slots) free += has;
      for (const auto& [id, of_node] : jobs) {
        for (const auto& [number, claim] : of_node) {
          ++known;
          ASSERT_LE(given[job_id(number)], claim.left);
          free -= given[job_id(number)];
          lack += claim.left - given[job_id(number)];
        }
      }
      ASSERT_EQ(cell.planner.jobs(), known);
      ASSERT_TRUE(free == 0 || lack == 0) << "slots are left, and a job that could use them";
    }
  }
}

}  // namespace
}  // namespace dunlin::sched
