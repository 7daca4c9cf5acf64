// SPDX-License-Identifier: MIT
#include "sched/frontend/job_table.h"

#include <string>
#include <utility>
#include <vector>

#include "sched/frontend/table/forget_history.h"
#include "tests/support/own_job.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::JobState;
using sched::JobTable;

class JobTableTest : public OwnJob {
 protected:
  JobTableTest() { params.history_min = 0s; }

  JobState& add() { return table.add(submitted(1, table.next_id(0).number)); }
  JobState& add_finished() {
    JobState& job = add();
    job.cancel_all();
    table.finish(job, now);
    return job;
  }
  /// A job of which each task ran, and succeeded.
  JobState& add_done(std::uint32_t tasks) {
    JobState& job = table.add(submitted(tasks, table.next_id(0).number));
    for (std::uint32_t i = 0; i < tasks; ++i) {
      const auto bound = job.bind(0, node(7), 1, now);
      job.end({.index = bound->index, .attempt = bound->attempt}, {7}, now);
    }
    table.finish(job, now);
    return job;
  }
  /// True if more is to go.
  bool forget() {
    auto now_turn = turn();
    return forget_history(now_turn, table, params);
  }
  std::size_t left_after_forgetting() {
    forget();
    return table.all().size();
  }

  JobTable table{kHome};
};

TEST_F(JobTableTest, NumbersAreGivenOnce) {
  EXPECT_EQ(table.next_id(0).number, 1u);
  table.add(submitted(1, 7));
  EXPECT_EQ(table.next_id(0).number, 8u);
  EXPECT_FALSE(table.is_new({.home = kHome, .number = 7}));
  EXPECT_FALSE(table.is_new({.home = {1}, .number = 9}));
  EXPECT_TRUE(table.is_new({.home = kHome, .number = 9}));
  EXPECT_DEATH(table.add(submitted(1, 7)), "same number");
}

TEST_F(JobTableTest, FindsJobsOfThisNodeAlone) {
  add();
  EXPECT_NE(table.find({.home = kHome, .number = 1}), nullptr);
  EXPECT_EQ(table.find({.home = {1}, .number = 1}), nullptr);
  EXPECT_EQ(table.find({.home = kHome, .number = 2}), nullptr);
}

TEST_F(JobTableTest, FindsAJobByTheKeyOfItsSubmissionWhileItIsKnown) {
  EXPECT_EQ(table.find_key({}), nullptr);
  add_finished();
  EXPECT_EQ(table.find_key({}), nullptr) << "no key names nothing";
  sched::Job keyed{.id = table.next_id(0), .name = {}, .groups = {{}}};
  keyed.key = {.high = 1, .low = 2};
  JobState& job = table.add(JobState(keyed, now));
  EXPECT_EQ(table.find_key({.high = 1, .low = 2}), &job);
  EXPECT_EQ(table.find_key({.high = 2, .low = 1}), nullptr);
  job.cancel_all();
  table.finish(job, now);
  add();
  params.history_max = 0;
  EXPECT_EQ(left_after_forgetting(), 1u);
  EXPECT_EQ(table.find_key({.high = 1, .low = 2}), nullptr);
  const auto* const spent = table.find_spent({.high = 1, .low = 2});
  ASSERT_NE(spent, nullptr) << "or the same submission, said again, would run a second time";
  EXPECT_EQ(spent->id, keyed.id);
  EXPECT_EQ(table.find_spent({.high = 2, .low = 1}), nullptr);
  now += sched::SpentKeys::kKept;
  left_after_forgetting();
  EXPECT_EQ(table.find_spent({.high = 1, .low = 2}), nullptr);
}

TEST_F(JobTableTest, AJobOfAnotherLineageIsAnotherJob) {
  add();
  EXPECT_EQ(table.find({.home = kHome, .number = 1, .lineage = 9}), nullptr);
  EXPECT_EQ(table.next_id(9), (sched::JobId{.home = kHome, .number = 2, .lineage = 9}));
}

TEST_F(JobTableTest, NumbersThatAnEarlierDatabaseGaveAreSkipped) {
  table.skip_numbers(40);
  EXPECT_EQ(table.next_id(0).number, 41u);
  table.skip_numbers(7);
  EXPECT_EQ(table.next_id(0).number, 42u);
}

