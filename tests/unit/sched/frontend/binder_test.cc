// SPDX-License-Identifier: MIT
#include "sched/frontend/binder.h"

#include <algorithm>
#include <utility>

#include "tests/support/own_job.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Binder;
using sched::JobState;
using sched::Tasks;

class BinderTest : public OwnJob {
 protected:
  std::optional<std::size_t> answer(JobState& job, const sched::GetTask& asked) {
    auto now_turn = turn();
    return binder.answer(now_turn, around(), node(7), job, asked, prober);
  }
  Tasks last_answer() const { return out.all<Tasks>().back(); }

  sched::Prober prober{params, node(99)};
  Binder binder;
};

TEST_F(BinderTest, BindsAsManyTasksAsTheWorkerHasRoomFor) {
  JobState job = submitted(5);
  EXPECT_EQ(answer(job, question(3)), 3u);
  EXPECT_EQ(last_answer().tasks.size(), 3u);
  EXPECT_EQ(last_answer().tasks[2].index, 2u);
  EXPECT_EQ(last_answer().remaining, 2u);
  EXPECT_EQ(last_answer().spec, job.spec_of(0).spec);
  EXPECT_EQ(job.bindings().size(), 3u);
  EXPECT_EQ(seen<sched::TaskBound>(), 3u);
  EXPECT_EQ(answer(job, question(3)), 2u);
  EXPECT_EQ(answer(job, question(3)), 0u);
  EXPECT_TRUE(last_answer().tasks.empty());
  EXPECT_TRUE(last_answer().spec.empty()) << "nothing to run, nothing to say of it";
}

TEST_F(BinderTest, AnAnswerHasABound) {
  JobState job = submitted(100);
  EXPECT_EQ(answer(job, question(100)), 64u);
}

TEST_F(BinderTest, TasksComeWithTheirLinesWithinAFrame) {
  JobState job = [&] {
    sched::Job lines = test::job(4);
    for (const char letter : {'a', 'b', 'c', 'd'}) {
      lines.groups[0].entries.push_back(std::string(150'000, letter));
    }
    lines.id = {.home = kHome, .number = 1};
    return JobState(std::move(lines), now);
  }();
  EXPECT_EQ(answer(job, question(4)), 2u) << "the second line exceeds 256 KiB, and is the last";
  EXPECT_EQ(last_answer().tasks[1].entry, std::string(150'000, 'b'));
}

TEST_F(BinderTest, TheSameQuestionGetsTheSameAnswer) {
  JobState job = submitted(5);
  const auto asked = question(2);
  answer(job, asked);
  const auto first = last_answer();
  EXPECT_FALSE(answer(job, asked));
  EXPECT_EQ(last_answer().tasks.size(), 2u);
  EXPECT_EQ(last_answer().tasks[1].index, first.tasks[1].index);
  EXPECT_EQ(job.bindings().size(), 2u) << "nothing more is bound";
}

TEST_F(BinderTest, WhatEndedMeanwhileIsNotHandedOutAgain) {
  JobState job = submitted(4);
  const auto asked = question(3);
  answer(job, asked);
  job.end({.index = 0, .attempt = 1}, {7}, now);
  job.lose(1, now);
  answer(job, asked);
  ASSERT_EQ(last_answer().tasks.size(), 1u);
  EXPECT_EQ(last_answer().tasks[0].index, 2u);
  job.cancel(2);
  answer(job, asked);
  EXPECT_TRUE(last_answer().tasks.empty());
}

TEST_F(BinderTest, ForgetsTheAnswersOfAJob) {
  JobState job = submitted(2);
  const auto asked = question(1);
  answer(job, asked);
  binder.forget(job);
  EXPECT_EQ(answer(job, asked), 1u) << "as if it were asked for the first time";
}

TEST_F(BinderTest, OfAnUnknownJobNothingIsLeft) {
  const auto nothing = sched::nothing_left(question(3, 17));
  EXPECT_TRUE(nothing.tasks.empty());
  EXPECT_EQ(nothing.request, request);
  EXPECT_EQ(nothing.served_to, 17u) << "the reservation is of no use";
}

TEST_F(BinderTest, AWorkerThatServesAJobByPlanGetsNoTaskBeyondItsSlots) {
  JobState job = submitted(9);
  auto asked = question(2);
  asked.slots_max = 3;
  EXPECT_EQ(answer(job, asked), 2u);
  EXPECT_FALSE(last_answer().has_its_slots);
  asked.request = ++request;
  EXPECT_EQ(answer(job, asked), 1u);
  EXPECT_TRUE(last_answer().has_its_slots);
  asked.request = ++request;
  EXPECT_FALSE(answer(job, asked)) << "the reservation is neither served nor in vain";
  EXPECT_TRUE(last_answer().tasks.empty());
  EXPECT_EQ(last_answer().remaining, 6u);
  EXPECT_EQ(answer(job, question(2)), 2u) << "without a plan, whatever is there";
  EXPECT_FALSE(last_answer().has_its_slots);
}

TEST_F(BinderTest, ATaskOfSeveralCpusCountsAsSeveralSlotsOfAPlan) {
  sched::Job wide = test::job(5);
  wide.groups[0].demand.cpu = 2000;
  wide.id = {.home = kHome, .number = 1};
  JobState job(std::move(wide), now);
  auto asked = question(5);
  asked.slots_max = 5;
  EXPECT_EQ(answer(job, asked), 2u);
}

}  // namespace
}  // namespace dunlin::test
