// SPDX-License-Identifier: MIT
#include "sched/cell/manager/worker_states.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

constexpr PeerId kFirstNode{1};
constexpr PeerId kSecondNode{2};

TEST(WorkerStates, EachChangeHasItsNumber) {
  WorkerStates states;
  states.hear(kFirstNode, {.all = 4, .busy = 1});
  states.hear(kSecondNode, {.all = 2});
  EXPECT_EQ(states.changes(), 2u);
  states.hear(kFirstNode, {.all = 4, .busy = 1});
  EXPECT_EQ(states.changes(), 2u) << "it says the same again";
  states.hear(kFirstNode, {.all = 4, .occupied = 1, .busy = 1});
  EXPECT_EQ(states.all().at(kFirstNode).change, 3u);
  EXPECT_EQ(states.all().at(kFirstNode).slots, (SlotCounts{.all = 4, .occupied = 1, .busy = 1}));
  EXPECT_EQ(states.all().at(kSecondNode).change, 2u);
}

TEST(WorkerStates, ANodeThatSaysNothingOfItsSlotsIsLeftOut) {
  WorkerStates states;
  states.hear(kFirstNode, {});
  EXPECT_TRUE(states.all().empty());
}

TEST(WorkerStates, TheSlotsOfAMemberThatIsGoneAreDownUntilItIsBack) {
  WorkerStates states;
  states.hear(kFirstNode, {.all = 4, .busy = 4});
  states.hear(kSecondNode, {.all = 2});
  const auto lose_one = [&] {
    states.lose_others([](PeerId node) { return node == kSecondNode; });
  };
  lose_one();
  EXPECT_EQ(states.all().at(kFirstNode).slots, (SlotCounts{.all = 4, .down = 4}));
  EXPECT_EQ(states.changes(), 3u);
  lose_one();
  EXPECT_EQ(states.changes(), 3u) << "it was gone before";
  states.hear(kFirstNode, {.all = 4});
  EXPECT_EQ(states.all().at(kFirstNode).slots, (SlotCounts{.all = 4}));
}

TEST(WorkerStates, WithoutAPlanNothingIsKept) {
  WorkerStates states;
  states.hear(kFirstNode, {.all = 4});
  states.clear();
  EXPECT_TRUE(states.all().empty());
  EXPECT_EQ(states.changes(), 2u) << "numbers go on";
}

}  // namespace
}  // namespace dunlin::sched
