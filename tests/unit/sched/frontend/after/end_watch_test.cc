// SPDX-License-Identifier: MIT
#include "sched/frontend/after/end_watch.h"

#include <algorithm>
#include <cstdint>
#include <gmock/gmock.h>
#include <set>
#include <utility>
#include <vector>

#include "sched/frontend/frontend.h"
#include "tests/unit/sched/frontend/after/end_watch_fixture.h"

// A job that waits for others, at its frontend: what it asks, and what it makes of the answers.
namespace dunlin::test {
namespace {

using sched::AfterJob;
using sched::CancelledBy;
using sched::EndRequest;
using sched::EndWatch;
using sched::Frontend;
using sched::JobEnd;
using sched::JobStanding;
using sched::TaskState;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EndWatchTest : public EndWatchFixture {};

TEST_F(EndWatchTest, AJobMayWaitForAnotherToFail) {
  AfterJob bad = after(1);
  bad.failed = true;
  const sched::JobId mends = submit({bad});
  pass(seconds(1));
  answer(1, JobStanding::ended, 2);  // Of three.
  EXPECT_EQ(state(mends).progress().after_met, 1u);
  EXPECT_FALSE(state(mends).progress().cancelled);
  bad.job.number = 2;
  const sched::JobId in_vain = submit({bad});
  pass(seconds(1));
  answer(2, JobStanding::open, 1);
  EXPECT_FALSE(state(in_vain).progress().cancelled) << "it has not ended";
  pass(seconds(30));
  answer(2, JobStanding::ended, 3);
  EXPECT_TRUE(state(in_vain).progress().cancelled);
  EXPECT_EQ(state(in_vain).progress().cancelled_by, sched::CancelledBy::after);
  bad.job.number = 3;
  const sched::JobId of_nobody = submit({bad});
  pass(seconds(1));
  answer(3, JobStanding::unknown);
  EXPECT_TRUE(state(of_nobody).progress().cancelled) << "nobody can say that it failed";
}

TEST_F(EndWatchTest, AJobMayWaitForAnotherToHaveBegunForSoLong) {
  AfterJob begun = after(1);
  begun.begun_for = seconds(600);
  const sched::JobId id = submit({begun});
  pass(seconds(1));
  answer(1, JobStanding::open);
  std::size_t before = questions();
  pass(milliseconds(900));
  EXPECT_EQ(questions(), before);
  pass(milliseconds(200));
  EXPECT_EQ(questions(), before + 1) << "nobody tells of a begin, so it is asked for";
  answer(1, JobStanding::open, 0, seconds(1));
  before = questions();
  pass(seconds(7));
  EXPECT_EQ(questions(), before) << "it is far from due";
  pass(seconds(2));
  answer(1, JobStanding::open, 0, seconds(595));
  before = questions();
  pass(milliseconds(4900));
  EXPECT_EQ(questions(), before);
  pass(milliseconds(200));
  EXPECT_EQ(questions(), before + 1) << "as soon as it may be so";
  EXPECT_EQ(state(id).offered(0), 0u);
  answer(1, JobStanding::open, 0, seconds(600));
  EXPECT_EQ(state(id).progress().after_met, 1u);
  EXPECT_EQ(state(id).offered(0), 2u);
  check();
}

TEST_F(EndWatchTest, AnEndDecidesWhatWillBeginNoMore) {
  const auto told = [&](std::uint32_t number, JobStanding standing, auto... more) {
    AfterJob begun = after(number);
    begun.begun_for = seconds(600);
    const sched::JobId id = submit({begun});
    pass(seconds(1));
    answer(number, standing, more...);
    EXPECT_FALSE(state(id).progress().cancelled);
    return state(id).progress().after_met;
  };
  EXPECT_EQ(told(1, JobStanding::ended), 1u) << "it was cancelled before it began";
  EXPECT_EQ(told(2, JobStanding::unknown), 1u) << "it ended so long ago that it is forgotten";
  EXPECT_EQ(told(3, JobStanding::ended, 3u, seconds(10)), 0u) << "the time has not passed";
  EXPECT_EQ(told(4, JobStanding::ended, 0u, seconds(600)), 1u) << "however it ended";
}

// Its end would tell by itself, and its begin does not.
TEST_F(EndWatchTest, AJobOfThisNodeIsAskedForItsBegin) {
  const sched::JobId first = submit({});
  const sched::JobId plain = submit({after_own(first)});
  pass(seconds(5));
  EXPECT_EQ(questions(), 0u);
  AfterJob begun = after_own(first);
  begun.any = false;
  begun.begun_for = sched::Duration{0};
  const sched::JobId id = submit({begun});
  pass(milliseconds(1));
  ASSERT_EQ(questions(), 1u);
  check();
  const EndRequest question = out.all<EndRequest>().back();
  auto now_turn = turn();
  frontend.on_message(now_turn, around(), node(99), question);
  const JobEnd told = out.all<JobEnd>().back();
  EXPECT_EQ(told.standing, JobStanding::open);
  EXPECT_FALSE(told.begun_for) << "no node has room for it";
  tell({.request = question.request,
           .job = first,
           .standing = JobStanding::open,
           .tasks = 2,
           .home = {},
           .begun_for = sched::Duration{1}},
      99);
  EXPECT_EQ(state(id).offered(0), 2u);
  EXPECT_EQ(state(plain).offered(0), 0u) << "it waits for the end";
  check();
  pass(seconds(60));
  EXPECT_EQ(questions(), 1u) << "its end tells again";
}

TEST_F(EndWatchTest, NoTaskStartsBeforeTheOtherJobHasSucceeded) {
  const auto id = submit({after(7)});
  pass(seconds(20));
  EXPECT_EQ(state(id).offered(0), 0u);
  EXPECT_THAT(out.all<sched::Reserve>(), IsEmpty());
  answer(7, JobStanding::open);
  EXPECT_EQ(state(id).offered(0), 0u);
  pass(seconds(20));
  answer(7, JobStanding::ended, 3);
  EXPECT_EQ(state(id).offered(0), 2u);
  EXPECT_FALSE(out.all<sched::Reserve>().empty());
}

TEST_F(EndWatchTest, WaitsForAllOfThem) {
  const auto id = submit({after(7), after(8, true)});
  pass(seconds(1));
  answer(8, JobStanding::ended, 0);
  EXPECT_EQ(state(id).offered(0), 0u);
  answer(7, JobStanding::ended, 3);
  EXPECT_EQ(state(id).offered(0), 2u);
}

TEST_F(EndWatchTest, IsCancelledIfTheOtherDidNotSucceed) {
  const auto id = submit({after(7)});
  pass(seconds(1));
  answer(7, JobStanding::ended, 2);
  EXPECT_TRUE(state(id).finished());
  EXPECT_EQ(state(id).counts()[TaskState::cancelled], 2u);
  EXPECT_EQ(state(id).progress().cancelled_by, CancelledBy::after);
  EXPECT_EQ(state(id).progress().after_missed, 1u);
  const Frontend next = restarted();
  EXPECT_EQ(next.find(id)->progress().cancelled_by, CancelledBy::after);
  EXPECT_TRUE(next.find(id)->finished());
}

TEST_F(EndWatchTest, AJobThatIsForgottenHasEndedAndCannotBeSaidToHaveSucceeded) {
  const auto anyhow = submit({after(7, true)});
  const auto strict = submit({after(8)});
  auto replicated = after(9);
  replicated.has_replicas = true;
  const auto elsewhere = submit({replicated});
  pass(seconds(1));
  for (const auto& asked : out.all<EndRequest>()) EXPECT_EQ(asked.plain, asked.job.number != 9);
  for (const std::uint32_t number : {7u, 8u, 9u}) answer(number, JobStanding::unknown);
  EXPECT_EQ(state(anyhow).offered(0), 2u);
  EXPECT_EQ(state(strict).progress().cancelled_by, CancelledBy::after);
  EXPECT_FALSE(state(elsewhere).finished()) << "a standby may have it";
  EXPECT_EQ(state(elsewhere).offered(0), 0u);
  EXPECT_TRUE(frontend.ends().find(replicated.job)->unknown);
}

TEST_F(EndWatchTest, WhatIsDecidedSurvivesARestartAndTheRestIsAskedAgain) {
  const auto id = submit({after(7), after(8)});
  pass(seconds(1));
  answer(7, JobStanding::ended, 3);
  frontend = restarted();
  out.clear();
  pass(seconds(10));
  for (const auto& asked : out.all<EndRequest>()) EXPECT_EQ(asked.job.number, 8u);
  EXPECT_EQ(state(id).offered(0), 0u);
  answer(8, JobStanding::ended, 3);
  EXPECT_EQ(state(id).offered(0), 2u);
}

TEST_F(EndWatchTest, ASilentHomeIsAskedAgainEverMoreSeldomAndKnownToBeSilent) {
  submit({after(7)});
  pass(std::chrono::milliseconds(1));
  EXPECT_FALSE(frontend.ends().find(after(7).job)->silent());
  pass(seconds(60));
  EXPECT_TRUE(frontend.ends().find(after(7).job)->silent());
  const std::size_t asked = out.all<EndRequest>().size();
  EXPECT_GE(asked, 8u);
  EXPECT_LE(asked, 16u);
  answer(7, JobStanding::open);
  EXPECT_FALSE(frontend.ends().find(after(7).job)->silent());
}

TEST_F(EndWatchTest, OnlyTheAnswersOfThoseAskedCount) {
  const auto id = submit({after(7)});
  pass(seconds(1));
  JobEnd told{.request = 12345,
      .job = after(7).job,
      .standing = JobStanding::ended,
      .tasks = 3,
      .succeeded = 3,
      .home = {}};
  tell(told);
  told.request = 0;
  tell(told, 6);
  EXPECT_EQ(state(id).offered(0), 0u);
  tell(told);
  EXPECT_EQ(state(id).offered(0), 2u) << "its home tells of the end unasked";
}

TEST_F(EndWatchTest, FollowsAJobToTheNodeThatTookItOver) {
  auto replicated = after(7);
  replicated.has_replicas = true;
  submit({replicated});
  pass(seconds(5));
  const auto asked = out.all<EndRequest>();
  std::set<sched::PeerId> nodes;
  for (const auto& [to, message] : out.sent) {
    if (std::holds_alternative<EndRequest>(message)) nodes.insert(to.id);
  }
  EXPECT_GT(nodes.size(), 1u) << "a silent home may be dead";
  JobEnd told{.request = asked.back().request,
      .job = replicated.job,
      .standing = JobStanding::elsewhere,
      .home = {}};
  told.home.push_back({.replica = 1, .node = {3}, .address = node(3).address});
  tell(told, 4);
  out.clear();
  pass(seconds(1));
  ASSERT_FALSE(out.sent.empty());
  EXPECT_EQ(frontend.ends().find(replicated.job)->home, node(3));
}

TEST_F(EndWatchTest, QuestionsOfATurnAreBounded) {
  for (std::uint32_t i = 0; i < 20; ++i) {
    std::vector<AfterJob> jobs;
    jobs.reserve(32);
    for (std::uint32_t k = 0; k < 32; ++k) jobs.push_back(after(1 + i * 32 + k));
    submit(std::move(jobs));
  }
  out.clear();
  auto now_turn = turn();
  frontend.wake(now_turn, around());
  EXPECT_THAT(out.all<EndRequest>(), SizeIs(EndWatch::kQuestionsMax));
  pass(seconds(2));
  std::set<std::uint32_t> asked;
  for (const auto& each : out.all<EndRequest>()) asked.insert(each.job.number);
  EXPECT_THAT(asked, SizeIs(640)) << "all have their turn";
}

TEST_F(EndWatchTest, ACancelledJobAsksNoMore) {
  const auto id = submit({after(7)});
  pass(seconds(1));
  auto now_turn = turn();
  ASSERT_TRUE(frontend.cancel(now_turn, id, {}));
  out.clear();
  pass(seconds(30));
  EXPECT_THAT(out.all<EndRequest>(), IsEmpty());
  EXPECT_EQ(frontend.ends().find(after(7).job), nullptr);
}

// The other side: a home that is asked.
TEST_F(EndWatchTest, TellsHowAJobStandsAndLaterThatItHasEnded) {
  const auto id = submit({});
  const auto ask = [&](const sched::JobId& job, std::uint64_t request) {
    auto now_turn = turn();
    frontend.on_message(now_turn, around(), node(6), EndRequest{.request = request, .job = job});
  };
  ask(id, 4);
  auto told = out.only<JobEnd>();
  EXPECT_EQ(told.request, 4u);
  EXPECT_EQ(told.standing, JobStanding::open);
  EXPECT_EQ(told.tasks, 2u);
  out.clear();
  auto nameless = id;
  nameless.lineage = 0;
  ask(nameless, 5);
  EXPECT_EQ(out.only<JobEnd>().job, id) << "a client knows no lineage";
  out.clear();
  auto now_turn = turn();
  ASSERT_TRUE(frontend.cancel(now_turn, id, {}));
  told = out.only<JobEnd>();
  EXPECT_EQ(told.request, 0u);
  EXPECT_EQ(told.standing, JobStanding::ended);
  EXPECT_EQ(told.succeeded, 0u);
  EXPECT_EQ(out.sent.back().first.id.value, 6u);
  out.clear();
  auto another = id;
  ++another.lineage;
  ask(another, 6);
  EXPECT_EQ(out.only<JobEnd>().standing, JobStanding::unknown);
  out.clear();
  ask({.home = {3}, .number = 1, .lineage = 1}, 7);
  EXPECT_THAT(out.sent, IsEmpty()) << "it does not speak for others";
}

TEST(EndAskers, AreBoundedAndTakenOnce) {
  sched::EndAskers askers;
  const sched::JobId job{.home = {1}, .number = 3};
  for (std::uint64_t i = 0; i < 100; ++i) {
    askers.add(job, {.id = {i % 70}, .address = sched::Address::v4(1, 1)});
  }
  EXPECT_THAT(askers.take(job), SizeIs(sched::EndAskers::kAskersOfJobMax));
  EXPECT_THAT(askers.take(job), IsEmpty());
  for (std::uint32_t number = 1; number <= 2 * sched::EndAskers::kAskersMax; ++number) {
    askers.add({.home = {1}, .number = number}, {.id = {7}, .address = {}});
  }
  EXPECT_THAT(askers.take({.home = {1}, .number = 1}), SizeIs(1));
  EXPECT_THAT(askers.take({.home = {1}, .number = 2 * sched::EndAskers::kAskersMax}), IsEmpty());
}

}  // namespace
}  // namespace dunlin::test
