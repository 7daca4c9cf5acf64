// SPDX-License-Identifier: MIT
#include "sim/measure/recorder.h"

#include <gtest/gtest.h>

#include "tests/unit/sim/equal_machines.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

const sched::JobId kJob{.home = {3}, .number = 1};

Time at(Duration since) {
  return Time{since};
}

sched::TaskStarted started(std::uint32_t index, std::uint32_t attempt = 1) {
  return {.job = kJob, .index = index, .attempt = attempt};
}

class RecorderTest : public ::testing::Test {
 protected:
  Recorder recorder{{.from = at(10s), .until = at(20s)}, equal_machines(1, 4000)};
};

TEST_F(RecorderTest, MeasuresAJobFromSubmitToEnd) {
  recorder.on_submit(at(12s), kJob, 2, {.longest = 300ms});
  recorder.on(at(12s + 2ms), started(0));
  recorder.on(at(12s + 6ms), started(1));
  EXPECT_FALSE(recorder.counts().all_finished());
  EXPECT_EQ(recorder.unfinished(), 1u);
  recorder.on(at(12s + 307ms), sched::JobFinished{.job = kJob, .succeeded = 2});

  EXPECT_TRUE(recorder.counts().all_finished());
  EXPECT_EQ(recorder.unfinished(), 0u);
  EXPECT_EQ(recorder.all().queueing_delay.mean(), 4ms);
  EXPECT_EQ(recorder.all().queueing_delay.max(), 6ms);
  EXPECT_EQ(recorder.all().response.max(), 307ms);
  EXPECT_EQ(recorder.all().excess.max(), 7ms);
  EXPECT_EQ(recorder.counts().tasks_succeeded, 2u);
}

TEST_F(RecorderTest, PartsOfAnAllocationAddUpToIt) {
  recorder.allocation_meter().follow_events();
  recorder.on_submit(at(12s), kJob, 2, {.longest = 300ms});
  // Refused, and launched again; the frontend hears of its start later.
  recorder.on(at(12s + 1ms), sched::TaskLaunched{.job = kJob, .index = 0, .attempt = 1});
  recorder.on(at(12s + 5ms), sched::TaskLaunched{.job = kJob, .index = 0, .attempt = 1});
  recorder.on(at(12s + 6ms), started(0));
  recorder.on(at(12s + 8ms), sched::TaskBound{.job = kJob, .index = 0, .attempt = 1});
  // A worker asked for it.
  recorder.on(at(12s + 9ms), sched::TaskBound{.job = kJob, .index = 1, .attempt = 1});
  recorder.on(at(12s + 11ms), started(1));
  const AllocationSamples& parts = recorder.allocations();
  EXPECT_EQ(parts.framework_queue.min(), 5ms);
  EXPECT_EQ(parts.framework_queue.max(), 9ms);
  EXPECT_EQ(parts.communication.min(), 1ms);
  EXPECT_EQ(parts.communication.max(), 2ms);
  EXPECT_EQ(*parts.framework_queue.mean() + *parts.communication.mean(),
      recorder.all().queueing_delay.mean());
}

TEST_F(RecorderTest, FirstAttemptsAloneWaitInTheQueue) {
  recorder.on_submit(at(12s), kJob, 1, {.longest = 300ms});
  recorder.on(at(12s + 2ms), started(0));
  recorder.on(at(15s), started(0, 2));
  EXPECT_EQ(recorder.all().queueing_delay.count(), 1u);
  EXPECT_EQ(recorder.counts().tasks_started, 2u);
}

TEST_F(RecorderTest, JobsOutsideTheWindowRunUnmeasured) {
  recorder.on_submit(at(9s), kJob, 1, {.longest = 1s});
  recorder.on(at(11s), started(0));
  recorder.on(at(12s), sched::JobFinished{.job = kJob, .succeeded = 1});
  EXPECT_EQ(recorder.all().queueing_delay.count(), 0u);
  EXPECT_EQ(recorder.all().response.count(), 0u);
  EXPECT_EQ(recorder.counts().jobs_finished, 1u);
}

TEST_F(RecorderTest, TellsShortJobsFromLongOnesByTheirMean) {
  Recorder apart{{.from = at(10s), .until = at(20s)}, equal_machines(1, 4000), {.cutoff = 1s}};
  const auto job = [&](std::uint32_t number, Duration longest, Duration mean, Duration end) {
    const sched::JobId id{.home = {3}, .number = number};
    apart.on_submit(at(12s), id, 1, {.longest = longest, .mean = mean});
    apart.on(at(12s + 1ms), sched::TaskBound{.job = id, .index = 0, .attempt = 1, .worker = {1}});
    apart.on(at(12s + 5ms), sched::TaskBound{.job = id, .index = 0, .attempt = 2, .worker = {1}});
    apart.on_end(at(12s) + end, id, 0, true);
    apart.on(at(12s) + end + 1ms, sched::JobFinished{.job = id, .succeeded = 1});
  };
  job(1, 2s, 1s, 3s);  // At the cutoff, though one task is longer.
  job(2, 2s, 1001ms, 2500ms);
  const Measures& shorts = apart.of(JobClass::short_jobs);
  EXPECT_EQ(shorts.completion.count(), 1u);
  EXPECT_EQ(shorts.completion.max(), 3s);
  EXPECT_EQ(shorts.response.max(), 3001ms);
  EXPECT_EQ(shorts.delay.max(), 1s);
  EXPECT_EQ(shorts.finding.max(), 1ms);
  EXPECT_EQ(shorts.slowdown.max(), kNoSlowdown * 3 / 2);
  EXPECT_EQ(apart.of(JobClass::long_jobs).delay.max(), 500ms);
  EXPECT_EQ(apart.of(JobClass::all).delay.mean(), 750ms);
  EXPECT_LT(apart.fairness().index(), 1);
}

