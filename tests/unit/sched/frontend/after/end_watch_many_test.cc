// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <gmock/gmock.h>
#include <map>
#include <optional>
#include <vector>

#include "sched/frontend/after/end_watch.h"
#include "tests/unit/sched/frontend/after/end_watch_fixture.h"

// Jobs that wait for jobs of their own home, and many that wait at once: none is asked after in
// vain, and each costs its own news alone.
namespace dunlin::test {
namespace {

using sched::AfterJob;
using sched::EndRequest;
using sched::EndWatch;
using sched::Frontend;
using sched::JobEnd;
using sched::JobStanding;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EndWatchMany : public EndWatchFixture {};

TEST_F(EndWatchMany, AJobOfTheSameHomeIsNotAskedAfterAndItsEndTells) {
  const auto first = submit({}, true);
  const auto second = submit({after_own(first)});
  pass(seconds(100));
  EXPECT_THAT(out.all<EndRequest>(), IsEmpty());
  EXPECT_FALSE(frontend.ends().find(first)->silent());
  EXPECT_EQ(state(second).offered(0), 0u);
  JobEnd forged{.job = first, .standing = JobStanding::ended, .home = {}};
  tell(forged);
  EXPECT_EQ(state(second).offered(0), 0u) << "no other node speaks for it";
  out.clear();
  cancel(first);
  EXPECT_EQ(out.only<JobEnd>().request, 0u);
  EXPECT_EQ(out.sent.back().first, node(99)) << "when the end is on disk";
  EXPECT_EQ(state(second).offered(0), 0u);
  deliver_own();
  EXPECT_EQ(state(second).offered(0), 2u);
  EXPECT_EQ(frontend.ends().find(first), nullptr);
}

TEST_F(EndWatchMany, IfTheWordOfAnOwnEndIsLostThisNodeIsAsked) {
  const auto first = submit({}, true);
  const auto second = submit({after_own(first)});
  cancel(first);
  out.clear();
  pass(seconds(1));
  const auto asked = out.all<EndRequest>();
  ASSERT_FALSE(asked.empty());
  EXPECT_EQ(out.sent.back().first, node(99));
  out.clear();
  auto now_turn = turn();
  frontend.on_message(now_turn, around(), node(99), asked.back());
  deliver_own();
  EXPECT_EQ(state(second).offered(0), 2u);
}

TEST_F(EndWatchMany, AnOwnJobThatGoesOnAgainIsWaitedForWithoutQuestions) {
  const auto first = submit({}, true);
  const auto second = submit({after_own(first)});
  const sched::Job stored = state(first).job();
  cancel(first);
  out.clear();
  const std::uint32_t tasks[] = {0};
  auto now_turn = turn();
  ASSERT_TRUE(frontend.retry(now_turn, around(), first, tasks, &stored));
  check();
  pass(seconds(100));
  EXPECT_THAT(out.all<EndRequest>(), IsEmpty());
  EXPECT_EQ(state(second).offered(0), 0u);
  check();
  out.clear();
  cancel(first);
  deliver_own();
  EXPECT_EQ(state(second).offered(0), 2u);
}

TEST_F(EndWatchMany, ManyThatWaitForOneJobAskOnceAndAnAnswerThatDecidesNothingLooksAtNone) {
  for (int i = 0; i < 50; ++i) submit({after(7)});
  pass(seconds(1));
  ASSERT_FALSE(out.all<EndRequest>().empty());
  answer(7, JobStanding::open);
  out.clear();
  const std::uint64_t before = frontend.table().looks();
  pass(EndWatch::kAgainMax + std::chrono::milliseconds(200));
  EXPECT_THAT(out.all<EndRequest>(), SizeIs(1));
  answer(7, JobStanding::open);
  EXPECT_EQ(frontend.table().looks(), before);
  answer(7, JobStanding::ended, 3);
  for (const auto& [number, job] : frontend.jobs()) EXPECT_EQ(job.offered(0), 2u);
}

TEST_F(EndWatchMany, TheMoreJobsAreAskedAfterTheMoreSeldomEachIs) {
  constexpr std::uint32_t kJobs = 10'000;
  constexpr std::uint32_t kEach = 25;
  for (std::uint32_t i = 0; i < kJobs / kEach; ++i) {
    std::vector<AfterJob> jobs;
    for (std::uint32_t k = 0; k < kEach; ++k) jobs.push_back(after(1 + i * kEach + k));
    submit(std::move(jobs));
  }
  const sched::Time begin = now;
  std::size_t asked = 0;
  while (now < begin + seconds(60)) {
    now = std::max(frontend.deadline(), now + std::chrono::milliseconds(1));
    auto now_turn = turn();
    frontend.wake(now_turn, around());
    const auto questions = out.all<EndRequest>();
    out.clear();
    asked += questions.size();
    for (const EndRequest& each : questions) {
      tell({.request = each.request, .job = each.job, .standing = JobStanding::open, .home = {}});
    }
  }
  EXPECT_GE(asked, kJobs);
  EXPECT_LE(asked, 3 * kJobs) << "every eight seconds each, it would be seven times";
  check();
}

// As many jobs wait for as many others: what one of them costs does not grow with them.
TEST_F(EndWatchMany, EachOfManyThatWaitCostsItsOwnNewsAlone) {
  constexpr std::uint32_t kPairs = 300;
  std::vector<sched::JobId> heads;
  for (std::uint32_t i = 0; i < kPairs; ++i) heads.push_back(submit({}, true));
  for (const auto& head : heads) submit({after_own(head)}, true);
  EXPECT_LE(frontend.table().looks(), 4 * kPairs);
  const std::uint64_t before = frontend.table().looks();
  pass(seconds(100));
  EXPECT_EQ(frontend.table().looks(), before) << "they only wait";
  for (const auto& head : heads) cancel(head);
  deliver_own();
  EXPECT_LE(frontend.table().looks() - before, 20 * kPairs);
  for (const auto& [number, job] : frontend.jobs())
    EXPECT_FALSE(sched::waits_for_jobs(job) && !job.finished());
  check();
}

TEST_F(EndWatchMany, WhateverHappensItAsksAfterWhatIsAwaitedAndNothingElse) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    overlay::Rng draw(seed);
    store = {};
    out.clear();
    frontend = Frontend(params, node(99));
    std::vector<sched::JobId> jobs;
    std::map<std::uint32_t, sched::Job> records;
    for (int step = 0; step < 60; ++step) {
      const std::uint32_t kind = draw.below(10);
      if (kind < 3 || jobs.empty()) {
        std::vector<AfterJob> others;
        if (draw.chance(0.5)) others.push_back(after(1 + draw.below(4), draw.chance(0.5)));
        if (draw.chance(0.5) && !jobs.empty()) {
          others.push_back(after_own(jobs[draw.below(static_cast<std::uint32_t>(jobs.size()))]));
        }
        jobs.push_back(submit(std::move(others), draw.chance(0.3)));
        records[jobs.back().number] = state(jobs.back()).job();
      } else {
        const auto id = jobs[draw.below(static_cast<std::uint32_t>(jobs.size()))];
        auto now_turn = turn();
        if (kind == 3) (void)frontend.cancel(now_turn, id, {});
        const std::uint32_t first[] = {0};
        if (kind == 4) {
          (void)frontend.retry(now_turn, around(), id, first, &records.at(id.number));
        }
        if (kind == 5) (void)frontend.change(now_turn, around(), id, {.held = draw.chance(0.5)});
        const auto asked = out.all<EndRequest>();
        if (kind == 6 && !asked.empty() && asked.back().job.home.value == kOther) {
          const auto standings = {JobStanding::open, JobStanding::ended, JobStanding::unknown};
          answer(asked.back().job.number, *(standings.begin() + draw.below(3)), draw.below(4));
        }
        if (kind == 7) deliver_own();
        if (kind == 8) pass(std::chrono::milliseconds(draw.below(3000)));
        if (kind == 9 && draw.chance(0.3)) {
          frontend = restarted();
          out.clear();
        }
      }
      check();
      ASSERT_FALSE(HasFatalFailure()) << "step " << step;
    }
  }
}

}  // namespace
}  // namespace dunlin::test
