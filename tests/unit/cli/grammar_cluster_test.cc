// SPDX-License-Identifier: MIT
#include <cstdio>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/line.h"

// Commands about the cluster as a whole: what it is asked, and what an operator does to it.
namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;

TEST(Grammar, SharingIsSeen) {
  EXPECT_EQ(Line({"masters", "--json"}).problem(), "");
  EXPECT_TRUE(Line({"cells", "--members"})->cells.members);
  EXPECT_TRUE(Line({"status", "--users"})->status_users);
  const Line lost({"cells", "write-off", "00000000000000ab", "--yes"});
  EXPECT_EQ(lost.problem(), "");
  EXPECT_EQ(lost->write_off.cell, "00000000000000ab");
  EXPECT_TRUE(lost->write_off.yes);
  EXPECT_NE(Line({"cells", "write-off"}).problem(), "");
  EXPECT_EQ(Line({"shares", "--cell", "0a"})->shares_cell, "0a");
  EXPECT_EQ(Line({"audit", "--timeout", "3s"})->audit_timeout, "3s");
}

TEST(Grammar, UsageIsOfAWeekByUser) {
  EXPECT_EQ(Line({"usage"})->usage.since, "7d");
  EXPECT_EQ(Line({"usage"})->usage.by, "user");
  const Line line({"usage", "--since", "all", "--by", "day", "--user", "anna", "--csv"});
  EXPECT_EQ(line.problem(), "");
  EXPECT_EQ(line->usage.since, "all");
  EXPECT_EQ(line->usage.by, "day");
  EXPECT_EQ(line->usage.user, "anna");
  EXPECT_TRUE(line->usage.csv);
  EXPECT_NE(Line({"usage", "--by", "week"}).problem(), "");
  EXPECT_NE(Line({"usage", "--limit", "0"}).problem(), "");
}

TEST(Grammar, ANodeTakesAJobOver) {
  const Line sure({"node", "take-over", "n1.5", "--yes"});
  EXPECT_EQ(sure.problem(), "");
  EXPECT_EQ(sure->take_over.job, "n1.5");
  EXPECT_TRUE(sure->take_over.yes);
  EXPECT_NE(Line({"node", "take-over"}).problem(), "");
  ASSERT_NE(std::freopen("/dev/null", "r", stdin), nullptr);
  const Line unsure({"node", "take-over", "n1.5"});
  ASSERT_TRUE(unsure->action);
  const auto done = unsure->action();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().text, HasSubstr("no terminal to ask; give --yes"));
}

TEST(Grammar, TheInnerCommandIsMeant) {
  ASSERT_NE(std::freopen("/dev/null", "r", stdin), nullptr);
  const Line lost({"cells", "write-off", "00000000000000ab"});
  ASSERT_TRUE(lost->action);
  const auto done = lost->action();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().text, HasSubstr("no terminal to ask; give --yes"));
}

}  // namespace
}  // namespace dunlin::cli
