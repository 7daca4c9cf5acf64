// SPDX-License-Identifier: MIT
#include <cstdint>

#include "sched/federation/peer/member_desk.h"
#include "sched/worker/worker.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

// Tasks that a global master sends straight to a node, which decides on each once and for all.
namespace dunlin::sched::federation {
namespace {

constexpr std::uint32_t kBorn = 7;
constexpr CellId kCell{3};

class MemberLaunches : public test::Solo {
 protected:
  MemberLaunches() : worker_(WorkerParams{}, test::LooseParts::node_of(4000)) {
    desk_.call(now, node(50), RollCall{.cell = kCell, .epoch = 1}, std::chrono::hours(1));
  }
  /// Task `index` of job 1, which node 99 launches by that number.
  LaunchTasks launch(std::uint64_t number, std::uint32_t index, std::uint64_t floor = 1) {
    LaunchTasks launch{.known = {.cell = kCell, .epoch = 1, .floor = floor}, .incarnation = 1};
    launch.reserve = test::reserve_of(1);
    launch.tasks.job = launch.reserve.job;
    launch.tasks.spec = test::Script{.duration = std::chrono::hours(1)}.spec();
    launch.tasks.tasks = {{.index = index, .attempt = 1}};
    launch.targets = {{.number = number, .node = node(1).id, .born = kBorn}};
    launch.direct = true;
    return launch;
  }
  void send(const LaunchTasks& launch) {
    auto now_turn = turn();
    desk_.launch(now_turn, node(99), launch, worker_);
  }
  std::size_t running() const { return worker_.running().size(); }

  MemberDesk desk_{kBorn};
  Worker worker_;
};

TEST_F(MemberLaunches, ATaskStartsOnceHoweverOftenItIsSent) {
  send(launch(1, 0));
  send(launch(1, 0));
  EXPECT_EQ(running(), 1u);
  EXPECT_TRUE(desk_.owes_answers());
}

TEST_F(MemberLaunches, NothingBelowTheFloorStarts) {
  send(launch(5, 0, 5));
  send(launch(4, 1, 5));
  EXPECT_EQ(running(), 1u);
}

// Else its local master would take the member for full, whoever asks.
TEST_F(MemberLaunches, SaysIfItPassesALaunchForWantOfPlacesOfItsUser) {
  const auto of_user = [&](std::uint64_t number, std::uint64_t user, std::uint32_t cpu) {
    LaunchTasks small = launch(number, static_cast<std::uint32_t>(number));
    small.reserve.user = user;
    small.reserve.demand.cpu = cpu;
    return small;
  };
  for (std::uint64_t number = 1; number <= 300; ++number) send(of_user(number, 7, 1));
  EXPECT_EQ(running(), 240u) << "256 places, 16 of which are kept for another user";
  EXPECT_TRUE(out.all<PassedLaunch>().back().crowded);
  send(of_user(301, 8, 1));
  EXPECT_EQ(running(), 241u);
  out.clear();
  send(of_user(302, 8, 4000));
  EXPECT_FALSE(out.all<PassedLaunch>().back().crowded) << "there are too few CPUs";
}

// There is no launch 0, so no floor below 1; such a word ends no other launch.
TEST_F(MemberLaunches, AFloorOfNothingSettlesNothing) {
  send(launch(1, 0, 0));
  send(launch(2, 1));
  EXPECT_EQ(running(), 2u);
}

TEST_F(MemberLaunches, OnlySoManyAreRemembered) {
  send(launch(1, 0));
  for (std::uint64_t number = 2; number <= MemberDesk::kStartsMax + 1; ++number) {
    send(launch(number, static_cast<std::uint32_t>(number)));  // Four run, the others are passed.
  }
  EXPECT_EQ(running(), 4u);
  const std::size_t passed = out.all<PassedLaunch>().size();
  EXPECT_EQ(passed, MemberDesk::kStartsMax + 1 - 4);
  send(launch(1, 0));
  send(launch(5, 5));
  EXPECT_EQ(running(), 4u);
  EXPECT_EQ(out.all<PassedLaunch>().size(), passed + 1) << "1 is forgotten, 5 is not";
}

}  // namespace
}  // namespace dunlin::sched::federation
