// SPDX-License-Identifier: MIT
#include "sched/federation/local/starts.h"

#include <gmock/gmock.h>

#include "tests/support/solo.h"
#include "tests/unit/sched/federation/rows.h"

namespace dunlin::sched::federation {
namespace {

using rows::at;
using ::testing::ElementsAre;

constexpr std::uint32_t kProcess = 4;

/// Members 1 and 2, of 4 CPUs each, and the global master 100.
class StartsTest : public ::testing::Test {
 protected:
  StartsTest() {
    hear(1);
    hear(2);
    master_.where = at(100);
  }

  MastersTurn turn() { return {now_, rng_, out_}; }
  Starts::Members members() { return {table_, shares_, born_, last_}; }
  void hear(std::uint64_t node) {
    (void)table_.hear(
        MemberRow{
            .version = ++version_, .free = {.cpu = 4000, .memory = 8192}, .kind = {rows::kind({})}},
        {node});
    born_[{node}] = kProcess;
  }
  /// A launch of one task of 3 CPUs, taken in by that number.
  Launched& launch(std::uint64_t number) {
    LaunchTasks launch;
    launch.reserve.demand = {.cpu = 3000, .memory = 1};
    launch.tasks.tasks = {{0, 1, {}}};
    return master_.launches[number] = {.launch = std::make_shared<const LaunchTasks>(launch),
               .node = {},
               .verdict = {.number = number, .fate = LaunchFate::refused}};
  }
  Launched& begin(std::uint64_t number, std::optional<PeerId> wanted) {
    Launched& launched = launch(number);
    starts_.begin(turn(), members(), master_, launched, wanted);
    return launched;
  }
  bool has_room(std::uint64_t node) { return table_.has_room({node}, {.cpu = 3000}, {}); }

  FederationParams params_;
  Time now_{};
  Rng rng_{1};
  test::SchedRecorder out_;
  MemberTable table_;
  CellShares shares_;
  std::map<PeerId, std::uint32_t> born_;
  std::uint64_t last_ = 40;
  std::uint64_t version_ = 0;
  AttachedMaster master_;
  Starts starts_{params_};
};

TEST_F(StartsTest, OneThatIsUnderWayHoldsItsRoomAndKnowsItsLaunch) {
  const Launched& launched = begin(7, PeerId{1});
  EXPECT_EQ(launched.start, 41) << "numbers go on with those of offers";
  EXPECT_EQ(launched.node, PeerId{1});
  EXPECT_EQ(launched.born, kProcess);
  EXPECT_FALSE(has_room(1));
  const auto origin = starts_.find(41);
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->master, PeerId{100});
  EXPECT_EQ(origin->number, 7);
  EXPECT_FALSE(starts_.find(40));
}

TEST_F(StartsTest, SucceedsOnce) {
  Launched& launched = begin(7, PeerId{1});
  starts_.succeed(members(), master_, launched, at(1), 9);
  EXPECT_EQ(launched.verdict.fate, LaunchFate::placed);
  EXPECT_EQ(launched.verdict.node, PeerId{1});
  EXPECT_EQ(launched.verdict.incarnation, 9);
  EXPECT_EQ(launched.launch, nullptr);
  EXPECT_TRUE(launched.may_run());
  EXPECT_FALSE(starts_.find(41)) << "the answer that comes twice is for no start";
}

TEST_F(StartsTest, WhatOneDeclinesGoesToAnotherUntilNoneIsLeft) {
  Launched& launched = begin(7, PeerId{1});
  starts_.decline(turn(), members(), master_, launched, false);
  EXPECT_EQ(launched.start, 42);
  EXPECT_EQ(launched.node, PeerId{2});
  EXPECT_EQ(starts_.size(), 1);
  EXPECT_EQ(master_.counts.external, 1);
  starts_.decline(turn(), members(), master_, launched, false);
  EXPECT_EQ(launched.start, 0);
  EXPECT_THAT(launched.declined, ElementsAre(PeerId{1}, PeerId{2}));
  EXPECT_FALSE(launched.may_run());
  EXPECT_EQ(master_.counts.refused, 1);
  EXPECT_EQ(master_.counts.external, 1) << "a launch is inconsistent once";
  EXPECT_EQ(starts_.size(), 0);
}

TEST_F(StartsTest, AMemberWithoutRoomForOneUserHasItForOthers) {
  Launched& launched = begin(7, PeerId{1});
  starts_.decline(turn(), members(), master_, launched, true);
  EXPECT_TRUE(has_room(1));
  Launched& second = begin(8, PeerId{1});
  ASSERT_EQ(second.node, PeerId{1});
  starts_.decline(turn(), members(), master_, second, false);
  EXPECT_FALSE(has_room(1)) << "it declined what its row has room for";
}

TEST_F(StartsTest, ForgetsWithTheLaunchesThatAreSettled) {
  (void)begin(7, PeerId{1});
  (void)begin(8, PeerId{2});
  starts_.forget_below(members(), master_, 8);
  EXPECT_FALSE(starts_.find(41));
  EXPECT_TRUE(starts_.find(42));
  EXPECT_EQ(master_.floor, 8);
  EXPECT_EQ(master_.launches.size(), 1);
  starts_.forget_below(members(), master_, 3);
  EXPECT_EQ(master_.floor, 8) << "a word that is late takes nothing back";
  starts_.forget_all(members(), master_);
  EXPECT_EQ(starts_.size(), 0);
}

TEST_F(StartsTest, OneThatWasDeclinedElsewhereIsNoStartOfItsOwn) {
  Launched& launched = launch(7);
  Starts::note_declined(table_.owners(), master_, launched, {1});
  EXPECT_THAT(launched.declined, ElementsAre(PeerId{1}));
  EXPECT_EQ(starts_.size(), 0);
  table_.distrust({1});
  starts_.begin(turn(), members(), master_, launched, std::nullopt);
  EXPECT_EQ(launched.node, PeerId{2});
}

}  // namespace
}  // namespace dunlin::sched::federation
