// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <set>

#include "sched/frontend/frontend.h"
#include "tests/support/builders.h"
#include "tests/support/solo.h"

// Sizes, which Sparrow's successors knew: what frontends do with them. Eagle (Delgado, Didona,
// Dinu, Zwaenepoel; SoCC 2016): the shortest remaining job first, more probes for small jobs in a
// full cluster. size_aware_worker_test.cc has what workers do.
namespace dunlin::test {
namespace {

using sched::Frontend;
using std::chrono::seconds;

class SizeAwareFrontend : public Solo {
 protected:
  /// A frontend at node 99 with one job of `tasks` tasks said to run 20 s each.
  Frontend submitted(std::uint32_t tasks) {
    know_nodes(40);
    Frontend frontend({.placement = sched::PlacementName::random}, node(99));
    sched::Job submitted = job(tasks);
    submitted.groups[0].duration = seconds(20);
    submitted.id = frontend.next_job(1);
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(submitted));
    return frontend;
  }
  sched::Tasks ask(Frontend& frontend, const sched::Reserve& reserve, std::uint32_t request) {
    out.clear();
    auto now_turn = turn();
    frontend.on_message(now_turn, around(), node(7),
        sched::GetTask{.job = reserve.job,
            .group = 0,
            .probe = reserve.probe,
            .request = request,
            .incarnation = 1,
            .room = 1});
    return out.only<sched::Tasks>();
  }
};

TEST_F(SizeAwareFrontend, ReservationsSayHowMuchIsLeft) {
  Frontend frontend = submitted(3);
  const auto reservation = out.all<sched::Reserve>().front();
  EXPECT_EQ(reservation.task_time, seconds(20));
  EXPECT_EQ(reservation.work, seconds(60));
  const auto tasks = ask(frontend, reservation, 1);
  EXPECT_EQ(tasks.work, seconds(40)) << "two tasks are left";
}

TEST_F(SizeAwareFrontend, FinishedTasksTellMoreThanTheUser) {
  Frontend frontend = submitted(3);
  const auto reservation = out.all<sched::Reserve>().front();
  const auto first = ask(frontend, reservation, 1);
  auto now_turn = turn();
  frontend.on_message(now_turn, around(), node(7),
      sched::Done{.job = reservation.job,
          .reports = {{.index = first.tasks[0].index, .attempt = 1, .wall = seconds(4)}}});
  const auto second = ask(frontend, reservation, 2);
  EXPECT_EQ(second.task_time, seconds(4));
  EXPECT_EQ(second.work, seconds(4));
}

// A job ends with its last task: where its reservations wait, it ranks by what is left of it now.
TEST_F(SizeAwareFrontend, ThoseThatWaitLearnThatLittleIsLeft) {
  Frontend frontend = submitted(8);
  const auto reservations = out.all<sched::Reserve>();
  out.clear();
  {
    auto now_turn = turn();
    frontend.on_message(now_turn, around(), node(5),
        sched::Queued{.job = reservations[1].job, .group = 0, .probe = reservations[1].probe});
  }
  EXPECT_EQ(out.only<sched::Remaining>().work, seconds(160));
  for (std::uint32_t request = 1; request <= 5; ++request) {
    ask(frontend, reservations[0], request);
    EXPECT_TRUE(out.all<sched::Remaining>().empty()) << "eight less " << request;
  }
  out.clear();
  auto now_turn = turn();
  frontend.on_message(now_turn, around(), node(7),
      sched::GetTask{.job = reservations[0].job,
          .group = 0,
          .probe = reservations[0].probe,
          .request = 6,
          .incarnation = 1,
          .room = 1});
  std::set<std::uint64_t> told;
  for (const auto& [to, message] : out.sent) {
    if (const auto* remaining = std::get_if<sched::Remaining>(&message)) {
      EXPECT_EQ(remaining->work, seconds(40));
      told.insert(to.id.value);
    }
  }
  EXPECT_EQ(told, (std::set<std::uint64_t>{5, 7}));
}

// One CPU in three is free: two reservations a task would not find it at once.
TEST_F(SizeAwareFrontend, TheFullerTheClusterTheMoreReservations) {
  const auto sent = [&](std::uint32_t cpu_free) {
    known.clear();
    out.clear();
    for (std::uint64_t id = 1; id <= 40; ++id) know(id, cpu_free);
    Frontend frontend({.placement = sched::PlacementName::random}, node(99));
    sched::Job ten = job(10);
    ten.id = frontend.next_job(1);
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(ten));
    return out.all<sched::Reserve>().size();
  };
  EXPECT_EQ(sent(8000), 20u);
  EXPECT_EQ(sent(4000), 20u);
  EXPECT_EQ(sent(2667), 30u);
  EXPECT_EQ(sent(0), 40u);
}

// A million tasks of three hours are more nanoseconds than a 64-bit integer holds; and a peer may
// say anything.
TEST_F(SizeAwareFrontend, SumsOfLongTimesDoNotOverflow) {
  Frontend frontend = submitted(5);
  const auto reservation = out.all<sched::Reserve>().front();
  for (std::uint32_t request = 1; request <= 4; ++request) {
    const auto given = ask(frontend, reservation, request);
    auto now_turn = turn();
    frontend.on_message(now_turn, around(), node(7),
        sched::Done{.job = reservation.job,
            .reports = {{.index = given.tasks[0].index,
                .attempt = 1,
                .wall = sched::Duration::max() - sched::Duration{request}}}});
  }
  EXPECT_EQ(ask(frontend, reservation, 5).task_time, sched::kTaskTimeMax);
}

// Eagle sends at least 20 probes for a job, however small; here only when the cluster is full.
TEST_F(SizeAwareFrontend, SmallJobsProbeMoreOnceTheyMustQueue) {
  Frontend frontend = submitted(1);
  const auto reservations = out.all<sched::Reserve>();
  ASSERT_EQ(reservations.size(), 2u);
  out.clear();
  auto now_turn = turn();
  frontend.on_message(now_turn, around(), node(5),
      sched::Queued{.job = reservations[0].job, .group = 0, .probe = reservations[0].probe});
  EXPECT_EQ(out.all<sched::Reserve>().size(), 14u) << "16 in all";
}

// Room for short tasks must not mean no room for long ones, wherever that is all there is.
TEST_F(SizeAwareFrontend, WhoIsTurnedAwayEverywhereSaysNoMoreHowLongItTakes) {
  Frontend frontend = submitted(2);
  for (int round = 0; round < 20; ++round) {
    auto reservations = out.all<sched::Reserve>();
    if (round == 0) {
      EXPECT_EQ(reservations.front().task_time, seconds(20));
    }
    out.clear();
    auto now_turn = turn();
    for (const auto& reserve : reservations) {
      frontend.on_message(now_turn, around(), node(5),
          sched::Bounced{.job = reserve.job,
              .group = 0,
              .probe = reserve.probe,
              .reason = sched::BounceReason::express});
    }
    now += seconds(1);
    auto later = turn();
    frontend.wake(later, around());
  }
  ASSERT_FALSE(out.all<sched::Reserve>().empty());
  EXPECT_EQ(out.all<sched::Reserve>().front().task_time, sched::Duration{0});
}

}  // namespace
}  // namespace dunlin::test
