// SPDX-License-Identifier: MIT
#include "sched/cell/class_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

using ::testing::HasSubstr;

books::Classes table(std::uint64_t version, Tickets a, Tickets b) {
  return {.version = version,
      .classes = {
          {.class_id = 1, .name = "a", .share = a}, {.class_id = 2, .name = "b", .share = b}}};
}

TEST(ClassTable, TheHighestVersionWins) {
  ClassTable known;
  EXPECT_EQ(known.version(), 0u);
  EXPECT_TRUE(known.adopt(table(5, 1, 1)));
  EXPECT_FALSE(known.adopt(table(5, 9, 9)));
  EXPECT_FALSE(known.adopt(table(4, 9, 9)));
  EXPECT_TRUE(known.adopt(table(6, 2, 1)));
  EXPECT_EQ(known.classes(), table(6, 2, 1));
}

TEST(ClassTable, ATableThatMakesNoSenseIsNotTaken) {
  ClassTable known;
  EXPECT_FALSE(known.adopt(table(5, 0, 0)));
  const auto senseless = known.may_follow(table(5, -1, 1));
  ASSERT_FALSE(senseless);
  EXPECT_EQ(senseless.error().kind, ErrorKind::usage);
}

TEST(ClassTable, AnOperatorIsToldOfANewerTable) {
  ClassTable known;
  known.adopt(table(5, 1, 1));
  EXPECT_TRUE(known.may_follow(table(6, 1, 1)));
  const auto old = known.may_follow(table(5, 1, 1));
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().kind, ErrorKind::conflict);
  EXPECT_THAT(old.error().text, HasSubstr("has version 5 already"));
}

TEST(ClassTable, SharesAddUpToTheNode) {
  ClassTable known;
  EXPECT_TRUE(known.shares(4000).empty());
  known.adopt(table(5, 2, 1));
  EXPECT_EQ(known.shares(4000), (ClassTickets{{1, 2667}, {2, 1333}}));
  EXPECT_EQ(known.weights(4000, {}), known.shares(4000));
}

// Beside 4,000 tickets of the other, 1,333 are a quarter of the whole.
TEST(ClassTable, AnIdleClassMayHaveItsShareAtOnce) {
  ClassTable known;
  known.adopt(table(5, 1, 3));
  const std::vector<cell::Grant> all_to_one = {{.class_id = 2, .tickets = 4000}};
  EXPECT_EQ(known.weights(4000, all_to_one), (ClassTickets{{1, 1333}, {2, 4000}}));
  const std::vector<cell::Grant> next_to_nothing = {
      {.class_id = 1, .tickets = 39}, {.class_id = 2, .tickets = 3961}};
  EXPECT_EQ(known.weights(4000, next_to_nothing), (ClassTickets{{1, 1333}, {2, 3961}}));
  const std::vector<cell::Grant> refused = {
      {.class_id = 1, .tickets = 0}, {.class_id = 2, .tickets = 4000}};
  EXPECT_EQ(known.weights(4000, refused), (ClassTickets{{1, 0}, {2, 4000}}));
  const std::vector<cell::Grant> enough = {
      {.class_id = 1, .tickets = 40}, {.class_id = 2, .tickets = 3960}};
  EXPECT_EQ(known.weights(4000, enough), (ClassTickets{{1, 40}, {2, 3960}}));
}

}  // namespace
}  // namespace dunlin::sched
