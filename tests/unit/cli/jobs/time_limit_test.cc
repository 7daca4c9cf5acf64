// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/time_limit.h"

#include <gtest/gtest.h>
#include <string>

namespace dunlin::cli {
namespace {

using namespace std::chrono_literals;

TEST(TimeLimit, UnitsAndClocks) {
  EXPECT_EQ(*parse_time_limit("90s"), 90s);
  EXPECT_EQ(*parse_time_limit("1h30m"), 90min);
  EXPECT_EQ(*parse_time_limit("01:30:00"), 90min);
  EXPECT_EQ(*parse_time_limit("0:00:05"), 5s);
  EXPECT_EQ(*parse_time_limit("48:00:00"), 48h);
}

TEST(TimeLimit, RefusesWhatCouldMeanTwoThings) {
  for (const std::string text : {"", "90", "1:30", "1:60:00", "1:00:60", "-1s", "0s", "00:00:00",
           "1:2:3:4", "a:b:c", "99999:00:00", "1h 30m x"}) {
    EXPECT_FALSE(parse_time_limit(text)) << text;
  }
}

}  // namespace
}  // namespace dunlin::cli
