// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/times/deadline.h"

#include <cstdlib>
#include <ctime>
#include <gmock/gmock.h>

#include "tools/dunlin/jobs/job_flags.h"
#include "tools/dunlin/jobs/job_request.h"

namespace dunlin::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class Deadline : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TZ", "UTC-2", 1);  // Two hours before UTC.
    ::tzset();
  }
  void TearDown() override {
    ::unsetenv("TZ");
    ::tzset();
  }
  /// 2026-11-22 12:00 UTC, 14:00 here.
  const std::chrono::system_clock::time_point now_{std::chrono::seconds(1'795'348'800)};

  overlay::Duration left(const char* text) const {
    const auto parsed = parse_deadline(text, now_);
    EXPECT_TRUE(parsed) << parsed.error().text;
    return parsed.value_or(overlay::Duration{-1});
  }
  std::string problem(const char* text) const {
    const auto parsed = parse_deadline(text, now_);
    return parsed ? "none" : parsed.error().text;
  }
};

TEST_F(Deadline, IsATimeFromNowOn) {
  EXPECT_EQ(left("10m"), 10min);
  EXPECT_EQ(left("1h30m"), 90min);
  EXPECT_EQ(left("in 2h"), 2h);
}

TEST_F(Deadline, IsTheNextTimeOfTheLocalClock) {
  EXPECT_EQ(left("18:00"), 4h);
  EXPECT_EQ(left("14:00"), 24h) << "today's is not ahead";
  EXPECT_EQ(left("9:30"), 19h + 30min);
}

TEST_F(Deadline, IsADateLocalOrOfUtc) {
  EXPECT_EQ(left("2026-11-22T18:00Z"), 6h);
  EXPECT_EQ(left("2026-11-22T18:00"), 4h);
  EXPECT_EQ(left("2026-11-23T14:00:05"), 24h + 5s);
  EXPECT_EQ(left("2026-11-23T12:00:05Z"), 24h + 5s);
}

TEST_F(Deadline, IsADateWithAnOffset) {
  EXPECT_EQ(left("2026-11-22T18:00:00+01:00"), 5h);
  EXPECT_EQ(left("2026-11-22T18:00-05:30"), 11h + 30min);
  EXPECT_EQ(left("2026-11-22 18:00:00.5Z"), 6h);
  EXPECT_EQ(left("2026-11-22t18:00z"), 6h);
}

TEST_F(Deadline, IsATimeOfTodayOrTomorrow) {
  EXPECT_EQ(left("today 18:00"), 4h);
  EXPECT_EQ(left("tomorrow 8:00"), 18h);
  EXPECT_EQ(left("tomorrow 18:00:30"), 28h + 30s);
  EXPECT_THAT(problem("today 9:00"), HasSubstr("is past"));
}

TEST_F(Deadline, IsOnTheCalendarAndOnTheClock) {
  for (const char* const none : {"2027-02-29T10:00Z", "2027-04-31T10:00", "2026-13-01T10:00Z",
           "2026-12-00T10:00Z", "2026-11-22T23:59:60Z", "2026-11-22T24:00Z", "23:59:60", "24:00",
           "18:60", "2026-11-22T18:00+24:00", "2026-11-22T18:00+1:00", "2026-11-22T18:00+0100",
           "2026-11-22T8:00Z", "26-11-22T18:00Z", "2026-11-22", "tomorrow", "tomorrow 25:00",
           "in 18:00", "in"}) {
    EXPECT_THAT(problem(none), HasSubstr("is no deadline")) << none;
  }
  EXPECT_THAT(problem("2028-02-29T10:00Z"), "none");
}

TEST_F(Deadline, IsNoHourThatTheClockLeapsOver) {
  ::setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  ::tzset();
  EXPECT_THAT(problem("2027-03-28T02:30"), HasSubstr("is no deadline"));
  EXPECT_EQ(problem("2027-03-28T03:30"), "none");
}

TEST_F(Deadline, SaysWhatIsWrong) {
  EXPECT_THAT(problem("soon"), HasSubstr("write 10m, 18:00, 'tomorrow 8:00' or 2026-11-22T18:00"));
  EXPECT_THAT(problem(""), HasSubstr("is no deadline"));
  EXPECT_THAT(problem("25:00"), HasSubstr("is no deadline"));
  EXPECT_THAT(problem("18:00 sharp"), HasSubstr("is no deadline"));
  EXPECT_THAT(problem("2026-11-22T11:00Z"), HasSubstr("is past"));
  EXPECT_THAT(problem("0s"), HasSubstr("is past"));
  EXPECT_THAT(problem("2099-01-01T00:00Z"), HasSubstr("ten years"));
}

class PastDeadline : public ::testing::Test {
 protected:
  PastDeadline() { flags_.command = {"true"}; }

  Result<JobRequest> request(const char* deadline, const char* past_deadline) {
    flags_.deadline = deadline;
    flags_.past_deadline = past_deadline;
    return job_request(flags_, "/here");
  }

 private:
  JobFlags flags_;
};

TEST_F(PastDeadline, IsSaidOnlyIfTheUserSaysIt) {
  EXPECT_EQ(to_json(request("10m", "cancel").value()).at("past_deadline"), "cancel");
  EXPECT_FALSE(to_json(request("10m", "").value()).contains("past_deadline"));
}

TEST_F(PastDeadline, RefusesUnknownWordsAndJobsWithoutADeadline) {
  EXPECT_THAT(request("10m", "stop").error().text, HasSubstr("--past-deadline: 'stop'"));
  EXPECT_THAT(request("", "cancel").error().text, HasSubstr("no deadline"));
}

}  // namespace
}  // namespace dunlin::cli
