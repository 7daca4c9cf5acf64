// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/timeline_view.h"

#include <gmock/gmock.h>
#include <sstream>

#include "config/text.h"

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kSubmitted = 1'800'000'000'000'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;

Json bar(int attempt, std::int64_t begun, const Json& ended, const std::string& how) {
  return {{"attempt", attempt}, {"worker_name", "wren"}, {"started_at_ns", kSubmitted + begun},
      {"ended_at_ns", ended}, {"how", how}};
}

/// A job of one group, in 70 bins of a second: a column each where a terminal has 100.
Json job_of_a_minute() {
  Json zeros = Json::array();
  for (int i = 0; i < 70; ++i) zeros.push_back(0);
  Json bins = {
      {"started", zeros}, {"done", zeros}, {"failed", zeros}, {"stopped", zeros}, {"lost", zeros}};
  bins["started"][10] = 2;
  bins["failed"][20] = 1;
  bins["started"][30] = 1;
  bins["done"][40] = 2;
  return {{"known_as", "merlin.12"}, {"name", "train"}, {"state", "done"}, {"count", 2},
      {"submitted_at_ns", kSubmitted}, {"now_at_ns", kSubmitted + 70 * kSecond}, {"finished", true},
      {"bin_ns", kSecond}, {"bins", 70}, {"untimed", 0},
      {"groups",
          {{{"name", "map"}, {"count", 2}, {"running", 0}, {"started_at_ns", kSubmitted},
              {"ended_at_ns", nullptr}, {"bins", bins}}}},
      {"tasks",
          {{{"index", 0}, {"state", "done"},
               {"attempts",
                   {bar(1, 10 * kSecond, kSubmitted + 20 * kSecond, "exited"),
                       bar(2, 30 * kSecond, kSubmitted + 40 * kSecond, "done")}}},
              {{"index", 1}, {"state", "done"},
                  {"attempts", {bar(1, 10 * kSecond, kSubmitted + 40 * kSecond, "done")}}}}}};
}

std::vector<std::string> rows_of(const std::string& text) {
  std::vector<std::string> rows;
  std::istringstream in(text);
  for (std::string row; std::getline(in, row);) rows.push_back(row);
  return rows;
}

TEST(TimelineView, ATaskIsABarFromItsStartToItsEnd) {
  const auto rows = rows_of(timeline_bars(job_of_a_minute(), {.columns = 100}));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0], "job merlin.12 \"train\": done; 2 tasks, submitted 2027-01-15T08:00:00Z");
  EXPECT_THAT(rows[1], HasSubstr("each column is 1"));
  const std::string label(16 - 8, ' ');
  EXPECT_EQ(rows[4],
      "  task 0" + label + std::string(10, '.') + std::string(10, '=') + "x" + std::string(9, '.') +
          std::string(10, '=') + "+  wren");
  EXPECT_EQ(rows[5], "  task 1" + label + std::string(10, '.') + std::string(30, '=') + "+  wren");
  EXPECT_THAT(rows[6], HasSubstr("x failed"));
}

TEST(TimelineView, AGroupIsAsHighAsWhatRan) {
  const auto rows = rows_of(timeline_bars(job_of_a_minute(), {.columns = 100}));
  const std::string label = "map" + std::string(13, ' ');
  ASSERT_EQ(rows[2].substr(0, 16), label);
  EXPECT_THAT(rows[2], HasSubstr(std::string(10, ' ') + "█████"));
  EXPECT_EQ(rows[2].substr(rows[2].size() - 2), " 2") << "two ran at the same time";
  EXPECT_EQ(rows[3], std::string(16 + 20, ' ') + "x") << "a failure is marked below";
}

TEST(TimelineView, OneThatRunsGoesOnUntilNowAndOneThatWaitsIsPoints) {
  Json job = job_of_a_minute();
  job["tasks"][0]["state"] = "running";
  job["tasks"][0]["attempts"] = Json::array({bar(1, 60 * kSecond, nullptr, "running")});
  job["tasks"][1]["state"] = "waiting";
  job["tasks"][1]["attempts"] = Json::array();
  const auto rows = rows_of(timeline_bars(job, {.columns = 100}));
  const std::string label(16 - 8, ' ');
  EXPECT_EQ(rows[4], "  task 0" + label + std::string(60, '.') + std::string(10, '=') + "  wren");
  EXPECT_EQ(rows[5], "  task 1" + label + std::string(70, '.'));
}

TEST(TimelineView, RowsAndColumnsAreBounded) {
  Json job = job_of_a_minute();
  job["name"] = std::string(120, 'n');
  job["groups"][0]["name"] = std::string(120, 'g');
  while (job["groups"].size() < 30) job["groups"].push_back(job["groups"][0]);
  while (job["tasks"].size() < 60) job["tasks"].push_back(job["tasks"][0]);
  for (const std::size_t columns : {std::size_t{0}, std::size_t{60}, std::size_t{300}}) {
    const std::string text = timeline_bars(job, {.columns = columns});
    EXPECT_THAT(text, HasSubstr("... and 10 more groups\n"));
    EXPECT_THAT(text, HasSubstr("... and 20 more tasks\n"));
    for (const std::string& row : rows_of(text)) {
      EXPECT_LE(config::columns_of(row), columns == 60 ? 60u : 100u) << row;
    }
  }
}

// A pipe gets words, and every attempt.
TEST(TimelineView, TextHasALineForEachAttempt) {
  const std::string text = timeline_text(job_of_a_minute());
  EXPECT_THAT(text, HasSubstr("map        2    0        3     2       1        0     0"));
  EXPECT_THAT(text,
      HasSubstr("task 0, attempt 1 on wren: from 2027-01-15T08:00:10Z to 2027-01-15T08:00:20Z "
                "exited after 10"));
  EXPECT_THAT(text, HasSubstr("task 0, attempt 2 on wren: "));
  EXPECT_THAT(text, Not(HasSubstr("█")));
  Json waits = job_of_a_minute();
  waits["tasks"][1]["attempts"] = Json::array();
  waits["tasks"][1]["state"] = "waiting";
  EXPECT_THAT(timeline_text(waits), HasSubstr("task 1: waiting\n"));
}

TEST(TimelineView, AnAnswerThatMakesNoSenseIsShownAsNothing) {
  EXPECT_EQ(timeline_bars(Json::object(), {}).substr(0, 3), "job");
  EXPECT_EQ(timeline_text(Json::array()).substr(0, 3), "job");
  Json odd = job_of_a_minute();
  odd["groups"][0]["bins"] = 7;
  odd["groups"][0]["name"] = "a\x1b[2J";
  odd["tasks"][0]["attempts"][0]["worker_name"] = "b\x1b[2J";
  EXPECT_EQ(timeline_bars(odd, {}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace dunlin::cli
