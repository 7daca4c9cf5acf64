// SPDX-License-Identifier: MIT
#include "sched/cell/cell_walk.h"

#include <gmock/gmock.h>

// The walk alone; tests/unit/node/control/report_walk_test.cc has it with reports, and long ones.
namespace dunlin::sched {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr Time kStart{seconds(100)};
const CellId kOne = cell_id(0, 1 << 8);
const CellId kTwo = cell_id(0, 2 << 8);
const CellId kRoot = cell_id(1, 9 << 8);

ManagerPlace place(CellId cell, std::uint64_t node) {
  return {cell, {.id = {node}}};
}

class CellWalkTest : public ::testing::Test {
 protected:
  /// The nodes asked now.
  std::vector<std::uint64_t> asked() {
    std::vector<std::uint64_t> nodes;
    for (const CellWalk::Ask& ask : walk.next(now)) {
      requests[ask.to.id.value] = ask.request;
      nodes.push_back(ask.to.id.value);
    }
    return nodes;
  }
  bool answer(std::uint64_t node,
      const std::vector<WalkedCell>& cells,
      const std::vector<ManagerPlace>& places = {}) {
    return walk.on_answer({node}, requests[node], cells, places);
  }

  Time now = kStart;
  std::map<std::uint64_t, std::uint64_t> requests;
  CellWalk walk{0, kStart + seconds(5), {.patience = milliseconds(100), .pause = milliseconds(50)}};
};

TEST_F(CellWalkTest, GoesUpToTheParentAndDownToItsChildren) {
  walk.begin(std::vector{place(kOne, 1)}, true);
  EXPECT_THAT(asked(), ElementsAre(1));
  EXPECT_TRUE(answer(1, {{.cell = kOne, .epoch = 3, .parent = kRoot}}, {place(kRoot, 9)}));
  EXPECT_THAT(asked(), ElementsAre(9));
  EXPECT_TRUE(answer(9, {{.cell = kRoot, .children = {place(kOne, 1), place(kTwo, 2)}}}));
  EXPECT_THAT(asked(), ElementsAre(2));
  EXPECT_TRUE(answer(2, {{.cell = kTwo, .parent = kRoot}}));
  EXPECT_THAT(asked(), IsEmpty());
  EXPECT_TRUE(walk.done());
  EXPECT_THAT(walk.silent(), IsEmpty());
  EXPECT_THAT(walk.managers(), SizeIs(3));
  EXPECT_EQ(walk.managers().at(kOne).epoch, 3u);
}

// A cell of nodes has no children, whatever is claimed: the level is in its id.
TEST_F(CellWalkTest, MembersOfACellOfNodesAreNoCells) {
  walk.begin(std::vector{place(kOne, 1)}, true);
  asked();
  answer(1, {{.cell = kOne, .children = {place(kTwo, 2)}}});
  EXPECT_THAT(asked(), IsEmpty());
}

TEST_F(CellWalkTest, AsksANodeWithMoreToSayAgain) {
  walk.begin(std::vector{place(kOne, 1)}, true);
  asked();
  answer(1, {{.cell = kOne}});
  walk.ask_again({1});
  EXPECT_THAT(asked(), ElementsAre(1));
  now += milliseconds(100);
  EXPECT_THAT(asked(), ElementsAre(1)) << "also if that answer is lost";
  answer(1, {});
  EXPECT_THAT(asked(), IsEmpty());
  EXPECT_TRUE(walk.done());
}

TEST_F(CellWalkTest, WaitsAtThePaceItIsGiven) {
  walk.begin(std::vector{place(kOne, 1)}, true);
  EXPECT_THAT(asked(), ElementsAre(1));
  EXPECT_EQ(walk.due(), kStart + milliseconds(100));
  for (int i = 1; i < CellWalk::kTries; ++i) {
    now += milliseconds(100);
    EXPECT_THAT(asked(), ElementsAre(1));
  }
  now += milliseconds(100);
  EXPECT_THAT(asked(), IsEmpty()) << "a pause";
  now += milliseconds(49);
  EXPECT_THAT(asked(), IsEmpty());
  now += milliseconds(1);
  EXPECT_THAT(asked(), ElementsAre(1));
  now = kStart + seconds(5);
  asked();
  EXPECT_TRUE(walk.done());
  EXPECT_THAT(walk.silent(), ElementsAre(Pair(kOne, "its manager does not answer")));
}

}  // namespace
}  // namespace dunlin::sched
