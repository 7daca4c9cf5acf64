// SPDX-License-Identifier: MIT
#include "sched/frontend/launch/unheard_starts.h"

#include <gmock/gmock.h>

#include "tests/support/own_job.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A job of two tasks, both launched, and said to have started at node 5.
class UnheardStartsTest : public OwnJob {
 protected:
  UnheardStartsTest() {
    for (int i = 0; i < 2; ++i) {
      const sched::Attempt task = *job.launch(0, node(5).id, now);
      EXPECT_TRUE(job.confirm(task, holder, now));
      starts.add(now, job.id(), task);
    }
  }
  std::vector<sched::AskAfter> asked_at(sched::Duration later) {
    now = begun + later;
    out.clear();
    sched::Turn one = turn();
    if (starts.next() <= now) starts.ask(one, jobs);
    return out.all<sched::AskAfter>();
  }

  const sched::Time begun = now;
  const sched::Holder holder{.worker = node(5), .incarnation = 1};
  sched::JobTable jobs{kHome};
  sched::JobState& job = jobs.add(submitted(2));
  sched::UnheardStarts starts{1s};
};

TEST_F(UnheardStartsTest, AsksWhenTheWorkerShouldHaveSpokenAndAgainUntilItHas) {
  EXPECT_THAT(asked_at(1s), IsEmpty());
  ASSERT_THAT(asked_at(1300ms), SizeIs(1));
  EXPECT_EQ(out.sent.front().first.id, node(5).id);
  EXPECT_THAT(out.only<sched::AskAfter>().tasks, SizeIs(2));
  EXPECT_THAT(asked_at(1400ms), IsEmpty());
  EXPECT_THAT(asked_at(2600ms), SizeIs(1));
  EXPECT_TRUE(job.confirm({0, 1}, holder, now));
  ASSERT_THAT(asked_at(4s), SizeIs(1));
  EXPECT_EQ(out.only<sched::AskAfter>().tasks, std::vector<sched::Attempt>({{1, 1}}));
}

TEST_F(UnheardStartsTest, WhatHasEndedOrWasGivenBackIsAskedAfterNoMore) {
  EXPECT_TRUE(job.refuse({0, 1}, node(5).id, now));
  EXPECT_TRUE(job.end({.index = 1, .attempt = 1}, node(5).id, now));
  EXPECT_THAT(asked_at(2s), IsEmpty());
  EXPECT_EQ(starts.next(), sched::kNever);
}

}  // namespace
}  // namespace dunlin::test
