// SPDX-License-Identifier: MIT
#include "sched/worker/dispatch/user_places.h"

#include <gtest/gtest.h>

#include "sched/worker/dispatch/flat_dispatcher.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using sched::FlatDispatcher;
using sched::Reserve;

constexpr std::uint64_t kGreedy = 7;
constexpr std::uint64_t kNeighbour = 8;

/// A node of ten CPUs and twelve places, eight of which are for others than one user.
class UserPlacesTest : public Solo {
 protected:
  static sched::WorkerParams few_places() {
    sched::WorkerParams params;
    params.discipline = sched::DisciplineName::fifo;
    params.tasks_max = 12;
    params.slots_per_user = 4;
    return params;
  }
  static Reserve reserve(std::uint32_t job, std::uint64_t user, std::uint32_t cpu = 1) {
    Reserve reserve = reserve_of(job);
    reserve.user = user;
    reserve.demand.cpu = cpu;
    reserve.tasks_max = 20;
    return reserve;
  }
  void run(const Reserve& reserve, std::uint32_t tasks = 1) {
    for (std::uint32_t index = 0; index < tasks; ++index) parts.run(turn(), reserve, index);
  }
  /// The job that would be served next, or 0.
  std::uint32_t next() const {
    const auto i = dispatcher.choose(now);
    return i ? parts.queue.waiting()[*i].reserve.job.number : 0;
  }
  /// What is asked for at once if that waits.
  std::uint16_t room_for(const Reserve& reserve) {
    out.clear();
    parts.wait(now, reserve);
    auto now_turn = turn();
    dispatcher.dispatch(now_turn);
    return out.only<sched::GetTask>().room;
  }

  const sched::WorkerParts& all_with_users() {
    parts.all.users = &users;
    return parts.all;
  }

  LooseParts parts{10'000, few_places()};
  const sched::UserPlaces users{
      parts.params, parts.slots, parts.queue, parts.requests, parts.running};
  FlatDispatcher dispatcher{all_with_users()};
};

// However many of them there are, and however little they demand, they do not fill the node.
TEST_F(UserPlacesTest, SmallTasksOfOneUserLeavePlacesToOthers) {
  run(reserve(9, kNeighbour));
  run(reserve(1, kGreedy));
  EXPECT_EQ(room_for(reserve(2, kGreedy)), 3) << "and one runs";
  parts.wait(now, reserve(3, kGreedy, 999));
  EXPECT_EQ(next(), 0u) << "the user has its share";
  parts.wait(now, reserve(4, kNeighbour));
  EXPECT_EQ(next(), 4u);
  parts.queue.take(1);
  parts.wait(now, reserve(5, kGreedy, 1000));
  EXPECT_EQ(next(), 5u) << "whole CPUs are bound by the CPUs there are";
}

TEST_F(UserPlacesTest, AUserAloneHasMostOfThem) {
  EXPECT_EQ(room_for(reserve(1, kGreedy)), 10) << "two of the eight for others stay free";
  parts.wait(now, reserve(2, kGreedy));
  EXPECT_EQ(next(), 0u);
  parts.wait(now, reserve(3, kNeighbour));
  EXPECT_EQ(next(), 3u) << "so that another need not wait for an end";
}

TEST_F(UserPlacesTest, OneThatWaitsIsAlreadyThere) {
  Reserve large = reserve(1, kNeighbour, 10'000);
  large.tasks_max = 1;
  run(reserve(2, kGreedy), 4);
  parts.wait(now, large);
  EXPECT_EQ(users.left(reserve(2, kGreedy)), 0u);
  (void)parts.queue.take(0);
  EXPECT_EQ(users.left(reserve(2, kGreedy)), 6u);
}

TEST_F(UserPlacesTest, TasksOfNobodyKnownAreNotBoundAndCountAsOthers) {
  run(reserve(1, 0), 2);
  EXPECT_EQ(users.left(reserve(2, kGreedy)), 4u);
  EXPECT_GE(users.left(reserve(3, 0)), 12u);
}

// A node of many CPUs has a place for each, or one user could not fill them with half CPUs.
TEST_F(UserPlacesTest, ALargeNodeHasAsManyForOthersAndMoreForEach) {
  LooseParts large{40'000, few_places()};
  const sched::UserPlaces of_large{
      large.params, large.slots, large.queue, large.requests, large.running};
  large.run(turn(), reserve(1, kNeighbour));
  EXPECT_EQ(of_large.left(reserve(2, kGreedy, 500)), 32u) << "of 40 places";
}

TEST_F(UserPlacesTest, AsManyAsThereAreBindNothing) {
  parts.params.slots_per_user = 12;
  run(reserve(1, kGreedy), 11);
  EXPECT_FALSE(users.crowded_by(reserve(1, kGreedy)));
}

}  // namespace
}  // namespace dunlin::test