// Values are kept once until a job with constraints comes, and then by class.
TEST_F(RecorderTest, JobsBeforeTheFirstConstrainedOneWereFree) {
  const auto wait = [&](std::uint32_t number, bool constrained, Duration waited) {
    const sched::JobId id{.home = {3}, .number = number};
    recorder.on_submit(at(12s), id, 1, {.constrained = constrained});
    recorder.on(at(12s) + waited, sched::TaskStarted{.job = id, .index = 0, .attempt = 1});
  };
  wait(1, false, 1ms);
  EXPECT_FALSE(recorder.tells(JobClass::free_jobs));
  wait(2, true, 7ms);
  wait(3, false, 3ms);
  EXPECT_EQ(recorder.of(JobClass::all).queueing_delay.count(), 3u);
  EXPECT_EQ(recorder.of(JobClass::free_jobs).queueing_delay.count(), 2u);
  EXPECT_EQ(recorder.of(JobClass::free_jobs).queueing_delay.percentile(50), 2ms);
  EXPECT_EQ(recorder.of(JobClass::constrained_jobs).queueing_delay.max(), 7ms);
  EXPECT_EQ(recorder.of(JobClass::short_jobs).queueing_delay.count(), 0u);
}

TEST(Fairness, IsOneIfAllAreEqualAndOneOfNIfOneHasAll) {
  Fairness equal, greedy;
  for (int i = 0; i < 4; ++i) {
    equal.add(3);
    greedy.add(i == 0 ? 5 : 0);
  }
  EXPECT_DOUBLE_EQ(equal.index(), 1);
  EXPECT_DOUBLE_EQ(greedy.index(), 0.25);
}

TEST_F(RecorderTest, KeepsTheReasonOfTheFirstRefusal) {
  recorder.on_refusal(at(12s), {}, "too large");
  recorder.on_refusal(at(22s), {}, "too strange");
  EXPECT_EQ(recorder.counts().jobs_refused, 2u);
  EXPECT_EQ(recorder.counts().measured_refused, 1u) << "the other came after the window";
  EXPECT_EQ(recorder.counts().first_refusal, "too large");
}

TEST_F(RecorderTest, UtilisationIsOfTheWindow) {
  recorder.on_work(0, at(5s), at(15s), 2000);   // 5 s of it count: a quarter of all CPUs.
  recorder.on_work(0, at(19s), at(25s), 1000);  // 1 s.
  recorder.on_work(0, at(20s), at(25s), 4000);  // Nothing.
  EXPECT_DOUBLE_EQ(recorder.utilisation().value(), (5 * 2.0 + 1 * 1.0) / (10 * 4.0));
}

// A frontend that comes back without its memory numbers its jobs from 1 again.
TEST_F(RecorderTest, AJobOfAnotherLifeDoesNotTakeTheRecordOfTheFirst) {
  sched::JobId again = kJob;
  again.lineage = 7;
  recorder.on_submit(at(12s), kJob, 2, {.longest = 1s});
  recorder.on_submit(at(15s), again, 3, {.longest = 1s});
  recorder.on(at(16s), sched::JobFinished{.job = again, .succeeded = 3});
  EXPECT_EQ(recorder.records().count(), 2u);
  EXPECT_EQ(recorder.unfinished(), 1u) << "the first one never ended";
  EXPECT_EQ(recorder.all().response.count(), 1u);
}

// Which jobs are measured must not depend on the scheduler, and when a stage is submitted does.
TEST_F(RecorderTest, TheArrivalDecidesWhetherAJobIsMeasured) {
  recorder.close(at(13s));
  recorder.on_submit(at(18s), kJob, 1, {.longest = 1s, .arrived = at(12s)});
  recorder.on_end(at(19s), kJob, 0, true);
  recorder.on(at(19s), sched::JobFinished{.job = kJob, .succeeded = 1});
  EXPECT_EQ(recorder.all().completion.max(), 1s) << "from its submit on";
}

TEST_F(RecorderTest, TheWindowBeginsWithTheFirstArrival) {
  recorder.open(at(14s));
  recorder.on_work(0, at(14s), at(20s), 4000);
  EXPECT_DOUBLE_EQ(recorder.utilisation().value(), 1);
  ASSERT_TRUE(recorder.nodes());
  recorder.close(at(14s));
  EXPECT_FALSE(recorder.utilisation()) << "of a window without length nothing is known";
  EXPECT_FALSE(recorder.nodes());
}

}  // namespace
}  // namespace dunlin::sim
