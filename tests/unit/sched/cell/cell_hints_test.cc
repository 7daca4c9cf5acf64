// SPDX-License-Identifier: MIT
#include "sched/cell/cell_hints.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow{1h};
constexpr Duration kLife = 30s;

cell::Hint hint(CellId cell, std::uint64_t epoch = 1, std::uint64_t stamp = 1, Duration age = 0s) {
  cell::Hint made;
  made.cell = cell;
  made.epoch = epoch;
  made.stamp = stamp;
  made.age = age;
  return made;
}

TEST(CellHints, KeepsTheNewest) {
  CellHints hints;
  hints.hear(kNow, kLife, hint({7}, 2, 5));
  hints.hear(kNow, kLife, hint({7}, 1, 9));
  EXPECT_EQ(hints.find(CellId{7})->epoch, 2u);
  hints.hear(kNow, kLife, hint({7}, 2, 6));
  EXPECT_EQ(hints.find(CellId{7})->stamp, 6u);
  EXPECT_EQ(hints.find(CellId{8}), nullptr);
}

TEST(CellHints, AgesAreNotLaundered) {
  CellHints first;
  CellHints second;
  first.hear(kNow, kLife, hint({7}));
  const auto passed_on = first.newest(kNow + 20s, 8);
  ASSERT_EQ(passed_on.size(), 1u);
  EXPECT_EQ(passed_on[0].age, 20s);
  second.hear(kNow + 20s, kLife, passed_on[0]);
  // Heard once more it is no younger.
  first.hear(kNow + 25s, kLife, second.newest(kNow + 25s, 8)[0]);
  second.forget_old(kNow + 30s, kLife);
  first.forget_old(kNow + 30s, kLife);
  EXPECT_EQ(second.find(CellId{7}), nullptr);
  EXPECT_EQ(first.find(CellId{7}), nullptr);
  first.hear(kNow + 30s, kLife, hint({7}, 1, 1, 30s));
  EXPECT_EQ(first.find(CellId{7}), nullptr);
}

// Without this, two roots among thousands of cells would never hear of each other.
TEST(CellHints, ManyCellsOfOneLevelDoNotCrowdOutOthers) {
  CellHints hints;
  const CellId root = cell_id(2, 1 << 10);
  hints.hear(kNow, kLife, hint(root));
  hints.hear(kNow, kLife, hint(cell_id(1, 1 << 10)));
  for (std::uint64_t cell = 1; cell <= 2 * CellHints::kMax; ++cell) {
    hints.hear(kNow + 1s, kLife, hint(cell_id(0, cell << 8)));
  }
  ASSERT_NE(hints.find(root), nullptr);
  overlay::Rng rng(1);
  for (int i = 0; i < 10; ++i) {
    const auto drawn = hints.drawn(kNow + 2s, 8, rng);
    ASSERT_EQ(drawn.size(), 8u);
    EXPECT_EQ(drawn[0].cell, root);
    EXPECT_EQ(drawn[0].age, 2s);
    EXPECT_EQ(level_of(drawn[1].cell), 1);
    EXPECT_EQ(level_of(drawn[2].cell), 0);
  }
}

TEST(CellHints, CellsWithRoomAreKeptAndPassedOnRather) {
  CellHints hints;
  for (std::uint64_t cell = 1; cell <= 2 * CellHints::kMax; ++cell) {
    auto made = hint(cell_id(0, cell << 8));
    made.room = cell <= 8 ? 3 : 0;
    hints.hear(kNow + std::chrono::milliseconds(cell), kLife, made);
  }
  overlay::Rng rng(1);
  const auto drawn = hints.drawn(kNow + 1s, 8, rng);
  EXPECT_GE(std::ranges::count(drawn, 3u, &cell::Hint::room), 7);
  hints.full(drawn.back().cell);
  EXPECT_EQ(hints.find(drawn.back().cell)->room, 0u);
}

TEST(CellHints, IsBoundedByForgettingTheOldest) {
  CellHints hints;
  for (std::uint64_t cell = 1; cell <= CellHints::kMax; ++cell) {
    hints.hear(kNow + std::chrono::milliseconds(cell == 5 ? 0 : cell), kLife, hint({cell}));
  }
  hints.hear(kNow + 1s, kLife, hint({1000}));
  EXPECT_NE(hints.find(CellId{1000}), nullptr);
  EXPECT_EQ(hints.find(CellId{5}), nullptr);
  EXPECT_EQ(hints.newest(kNow + 1s, 1000).size(), CellHints::kMax);
  EXPECT_EQ(hints.newest(kNow + 1s, 3).front().cell, CellId{1000});
}

TEST(CellHints, TellsLevelsApart) {
  CellHints hints;
  hints.hear(kNow, kLife, hint(cell_id(0, 1 << 10)));
  hints.hear(kNow, kLife, hint(cell_id(1, 1 << 10)));
  auto ending = hint(cell_id(1, 1 << 11));
  ending.dissolving = true;
  hints.hear(kNow, kLife, ending);
  EXPECT_EQ(hints.standing(0).size(), 1u);
  ASSERT_EQ(hints.standing(1).size(), 1u);
  EXPECT_EQ(level_of(hints.standing(1)[0].cell), 1);
  EXPECT_TRUE(hints.standing(2).empty());
}

}  // namespace
}  // namespace dunlin::sched