TEST_F(JobTableTest, ActiveJobsAreThoseNotFinished) {
  JobState& first = add();
  add_finished();
  JobState& third = add();
  EXPECT_EQ(table.active(), (std::vector<JobState*>{&first, &third}));
  EXPECT_EQ(std::as_const(table).active(), (std::vector<const JobState*>{&first, &third}));
  EXPECT_EQ(table.history().count(), 1u);
}

TEST_F(JobTableTest, AJobThatWasGivenOutMayNeedSomethingElse) {
  const sched::JobId id = add().id();
  table.note_changes();
  EXPECT_TRUE(table.indexes().needs().any_waiting());
  EXPECT_FALSE(table.indexes().needs().any_bound());
  table.find(id)->bind(0, node(7), 1, now);
  EXPECT_FALSE(table.indexes().needs().any_bound()) << "it was not looked at again";
  table.note_changes();
  EXPECT_TRUE(table.indexes().needs().any_bound());
  EXPECT_FALSE(table.indexes().needs().any_waiting());
  table.active().front()->lose(0, now);
  table.note_changes();
  EXPECT_FALSE(table.indexes().needs().any_bound());
  EXPECT_TRUE(table.indexes().needs().any_waiting());
}

TEST_F(JobTableTest, AJobRestoredAsFinishedIsNotActive) {
  JobState job = submitted(1, 3);
  job.restore({.cancelled = true}, {}, now, now);
  table.add(std::move(job));
  EXPECT_EQ(table.active_count(), 0u);
}

TEST_F(JobTableTest, HistoryFadesByAge) {
  JobState& goes_on = add();
  add_finished();
  add_finished();
  EXPECT_EQ(left_after_forgetting(), 3u);
  now += params.history_age + 1ns;
  EXPECT_EQ(left_after_forgetting(), 2u);
  EXPECT_EQ(table.find(goes_on.id()), &goes_on);
  EXPECT_NE(table.find({.home = kHome, .number = 3}), nullptr) << "its number must not come again";
}

TEST_F(JobTableTest, HistoryFadesByNumberAFewAtATime) {
  params.history_max = 2;
  for (std::size_t i = 0; i < sched::kForgottenMax + 20; ++i) add_finished();
  EXPECT_TRUE(forget());
  EXPECT_EQ(table.all().size(), 20u);
  EXPECT_FALSE(forget());
  EXPECT_EQ(table.all().size(), 2u);
  EXPECT_EQ(table.all().begin()->first, sched::kForgottenMax + 19) << "the oldest go first";
  EXPECT_FALSE(forget());
}

// A job that ran beside a thousand others has a lower number than any of them, and is what its user
// looks for now.
TEST_F(JobTableTest, HistoryFadesByTheTimeOfTheEnd) {
  JobState& goes_on = add();
  for (int i = 0; i < 5; ++i) add_finished();
  now += 1s;
  goes_on.cancel_all();
  table.finish(goes_on, now);
  params.history_max = 3;
  EXPECT_EQ(left_after_forgetting(), 3u);
  EXPECT_EQ(table.find(goes_on.id()), &goes_on);
  now += params.history_age;
  EXPECT_EQ(left_after_forgetting(), 2u) << "but the newest number stays";
  EXPECT_EQ(table.find(goes_on.id()), &goes_on) << "it ended as long ago as is allowed";
}

TEST_F(JobTableTest, WhatEndedAMomentAgoIsKeptHoweverMuchItIs) {
  params.history_min = 1h;
  params.history_max = 0;
  params.history_bytes = 0;
  for (int i = 0; i < 1000; ++i) add_done(1);
  now += 1h - 1ns;
  EXPECT_FALSE(forget());
  EXPECT_EQ(table.all().size(), 1000u);
  EXPECT_FALSE(table.all().begin()->second.pruned());
  now += 1ns;
  EXPECT_TRUE(forget());
  EXPECT_EQ(table.all().size(), 1000 - sched::kForgottenMax);
}

