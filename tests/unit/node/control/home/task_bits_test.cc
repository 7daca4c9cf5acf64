// SPDX-License-Identifier: MIT
#include "node/control/home/task_bits.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

TEST(TaskBits, EachTaskIsAddedOnce) {
  TaskBits bits(20);
  EXPECT_TRUE(bits.add(0));
  EXPECT_TRUE(bits.add(19));
  EXPECT_FALSE(bits.add(19));
  EXPECT_FALSE(bits.add(20)) << "the job has no such task";
}

TEST(TaskBits, ATextIsTheSameSet) {
  TaskBits bits(1'000'000);
  bits.add(7);
  bits.add(999'999);
  EXPECT_LE(bits.text().size(), TaskBits::kTextMax);
  auto back = TaskBits::read(bits.text(), 1'000'000);
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->add(7));
  EXPECT_FALSE(back->add(999'999));
  EXPECT_TRUE(back->add(8));
}

TEST(TaskBits, AnotherTextIsNone) {
  EXPECT_FALSE(TaskBits::read("AA==", 20)) << "too short";
  EXPECT_FALSE(TaskBits::read("!", 20));
  ASSERT_TRUE(TaskBits::read("", 20));
  EXPECT_EQ(TaskBits(20).text(), "") << "none is in it";
}

}  // namespace
}  // namespace dunlin::node
