// SPDX-License-Identifier: MIT
#include "sched/worker/reservations.h"

#include <gtest/gtest.h>

#include "sched/worker/dispatch/flat_dispatcher.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using overlay::PeerId;
using sched::Arrival;
using sched::Bounced;
using sched::BounceReason;
using sched::Queued;
using sched::Reserve;

/// A node of two CPUs, one of which is for tasks of ten seconds or less, and a queue of three.
class ReservationsTest : public Solo {
 protected:
  static sched::WorkerParams params() {
    sched::WorkerParams params;
    params.queue_max = 3;
    params.queue_renew = 4s;
    params.express_share = .5;
    params.express_limit = 10s;
    return params;
  }
  Arrival arrive(const Reserve& reserve) {
    out.clear();
    auto now_turn = turn();
    return reservations.arrive(now_turn, around(), dispatcher, reserve);
  }
  void fill() { parts.slots.hold(now, footprint(reserve_of(100)), 2); }
  static Reserve walking(std::uint32_t number) {
    Reserve reserve = reserve_of(number);
    reserve.walk.hops_left = 3;
    return reserve;
  }

  LooseParts parts{2000, params()};
  sched::FlatDispatcher dispatcher{parts.all};
  sched::Reservations reservations{parts.params, node(1), parts.all};
};

TEST_F(ReservationsTest, OneThatWouldBeServedNextStarts) {
  EXPECT_EQ(arrive(walking(1)), Arrival::starts);
  EXPECT_EQ(parts.queue.size(), 1u) << "for dispatch() to take";
  EXPECT_TRUE(out.sent.empty());
}

TEST_F(ReservationsTest, OneWithoutRoomWalksOn) {
  know_nodes(3);
  fill();
  EXPECT_EQ(arrive(walking(1)), Arrival::gone);
  const auto next = out.only<Reserve>();
  EXPECT_EQ(next.best_node, PeerId{1}) << "this is the best node that it has met so far";
  EXPECT_TRUE(parts.queue.empty());
}

TEST_F(ReservationsTest, OneAtTheEndOfItsWalkWaitsAndItsFrontendKnows) {
  fill();
  EXPECT_EQ(arrive(reserve_of(1)), Arrival::waits);
  EXPECT_EQ(out.only<Queued>().ahead, 0u);
  EXPECT_EQ(out.only<Queued>().load.queued, 1u);
  EXPECT_EQ(arrive(reserve_of(2)), Arrival::waits);
  EXPECT_EQ(out.only<Queued>().ahead, 1u);
}

TEST_F(ReservationsTest, TheShortestWaitOnTheWayIsWrittenDown) {
  know_nodes(3);
  parts.run(turn(), reserve_of(8, 10s), 0);
  parts.run(turn(), reserve_of(8, 10s), 1);
  Reserve reserve = walking(1);
  reserve.best_node = {7};
  reserve.best_wait = 9s;
  arrive(reserve);
  EXPECT_EQ(out.only<Reserve>().best_node, PeerId{7});
  reserve.probe = 2;
  reserve.best_wait = 11s;
  arrive(reserve);
  EXPECT_EQ(out.only<Reserve>().best_node, PeerId{1});
  EXPECT_EQ(out.only<Reserve>().best_wait, 10s);
}

TEST_F(ReservationsTest, OneThatComesTwiceIsIgnored) {
  fill();
  arrive(reserve_of(1));
  EXPECT_EQ(arrive(reserve_of(1)), Arrival::gone);
  EXPECT_TRUE(out.sent.empty());
  auto now_turn = turn();
  parts.slots.release(now, footprint(reserve_of(100)));
  dispatcher.dispatch(now_turn);
  EXPECT_EQ(arrive(reserve_of(1)), Arrival::gone) << "it is away, asking";
  EXPECT_TRUE(out.sent.empty());
}

TEST_F(ReservationsTest, AGroupWaitsOnceAndAFullQueueTurnsNewcomersAway) {
  fill();
  for (const std::uint32_t number : {1u, 2u, 3u}) arrive(reserve_of(number));
  Reserve second = reserve_of(1);
  second.probe = 9;
  EXPECT_EQ(arrive(second), Arrival::gone);
  EXPECT_EQ(out.only<Bounced>().reason, BounceReason::duplicate);
  EXPECT_EQ(arrive(reserve_of(4)), Arrival::gone);
  EXPECT_EQ(out.only<Bounced>().reason, BounceReason::queue_full);
  EXPECT_EQ(parts.queue.size(), 3u);
}

TEST_F(ReservationsTest, AFullQueueStillServesANewcomerThatIsNext) {
  for (const std::uint32_t number : {1u, 2u, 3u}) {
    Reserve large = reserve_of(number, 5s);
    large.demand.cpu = 2000;
    parts.wait(now, large);
  }
  parts.slots.hold(now, footprint(reserve_of(100)));
  EXPECT_EQ(arrive(reserve_of(4)), Arrival::starts);
}

TEST_F(ReservationsTest, OneThatCanNeverRunHereWalksOnOrBounces) {
  Reserve large = walking(1);
  large.demand.cpu = 3000;
  EXPECT_EQ(arrive(large), Arrival::gone);
  EXPECT_EQ(out.only<Bounced>().reason, BounceReason::never_fits);
  know_nodes(3);
  EXPECT_EQ(arrive(large), Arrival::gone);
  EXPECT_EQ(out.only<Reserve>().best_node, PeerId{}) << "it would wait here forever";
}

TEST_F(ReservationsTest, OneOfAnExhaustedGroupIsDropped) {
  sched::Tasks last{.job = reserve_of(1).job};
  last.served_to = 5;
  reservations.learn(now, last);
  Reserve late = reserve_of(1);
  late.probe = 5;
  EXPECT_EQ(arrive(late), Arrival::gone);
  late.probe = 6;
  EXPECT_EQ(arrive(late), Arrival::starts) << "a task that was lost is asked for again";
}