TEST_F(JobTableTest, ALeastAgeAboveTheGreatestMeansNothing) {
  params.history_age = 1min;
  params.history_min = 1h;
  add_finished();
  add_finished();
  now += 1min + 1ns;
  EXPECT_EQ(left_after_forgetting(), 1u);
}

TEST_F(JobTableTest, RecordsOfTasksGoBeforeJobs) {
  const sched::JobId large = add_done(1000).id();
  const sched::JobId other = add_done(10).id();
  const std::uint64_t all = table.history().bytes();
  params.history_bytes = all;
  EXPECT_FALSE(forget());
  EXPECT_FALSE(table.find(large)->pruned());
  params.history_bytes = all - 1;
  EXPECT_FALSE(forget());
  const JobState& job = *table.find(large);
  EXPECT_TRUE(job.pruned());
  EXPECT_EQ(job.counts()[sched::TaskState::succeeded], 1000u);
  EXPECT_FALSE(table.find(other)->pruned()) << "it is enough";
  EXPECT_EQ(table.history().bytes(), all - 1000 * sched::HistorySize::kTask);
  params.history_bytes = 0;
  EXPECT_FALSE(forget());
  EXPECT_EQ(table.find(large), nullptr);
  EXPECT_TRUE(table.find(other)->pruned()) << "of the newest the number must be known";
}

// Its records go a part at a time: so do those of many jobs.
TEST_F(JobTableTest, ALookLosesABoundedNumberOfRecords) {
  params.history_bytes = 0;
  constexpr std::uint32_t kTasks = 4000;
  for (int i = 0; i < 5; ++i) add_done(kTasks);
  std::uint64_t left = table.history().bytes();
  int looks = 0;
  for (bool more = true; more; ++looks) {
    ASSERT_LT(looks, 20);
    more = forget();
    EXPECT_GE(table.history().bytes() + sched::kForgottenBytesMax, left);
    left = table.history().bytes();
  }
  EXPECT_GE(looks, 3);
  EXPECT_EQ(table.all().size(), 1u);
  add_done(5 * kTasks);
  EXPECT_TRUE(forget()) << "one that is larger goes alone";
  EXPECT_TRUE(table.all().rbegin()->second.pruned());
  EXPECT_EQ(table.all().size(), 2u);
}

TEST_F(JobTableTest, AJobThatGoesOnIsNoHistory) {
  sched::Job stored = test::job(1);
  JobState& job = add_done(1);
  add();
  job.retry(std::vector<std::uint32_t>{0}, &stored);
  table.go_on(job);
  EXPECT_EQ(table.history().count(), 0u);
  EXPECT_EQ(table.history().bytes(), 0u);
  now += params.history_age + 1s;
  EXPECT_EQ(left_after_forgetting(), 2u);
}

// Nor is the key of that user's submission forgotten, by which the same job would run a second
// time.
TEST_F(JobTableTest, ManyJobsOfOneUserPushOutNoneOfOthers) {
  params.history_max = 10;
  const auto finish_one_of = [&](const std::string& user, std::uint64_t key) {
    sched::Job made{.id = table.next_id(0), .name = {}, .groups = {{}}};
    made.owner = user;
    made.key = {.high = key, .low = 1};
    JobState& job = table.add(JobState(made, now));
    job.cancel_all();
    table.finish(job, now);
  };
  for (std::uint64_t i = 1; i <= 3; ++i) finish_one_of("anna", i);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    finish_one_of("mallory", 1000 + i);
    if (i % 100 == 0) left_after_forgetting();
  }
  for (int look = 0; look < 10; ++look) left_after_forgetting();
  EXPECT_EQ(table.all().size(), 10u);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    EXPECT_NE(table.find_key({.high = i, .low = 1}), nullptr) << i;
  }
}

// It is bounded however many there are: 16 in each look were less than what comes.
TEST_F(JobTableTest, HistoryFadesAsFastAsItGrows) {
  params.history_max = 10;
  std::size_t left = 0;
  for (int look = 0; look < 50; ++look) {
    for (int i = 0; i < 100; ++i) add_finished();
    left = left_after_forgetting();
  }
  EXPECT_LE(left, 120u);
}

}  // namespace
}  // namespace dunlin::test
