// SPDX-License-Identifier: MIT
#include "sim/recorder.h"

#include <gtest/gtest.h>

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

const sched::JobId kJob{.home = {3}, .number = 1};

Time at(Duration since) {
  return Time{since};
}

sched::TaskStarted started(std::uint32_t index, std::uint16_t attempt = 1) {
  return {.job = kJob, .index = index, .attempt = attempt};
}

class RecorderTest : public ::testing::Test {
 protected:
  Recorder recorder{{.from = at(10s), .until = at(20s)}, 4000};
};

TEST_F(RecorderTest, MeasuresAJobFromSubmitToEnd) {
  recorder.on_submit(at(12s), kJob, 2, {.longest = 300ms});
  recorder.on(at(12s + 2ms), started(0));
  recorder.on(at(12s + 6ms), started(1));
  EXPECT_FALSE(recorder.all_finished());
  EXPECT_EQ(recorder.unfinished(), 1u);
  recorder.on(at(12s + 307ms), sched::JobFinished{.job = kJob, .succeeded = 2});

  EXPECT_TRUE(recorder.all_finished());
  EXPECT_EQ(recorder.unfinished(), 0u);
  EXPECT_EQ(recorder.queueing_delay().mean(), 4ms);
  EXPECT_EQ(recorder.queueing_delay().most(), 6ms);
  EXPECT_EQ(recorder.response().most(), 307ms);
  EXPECT_EQ(recorder.excess().most(), 7ms);
  EXPECT_EQ(recorder.counts().tasks_succeeded, 2u);
}

TEST_F(RecorderTest, FirstAttemptsAloneWaitInTheQueue) {
  recorder.on_submit(at(12s), kJob, 1, {.longest = 300ms});
  recorder.on(at(12s + 2ms), started(0));
  recorder.on(at(15s), started(0, 2));
  EXPECT_EQ(recorder.queueing_delay().count(), 1u);
  EXPECT_EQ(recorder.counts().tasks_started, 2u);
}

TEST_F(RecorderTest, JobsOutsideTheWindowRunUnmeasured) {
  recorder.on_submit(at(9s), kJob, 1, {.longest = 1s});
  recorder.on(at(11s), started(0));
  recorder.on(at(12s), sched::JobFinished{.job = kJob, .succeeded = 1});
  EXPECT_EQ(recorder.queueing_delay().count(), 0u);
  EXPECT_EQ(recorder.response().count(), 0u);
  EXPECT_EQ(recorder.counts().jobs_finished, 1u);
}

TEST_F(RecorderTest, KeepsTheReasonOfTheFirstRefusal) {
  recorder.on_refusal("too large");
  recorder.on_refusal("too strange");
  EXPECT_EQ(recorder.counts().jobs_refused, 2u);
  EXPECT_EQ(recorder.first_refusal(), "too large");
}

TEST_F(RecorderTest, UtilisationIsOfTheWindow) {
  recorder.on_work(at(5s), at(15s), 2000);   // 5 s of it count: a quarter of all CPUs.
  recorder.on_work(at(19s), at(25s), 1000);  // 1 s.
  recorder.on_work(at(20s), at(25s), 4000);  // Nothing.
  EXPECT_DOUBLE_EQ(recorder.utilisation(), (5 * 2.0 + 1 * 1.0) / (10 * 4.0));
}

}  // namespace
}  // namespace dunlin::sim
