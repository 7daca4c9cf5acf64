// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/times/time_limit.h"

#include <gtest/gtest.h>
#include <string>

#include "node/message.h"
#include "sched/replica/record.h"

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

// The agent refused them in nanoseconds, after a dry run that had found nothing.
TEST(TimeLimit, TermsHaveTheirOwnBoundsInWordsOfTheirUsers) {
  using Group = sched::replica::PutGroup::Terms;
  EXPECT_EQ(*parse_term_time("49d", Group::time_limit), 24h * 49);
  EXPECT_EQ(parse_term_time("49d1s", Group::time_limit).error().text, "must be at most 49d");
  EXPECT_EQ(*parse_term_time("400d", Group::duration), 24h * 400);
  EXPECT_EQ(parse_term_time("4000d", Group::duration).error().text, "must be at most 3650d");
  EXPECT_EQ(parse_term_time("25:00:00", node::TaskSpec::Terms::checkpoint_time).error().text,
      "must be at most 1d");
  EXPECT_FALSE(parse_term_time("0s", Group::duration));
}

}  // namespace
}  // namespace dunlin::cli
