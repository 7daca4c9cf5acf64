// SPDX-License-Identifier: MIT
#include "web/access/logins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dunlin::web {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kHourS = 3'600;
constexpr std::int64_t kDayS = 24 * kHourS;

TEST(Logins, ASessionEndsIfItIsNotUsedAndAfterAWeek) {
  Logins logins;
  const std::string secret = logins.open_session("anna", 0);
  EXPECT_EQ(logins.of_session(secret, 11 * kHourS)->user, "anna");
  EXPECT_TRUE(logins.of_session(secret, 22 * kHourS)) << "it was used 11 h ago";
  EXPECT_FALSE(logins.of_session(secret, 34 * kHourS));
  const std::string busy = logins.open_session("anna", 0);
  for (std::int64_t at = 0; at < 7 * kDayS; at += 6 * kHourS) {
    ASSERT_TRUE(logins.of_session(busy, at)) << at;
  }
  EXPECT_FALSE(logins.of_session(busy, 7 * kDayS));
}

TEST(Logins, ALookIsNoUse) {
  Logins logins;
  const std::string secret = logins.open_session("anna", 0);
  EXPECT_TRUE(logins.is_open(secret, 11 * kHourS));
  EXPECT_FALSE(logins.is_open(secret, 12 * kHourS));
  EXPECT_FALSE(logins.is_open("nothing", 0));
}

TEST(Logins, AClosedSessionIsNone) {
  Logins logins;
  const std::string secret = logins.open_session("anna", 0);
  logins.close_session(secret);
  EXPECT_FALSE(logins.of_session(secret, 1));
}

TEST(Logins, TheSessionThatWasUsedLeastRecentlyMakesRoom) {
  Logins logins({.of_one_user = 2});
  const std::string first = logins.open_session("anna", 1);
  const std::string second = logins.open_session("anna", 2);
  EXPECT_TRUE(logins.of_session(first, 3));
  const std::string third = logins.open_session("anna", 4);
  EXPECT_TRUE(logins.of_session(first, 5));
  EXPECT_FALSE(logins.of_session(second, 5));
  EXPECT_TRUE(logins.of_session(third, 5));
}

TEST(Logins, ATokenHasTermsAndCanBeTakenBack) {
  Logins logins;
  const auto secret =
      logins.make_token("anna", {.note = "for\nCI", .read_only = true, .expires_s = 100}, 10);
  ASSERT_TRUE(secret);
  const auto caller = logins.of_token(*secret, 99);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->user, "anna");
  EXPECT_TRUE(caller->by_token);
  EXPECT_TRUE(caller->read_only);
  EXPECT_FALSE(logins.of_token(*secret, 100));
  const auto other = logins.make_token("anna", {}, 10);
  ASSERT_EQ(logins.tokens_of("anna", 20).size(), 2u);
  EXPECT_TRUE(logins.tokens_of("bert", 20).empty());
  const std::string id = logins.tokens_of("anna", 20)[0].id;
  EXPECT_FALSE(logins.revoke("bert", id));
  EXPECT_TRUE(logins.revoke("anna", id));
  EXPECT_FALSE(logins.revoke("anna", id));
  EXPECT_EQ(logins.tokens_of("anna", 20).size(), 1u);
  // A session's secret is no token, and the other way round.
  EXPECT_FALSE(logins.of_session(*other, 20));
  EXPECT_FALSE(logins.of_token(logins.open_session("anna", 20), 20));
}

TEST(Logins, TooManyTokensAreRefused) {
  Logins logins({.of_one_user = 1});
  EXPECT_TRUE(logins.make_token("anna", {.expires_s = 50}, 10));
  EXPECT_FALSE(logins.make_token("anna", {}, 20));
  EXPECT_TRUE(logins.make_token("anna", {}, 50)) << "the first has expired";
}

TEST(Logins, OutliveTheProcessWithoutTheirSecrets) {
  Logins before;
  const std::string session = before.open_session("anna", 10);
  const auto token = before.make_token("bert", {.note = "a note", .expires_s = 1'000}, 10);
  const std::string text = before.text();
  EXPECT_THAT(text, Not(HasSubstr(session)));
  EXPECT_THAT(text, Not(HasSubstr(*token)));
  Logins after;
  after.restore(text + "session\tshort\tanna\t1\t1\nnonsense\n\ntoken\t\t\t\t\n");
  EXPECT_EQ(after.text(), text);
  EXPECT_EQ(after.of_session(session, 20)->user, "anna");
  EXPECT_EQ(after.of_token(*token, 20)->user, "bert");
  EXPECT_EQ(after.tokens_of("bert", 20)[0].note, "a note");
  EXPECT_FALSE(after.of_token(*token, 1'000));
}

TEST(Logins, SayWhenTheyAreToBeWritten) {
  Logins logins;
  const std::string secret = logins.open_session("anna", 0);
  const auto opened = logins.changes();
  EXPECT_TRUE(logins.of_session(secret, 5));
  EXPECT_EQ(logins.changes(), opened) << "each use would be a write";
  EXPECT_TRUE(logins.of_session(secret, kHourS));
  EXPECT_GT(logins.changes(), opened);
}

}  // namespace
}  // namespace dunlin::web
