// SPDX-License-Identifier: MIT
#include "sim/baseline/wish_queue.h"

#include <gtest/gtest.h>

namespace dunlin::sim {
namespace {

TEST(WishQueue, GivesEachTaskOnceInAPassInTheOrderOfInsertion) {
  WishQueue<int> queue;
  queue.push(7, 1);
  queue.push(8, 2);
  queue.push(7, 3);
  EXPECT_EQ(queue.take({}), std::nullopt) << "no pass has begun";
  queue.begin_pass();
  EXPECT_EQ(queue.take({}), 1);
  queue.push(7, 1);  // To the end.
  EXPECT_EQ(queue.take({}), 2);
  EXPECT_EQ(queue.take({}), 3);
  EXPECT_EQ(queue.take({}), std::nullopt);
  EXPECT_EQ(queue.size(), 1u);
  queue.begin_pass();
  EXPECT_EQ(queue.take({}), 1);
}

TEST(WishQueue, PassesOverWhatHasNoMatch) {
  WishQueue<int> queue;
  queue.push(7, 1);
  queue.push(8, 2);
  queue.begin_pass();
  EXPECT_EQ(queue.take({7}), 2);
  EXPECT_EQ(queue.take({7}), std::nullopt);
  EXPECT_EQ(queue.take({}), 1);
}

}  // namespace
}  // namespace dunlin::sim
