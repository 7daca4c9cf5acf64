// SPDX-License-Identifier: MIT
#include "overlay/self.h"

#include <gtest/gtest.h>

#include "tests/support/overlay_fixture.h"

namespace dunlin::overlay {
namespace {

using test::at;

TEST(Self, StatementsAreNumberedAndSayWhatWasPublished) {
  Self self(at(1), 4);
  self.publish({.cpu_free = 5,
      .memory_free = 6,
      .cpu_total = 7,
      .memory_total = 8,
      .queued = 9,
      .signature = {1, 2}});
  const Descriptor first = self.descriptor();
  const Descriptor second = self.descriptor();
  EXPECT_EQ(first.id, at(1).id);
  EXPECT_EQ(first.address, at(1).address);
  EXPECT_EQ(first.incarnation, 4u);
  EXPECT_EQ(first.age, Duration{0});
  EXPECT_EQ(first.cpu_free, 5u);
  EXPECT_EQ(first.memory_total, 8u);
  EXPECT_EQ(first.queued, 9u);
  EXPECT_EQ(first.signature, (Signature{1, 2}));
  EXPECT_EQ(second.sequence, first.sequence + 1);
  EXPECT_EQ(self.latest(), second);
}

}  // namespace
}  // namespace dunlin::overlay
