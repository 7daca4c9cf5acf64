// SPDX-License-Identifier: MIT
#include "sched/worker/pending_requests.h"

#include <gtest/gtest.h>

#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::GetTask;
using sched::Reserve;

/// A node of four CPUs that asks at most three times, first after 100 ms.
class PendingRequestsTest : public Solo {
 protected:
  static sched::WorkerParams params() {
    sched::WorkerParams params;
    params.ask_timeout = 100ms;
    params.ask_tries = 3;
    return params;
  }
  GetTask ask(const Reserve& reserve, std::uint16_t room) {
    out.clear();
    auto now_turn = turn();
    requests.ask(now_turn, sched::arriving(reserve, now), room);
    return out.only<GetTask>();
  }
  std::vector<GetTask> resent_at(sched::Time when) {
    out.clear();
    now = when;
    auto now_turn = turn();
    requests.resend_due(now_turn);
    return out.all<GetTask>();
  }

  LooseParts parts{4000, params()};
  sched::PendingRequests& requests = parts.requests;
};

TEST_F(PendingRequestsTest, SlotsAreHeldUntilTheAnswerComes) {
  const GetTask asked = ask(reserve_of(1), 3);
  EXPECT_EQ(asked.room, 3u);
  EXPECT_EQ(asked.load.cpu_free, 1000u);
  EXPECT_EQ(parts.slots.free().cpu, 1000u);
  EXPECT_TRUE(requests.holds_probe(asked.job, asked.probe));
  EXPECT_FALSE(requests.holds_probe(asked.job, asked.probe + 1));
  const auto answered = requests.take(now, node(99), answer_to(asked, {0}));
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->room, 3u);
  EXPECT_EQ(parts.slots.free().cpu, 4000u);
  EXPECT_EQ(requests.size(), 0u);
}

// They are for a task that starts together with others, for which there are no slots yet.
TEST_F(PendingRequestsTest, SlotsAreKeptForAsLongAsItsFrontendSaysSo) {
  sched::Tasks keep = answer_to(ask(reserve_of(1), 3), {});
  keep.gathers = true;
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(requests.keep(now, node(98), keep), nullptr);
    ASSERT_NE(requests.keep(now, node(99), keep), nullptr);
    EXPECT_EQ(requests.next(), now + sched::PendingRequests::kGathering);
    ASSERT_EQ(resent_at(requests.next()).size(), 1u);
  }
  EXPECT_EQ(parts.slots.free().cpu, 1000u);
  // Its frontend is gone.
  EXPECT_EQ(resent_at(requests.next()).size(), 1u);
  EXPECT_EQ(resent_at(requests.next()).size(), 1u);
  EXPECT_TRUE(resent_at(requests.next()).empty());
  EXPECT_EQ(parts.slots.free().cpu, 4000u);
  EXPECT_EQ(requests.keep(now, node(99), keep), nullptr);
}

TEST_F(PendingRequestsTest, OnlyTheFirstAnswerOfTheRightFrontendCounts) {
  const GetTask asked = ask(reserve_of(1), 1);
  sched::Tasks answer = answer_to(asked, {0});
  EXPECT_FALSE(requests.take(now, node(98), answer));
  ++answer.request;
  EXPECT_FALSE(requests.take(now, node(99), answer));
  --answer.request;
  EXPECT_TRUE(requests.take(now, node(99), answer));
  EXPECT_FALSE(requests.take(now, node(99), answer)) << "it came twice";
}

TEST_F(PendingRequestsTest, AreSentAgainTwiceAsLateEachTimeThenGivenUp) {
  EXPECT_EQ(requests.next(), sched::kNever);
  const sched::Time start = now;
  const GetTask asked = ask(reserve_of(1), 2);
  EXPECT_EQ(requests.next(), start + 100ms);
  EXPECT_TRUE(resent_at(start + 99ms).empty());
  ASSERT_EQ(resent_at(start + 100ms).size(), 1u);
  EXPECT_EQ(out.only<GetTask>().request, asked.request);
  EXPECT_EQ(requests.next(), start + 300ms);
  EXPECT_EQ(resent_at(start + 300ms).size(), 1u);
  EXPECT_EQ(requests.next(), start + 700ms);
  EXPECT_TRUE(resent_at(start + 700ms).empty());
  EXPECT_EQ(requests.size(), 0u);
  EXPECT_EQ(parts.slots.free().cpu, 4000u);
  EXPECT_FALSE(requests.take(now, node(99), answer_to(asked, {0}))) << "the slots are gone";
}

TEST_F(PendingRequestsTest, AWalkIsReportedWithTheFirstQuestionAlone) {
  Reserve reserve = reserve_of(1);
  reserve.walk.greedy_hops = 3;
  reserve.walk.last_greedy = true;
  const sched::Time start = now;
  const GetTask asked = ask(reserve, 1);
  EXPECT_EQ(asked.walk.greedy_hops, 3u);
  EXPECT_EQ(asked.walk.greedy_hits, 1u);
  const auto again = resent_at(start + 100ms);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].walk.greedy_hops, 0u);
  EXPECT_EQ(again[0].walk.greedy_hits, 0u);
}

TEST_F(PendingRequestsTest, GrowSlotBySlotBeforeTheyAreSent) {
  const std::size_t i = requests.open(sched::arriving(reserve_of(1), now));
  EXPECT_EQ(parts.slots.free().cpu, 4000u);
  requests.widen(now, i);
  requests.widen(now, i);
  EXPECT_EQ(parts.slots.free().cpu, 2000u);
  auto now_turn = turn();
  requests.send(now_turn, i);
  EXPECT_EQ(out.only<GetTask>().room, 2u);
}

TEST_F(PendingRequestsTest, AGroupWantsMoreUntilAllItsTasksAreAskedFor) {
  Reserve reserve = reserve_of(1);
  reserve.tasks_max = 3;
  ask(reserve, 2);
  EXPECT_TRUE(requests.wants_more(reserve));
  ask(reserve, 1);
  EXPECT_FALSE(requests.wants_more(reserve)) << "two questions, three tasks";
  Reserve other = reserve;
  other.group = 1;
  EXPECT_TRUE(requests.wants_more(other));
}

TEST_F(PendingRequestsTest, AnAnswerSaysHowMuchTheOthersMayWant) {
  Reserve reserve = reserve_of(1);
  reserve.tasks_max = 3;
  ask(reserve, 1);
  requests.set_wanted(reserve.job, 1, 0);
  EXPECT_EQ(requests[0].reservation.reserve.tasks_max, 3u) << "that was another group";
  requests.set_wanted(reserve.job, 0, 2);
  EXPECT_EQ(requests[0].reservation.reserve.tasks_max, 2u);
  requests.ask_no_more(0);
  EXPECT_FALSE(requests.wants_more(requests[0].reservation.reserve));
}

TEST_F(PendingRequestsTest, StandForWork) {
  ask(reserve_of(1, 10s), 2);
  ask(reserve_of(2, 1s), 1);
  EXPECT_DOUBLE_EQ(requests.work(), 21e9 * 1000);
}

}  // namespace
}  // namespace dunlin::test
