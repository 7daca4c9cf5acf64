// SPDX-License-Identifier: MIT
#include "web/access/codes.h"

#include <gtest/gtest.h>

namespace dunlin::web {
namespace {

TEST(Codes, CountOnceAndForTheirUser) {
  Codes codes;
  const auto code = codes.issue("anna", 1'000);
  const auto other = codes.issue("bert", 1'000);
  ASSERT_TRUE(code && other);
  EXPECT_EQ(code->size(), 32u);
  EXPECT_NE(*code, *other);
  EXPECT_EQ(codes.redeem(*code, 1'059), "anna");
  EXPECT_FALSE(codes.redeem(*code, 1'059));
  EXPECT_EQ(codes.redeem(*other, 1'059), "bert");
}

TEST(Codes, CountForAMinuteAndNoMore) {
  Codes codes;
  const auto code = codes.issue("anna", 1'000);
  EXPECT_FALSE(codes.redeem(*code, 1'060));
  const auto later = codes.issue("anna", 2'000);
  EXPECT_FALSE(codes.redeem(*later, 1'990)) << "the clock was set back";
  EXPECT_FALSE(codes.redeem("", 2'000));
}

TEST(Codes, OfAUserWhoHasTooManyTheOldestGoes) {
  Codes codes({.of_one_user = 2, .in_all = 3});
  const auto first = codes.issue("anna", 1);
  const auto second = codes.issue("anna", 2);
  const auto third = codes.issue("anna", 3);
  EXPECT_FALSE(codes.redeem(*first, 3));
  EXPECT_TRUE(codes.issue("bert", 3));
  EXPECT_FALSE(codes.issue("carl", 3)) << "there are three in all";
  EXPECT_TRUE(codes.redeem(*second, 3));
  EXPECT_TRUE(codes.redeem(*third, 3));
}

TEST(FailedLogins, BlockAnAddressForTheRestOfAMinute) {
  FailedLogins failed;
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(failed.blocked("a", 100));
    failed.failed("a", 100);
  }
  EXPECT_TRUE(failed.blocked("a", 159));
  EXPECT_FALSE(failed.blocked("b", 159));
  EXPECT_FALSE(failed.blocked("a", 160));
  failed.failed("a", 160);
  EXPECT_FALSE(failed.blocked("a", 161));
}

}  // namespace
}  // namespace dunlin::web
