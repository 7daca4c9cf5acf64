// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/times/past_moment.h"

#include <gtest/gtest.h>

namespace dunlin::cli {
namespace {

using namespace std::chrono_literals;

/// 2026-11-28T12:00:00Z.
const WallTime kNoon{std::chrono::seconds(1'795'867'200)};

TEST(PastMoment, IsATimeAgoOrADate) {
  EXPECT_EQ(parse_past_moment("7d", kNoon), kNoon - 7 * 24h);
  EXPECT_EQ(parse_past_moment("90s", kNoon), kNoon - 90s);
  EXPECT_EQ(parse_past_moment("2026-11-28T09:00Z", kNoon), kNoon - 3h);
  const auto day = parse_past_moment("2026-11-21", kNoon);
  ASSERT_TRUE(day) << day.error().text;
  EXPECT_EQ(*day, *parse_past_moment("2026-11-21T00:00", kNoon));
}

TEST(PastMoment, RefusesTheFutureAndWhatIsNone) {
  for (const char* const wrong : {"2026-11-28T12:01Z", "soon", "", "7", "2026-13-01", "-1d"}) {
    const auto moment = parse_past_moment(wrong, kNoon);
    ASSERT_FALSE(moment) << wrong;
    EXPECT_EQ(moment.error().kind, ErrorKind::usage) << wrong;
  }
}

}  // namespace
}  // namespace dunlin::cli
