// SPDX-License-Identifier: MIT
#include "sim/measure/plan_meter.h"

#include <gtest/gtest.h>

#include "sim/measure/lateness.h"
#include "tests/unit/sim/equal_machines.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

sched::JobId job(std::uint32_t number) {
  return {.home = {1}, .number = number};
}

Time moment(Duration since) {
  return Time{since};
}

sched::SlotPlan plan(std::vector<std::uint32_t> slots) {
  sched::SlotPlan plan;
  for (std::uint32_t i = 0; i < slots.size(); ++i) {
    plan.jobs.push_back({.job = job(i + 1), .slots = slots[i]});
  }
  return plan;
}

TEST(PlanMeter, AJobIsViolatedWhileALowerOneHasWhatItLacks) {
  PlanMeter meter{Time{}};
  meter.on_submit(moment(10s), job(1), 5, 10);
  meter.on_submit(moment(10s), job(2), 5, 90);
  meter.on_plan(moment(10s), plan({3, 0}));
  meter.on_begin(moment(12s), job(2));
  meter.on_plan(moment(13s), plan({2, 1}));
  meter.on_begin(moment(14s), job(1));
  meter.on_cease(moment(16s), job(2), false);
  meter.on_finish(moment(18s), job(1));
  meter.on_finish(moment(18s), job(2));
  meter.on_submit(moment(100s), job(3), 1, 50);  // The time without jobs does not count.
  meter.on_finish(moment(102s), job(3));
  const auto result = meter.result();
  // One of two jobs for 3 s by plan, and for 2 s by what ran; jobs for 10 s.
  ASSERT_TRUE(result.by_plan);
  EXPECT_NEAR(*result.by_plan, 0.5 * 3 / 10, 1e-9);
  EXPECT_NEAR(result.by_running, 0.5 * 2 / 10, 1e-9);
  EXPECT_EQ(result.plans, 2u);
}

TEST(PlanMeter, JobsOfEqualPriorityDoNotViolateEachOther) {
  PlanMeter meter{Time{}};
  meter.on_submit(moment(0s), job(1), 5, 50);
  meter.on_submit(moment(0s), job(2), 5, 50);
  meter.on_begin(moment(0s), job(1));
  meter.on_finish(moment(10s), job(1));
  EXPECT_EQ(meter.result().by_running, 0);
  EXPECT_FALSE(meter.result().by_plan) << "there was no plan";
}

TEST(PlanMeter, AJobIsInTheSystemUntilItsLastTaskEnded) {
  PlanMeter meter{Time{}};
  meter.on_submit(moment(0s), job(1), 2, 90);
  meter.on_submit(moment(0s), job(2), 2, 10);
  for (int i = 0; i < 2; ++i) meter.on_begin(moment(0s), job(1));
  meter.on_begin(moment(0s), job(2));
  for (int i = 0; i < 2; ++i) meter.on_cease(moment(4s), job(1), true);
  meter.on_cease(moment(8s), job(2), true);
  EXPECT_EQ(meter.result().by_running, 0) << "the first waits for nothing";
  EXPECT_EQ(meter.per_job().slots, 0);
}

TEST(PlanMeter, KeepsWhatEachJobHasOverTime) {
  PlanMeter meter{Time{}};
  meter.on_submit(moment(1s), job(1), 4, 50);
  meter.on_plan(moment(1s), plan({3}));
  meter.on_plan(moment(2s), plan({3}));
  meter.on_begin(moment(3s), job(1));
  ASSERT_EQ(meter.changes().size(), 2u);
  EXPECT_EQ(meter.changes()[1].at, moment(3s));
  EXPECT_EQ(meter.changes()[1].slots, 3u);
  EXPECT_EQ(meter.changes()[1].running, 1u);
  meter.on_submit(moment(4s), job(2), 4, 50);
  EXPECT_EQ(meter.per_job().slots, 1.5);
  EXPECT_EQ(meter.per_job().running, 0.5);
}

TEST(PlanMeter, LostWorkIsAPartOfAllRunTime) {
  PlanMeter meter{Time{}};
  meter.on_work(40s);
  meter.on_preemption(3s);
  meter.on_preemption(1s);
  EXPECT_EQ(meter.result().preemptions, 2u);
  EXPECT_NEAR(meter.result().lost_share, 0.1, 1e-9);
}

// Section 6.3.2: the sum of priority × seconds late.
TEST(LatenessOfJobs, PenaltyWeighsSecondsByPriority) {
  Recorder recorder({.from = Time{}, .until = moment(100s)}, equal_machines(1, 1000));
  const auto run = [&](std::uint32_t number, std::int16_t priority, Duration took) {
    recorder.on_submit(moment(1s), job(number), 1, {.priority = priority, .deadline = 10s});
    if (took == Duration{0}) return;
    recorder.on(moment(1s) + took, sched::JobFinished{.job = job(number), .succeeded = 1});
  };
  run(1, 90, 9s);
  run(2, 90, 10500ms);
  run(3, 10, 14s);
  run(4, 2, Duration{0});
  recorder.on_submit(moment(1s), job(5), 1, {});
  const Lateness late = lateness_of(recorder, moment(31s));
  EXPECT_EQ(late.jobs, 4u) << "one has no deadline";
  EXPECT_EQ(late.missed, 3u);
  EXPECT_EQ(late.missed_1s, 2u);
  EXPECT_NEAR(late.penalty, 90 * 0.5 + 10 * 4 + 2 * 20, 1e-9) << "what has not ended counts, too";
  EXPECT_NEAR(late.mean_s, 24.5 / 4, 1e-9);
  EXPECT_NEAR(late.max_s, 20, 1e-9);
}

}  // namespace
}  // namespace dunlin::sim