TEST_F(ReservationsTest, ACancelledGroupWaitsAndWalksNoMore) {
  fill();
  arrive(reserve_of(1));
  reservations.cancel(now, {.job = reserve_of(1).job, .group = 0, .served_to = 8});
  EXPECT_TRUE(parts.queue.empty());
  Reserve late = reserve_of(1);
  late.probe = 8;
  EXPECT_EQ(arrive(late), Arrival::gone);
  EXPECT_TRUE(out.sent.empty());
}

TEST_F(ReservationsTest, KeepsItsPlaceWhileTheGroupHasMore) {
  auto now_turn = turn();
  sched::Tasks answer{.job = reserve_of(1).job};
  answer.task_time = 3s;
  answer.work = 30s;
  reservations.requeue(now_turn, sched::arriving(reserve_of(1), now - 9s), answer, 10);
  ASSERT_EQ(parts.queue.size(), 1u);
  const auto& waiting = parts.queue[0];
  EXPECT_EQ(waiting.born, now - 9s);
  EXPECT_EQ(waiting.reserve.tasks_max, 10u);
  EXPECT_EQ(waiting.reserve.task_time, 3s);
  EXPECT_EQ(waiting.reserve.work, 30s);
  EXPECT_EQ(waiting.overtaken, now) << "its job got a task: it does not starve";
  reservations.requeue(now_turn, sched::arriving(reserve_of(1), now), answer, 10);
  EXPECT_EQ(parts.queue.size(), 1u) << "one of a group is enough";
}

TEST_F(ReservationsTest, LearnsWhatIsLeftOfAJobAndHowLongItsTasksTake) {
  for (const std::uint32_t number : {1u, 1u, 2u}) parts.wait(now, reserve_of(number));
  parts.queue[1].reserve.group = 1;
  const double before = parts.queue[0].left;
  auto now_turn = turn();
  const sched::JobId job = reserve_of(1).job;
  EXPECT_FALSE(
      reservations.learn(now_turn, {.job = job, .work = 70s, .group = 0, .task_time = 7s}));
  EXPECT_EQ(parts.queue[0].reserve.work, 70s);
  EXPECT_EQ(parts.queue[0].reserve.task_time, 7s);
  EXPECT_GT(parts.queue[0].left, before) << "its rank is weighed anew";
  EXPECT_EQ(parts.queue[1].reserve.work, 70s);
  EXPECT_EQ(parts.queue[1].reserve.task_time, 1s) << "another group";
  EXPECT_EQ(parts.queue[2].reserve.work, 1s) << "another job";
  EXPECT_TRUE(reservations.learn(now_turn, {.job = job, .work = 60s, .group = 0, .task_time = 6s}));
}

// A pilot that still runs says that its group is longer than was thought.
TEST_F(ReservationsTest, GivesBackWhatTurnsOutTooLongForTheNode) {
  fill();
  Reserve wide = reserve_of(1);
  wide.demand.cpu = 2000;
  parts.wait(now, wide);
  auto now_turn = turn();
  reservations.learn(now_turn, {.job = wide.job, .work = 11s, .group = 0, .task_time = 11s});
  EXPECT_TRUE(parts.queue.empty());
  EXPECT_EQ(out.only<Bounced>().reason, BounceReason::express);
}

TEST_F(ReservationsTest, TheMeanTaskTimeIsOfAllThatComes) {
  EXPECT_EQ(parts.task_times.value(), sched::kTaskTimeUnknown);
  arrive(reserve_of(1, 2s));
  EXPECT_EQ(parts.task_times.value(), 2s);
  know_nodes(3);
  fill();
  Reserve passing = walking(2);
  passing.task_time = 66s;
  EXPECT_EQ(arrive(passing), Arrival::gone);
  EXPECT_EQ(parts.task_times.value(), 3s);
}

// A reservation that turned out too long for its node once waited there forever.
TEST_F(ReservationsTest, DoesNotKeepItsPlaceWhereItsTasksAreTooLong) {
  auto now_turn = turn();
  sched::Tasks answer{.job = reserve_of(1).job};
  answer.task_time = 11s;
  Reserve wide = reserve_of(1);
  wide.demand.cpu = 2000;
  reservations.requeue(now_turn, sched::arriving(wide, now), answer, 10);
  EXPECT_TRUE(parts.queue.empty());
  EXPECT_EQ(out.only<Bounced>().reason, BounceReason::express);
}

TEST_F(ReservationsTest, ConfirmsWhereItIsTime) {
  fill();
  arrive(reserve_of(1));
  now += 1s;
  arrive(reserve_of(2));
  now += 3s;
  out.clear();
  auto now_turn = turn();
  reservations.confirm_due(now_turn, dispatcher);
  EXPECT_EQ(out.only<Queued>().job.number, 1u);
  EXPECT_EQ(parts.queue.next_confirm(), now + 1s);
}

TEST_F(ReservationsTest, ADrainingNodeSendsAllAway) {
  fill();
  arrive(reserve_of(1));
  Reserve settled = walking(2);
  settled.settled = true;
  arrive(settled);
  out.clear();
  parts.slots.drain(true);
  auto now_turn = turn();
  reservations.leave(now_turn, around(), BounceReason::draining);
  EXPECT_TRUE(parts.queue.empty());
  const auto bounced = out.all<Bounced>();
  ASSERT_EQ(bounced.size(), 2u);
  EXPECT_EQ(bounced[0].reason, BounceReason::draining);
  EXPECT_EQ(bounced[0].load.queued, 0u);
}

}  // namespace
}  // namespace dunlin::test
