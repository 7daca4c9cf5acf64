// SPDX-License-Identifier: MIT
#include "node/store/drain_text.h"

#include <gtest/gtest.h>

#include "tests/unit/node/store/store_fixture.h"

namespace dunlin::node {
namespace {

const sched::DrainTerms kTerms{
    .reason = "new disk\nsee the book", .by = "anna@wren", .since = 5, .until = 1'800'000'000};

TEST(DrainText, GivesBackWhatItWasMadeOf) {
  EXPECT_EQ(drain_of_text(drain_text(kTerms)), kTerms);
  EXPECT_EQ(drain_of_text(drain_text(sched::DrainTerms{})), sched::DrainTerms{});
  EXPECT_FALSE(drain_of_text(drain_text(std::nullopt)));
}

TEST(DrainText, WhatNoDunlinWroteIsADrainAllTheSame) {
  for (const char* const text : {"x", "1", "1 2", "1 2\n", "\n\n"})
    EXPECT_TRUE(drain_of_text(text));
}

class StoredDrain : public store_test::Store {};

TEST_F(StoredDrain, IsThereUntilItIsEnded) {
  {
    const auto store = open();
    EXPECT_FALSE(store->drain().value());
    store->jobs().put_drain(kTerms);
    EXPECT_TRUE(store->jobs_dirty()) << "an answer waits for it";
    ASSERT_TRUE(store->commit());
  }
  {
    const auto store = open();
    EXPECT_EQ(store->drain().value(), kTerms);
    store->jobs().put_drain(std::nullopt);
    ASSERT_TRUE(store->commit());
  }
  EXPECT_FALSE(open()->drain().value());
}

}  // namespace
}  // namespace dunlin::node
