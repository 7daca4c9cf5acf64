// SPDX-License-Identifier: MIT
#include "sched/federation/global/launches.h"

#include <gtest/gtest.h>

#include "tests/support/solo.h"
#include "tests/unit/sched/federation/rows.h"

namespace dunlin::sched::federation {
namespace {

using rows::at;

constexpr CellId kLaunchCell{1};

/// One task is launched straight to a member of the cell.
class DirectLaunch : public ::testing::Test {
 protected:
  void send(std::uint64_t member, std::uint64_t local) {
    LaunchTasks launch{.known = {.cell = kLaunchCell, .epoch = 1}, .direct = true};
    launch.tasks.tasks = {{0, 1, {}}};
    launch.tasks.spec = "work";
    launch.targets = {{.number = 1, .node = {member}, .born = 1}};
    launches_.send(turn(), at(member), at(local), launch);
  }
  std::optional<LaunchOutcome> placed(std::uint64_t by, std::uint64_t node, Address address) {
    return launches_.settle(kLaunchCell, at(by),
        {.number = 1, .fate = LaunchFate::placed, .node = {node}, .address = address});
  }
  MastersTurn turn() { return {Time{}, rng_, out_}; }

  FederationParams params_;
  Rng rng_{1};
  test::SchedRecorder out_;
  Launches launches_{params_};
};

TEST_F(DirectLaunch, IsWhereTheMemberIsThatAnswersForItself) {
  send(5, 7);
  EXPECT_EQ(placed(5, 5, {})->worker, at(5));
}

TEST_F(DirectLaunch, IsWhereTheLocalMasterFoundRoom) {
  send(5, 7);
  EXPECT_EQ(placed(7, 6, at(6).address)->worker, at(6));
}

// The global master took the local one for the worker, and stopped the task at the true one.
TEST_F(DirectLaunch, IsWhereAMemberThatIsTheLocalMasterFoundRoom) {
  send(5, 5);
  EXPECT_EQ(placed(5, 6, at(6).address)->worker, at(6));
}

TEST_F(DirectLaunch, CountsItsWorkUntilItIsAnswered) {
  EXPECT_EQ(launches_.bytes(), 0u);
  send(5, 7);
  EXPECT_EQ(launches_.bytes(), 4u);
  EXPECT_FALSE(placed(8, 8, {}));
  EXPECT_EQ(launches_.bytes(), 4u);
  EXPECT_TRUE(placed(5, 5, {}));
  EXPECT_EQ(launches_.bytes(), 0u);
}

TEST_F(DirectLaunch, IsAnsweredByNoOther) {
  send(5, 7);
  EXPECT_FALSE(placed(8, 8, {}));
}

}  // namespace
}  // namespace dunlin::sched::federation
