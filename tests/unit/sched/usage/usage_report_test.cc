// SPDX-License-Identifier: MIT
#include "sched/usage/usage_report.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

UsagePart part(std::uint64_t log, std::uint32_t epoch, const char* line, std::int64_t tasks) {
  return {.log = log, .epoch = epoch, .lines = {{line, {.tasks = tasks}}}};
}

TEST(UsageReport, NodesAddUp) {
  UsageReport report;
  report.add(part(0, 0, "anna", 2));
  report.add(part(0, 0, "anna", 3));
  report.add(part(0, 0, "bob", 4));
  report.add(part(5, 1, "bob", 10));
  const auto lines = report.lines();
  EXPECT_EQ(lines.at("anna").tasks, 5);
  EXPECT_EQ(lines.at("bob").tasks, 14);
}

TEST(UsageReport, OfALogTheLastHomeCounts) {
  const UsagePart before = part(5, 1, "anna", 7);
  const UsagePart after = part(5, 2, "anna", 9);
  for (const bool old_first : {true, false}) {
    UsageReport report;
    report.add(old_first ? before : after);
    report.add(old_first ? after : before);
    EXPECT_EQ(report.lines().at("anna").tasks, 9) << old_first;
  }
}

TEST(UsageReport, OfEqualEpochsTheFullerCounts) {
  UsageReport report;
  report.add(part(5, 1, "anna", 7));
  report.add(part(5, 1, "anna", 9));
  report.add(part(5, 1, "anna", 8));
  EXPECT_EQ(report.lines().at("anna").tasks, 9);
}

TEST(UsageReport, LinesHaveABound) {
  UsageReport report;
  UsagePart many{.log = 0, .epoch = 0, .lines = {}};
  for (std::size_t i = 0; i < UsageReport::kLinesMax + 10; ++i) {
    many.lines["user " + std::to_string(i)].tasks = 1;
  }
  report.add(many);
  const auto lines = report.lines();
  EXPECT_LE(lines.size(), UsageReport::kLinesMax + 1);
  UsageSums all;
  for (const auto& [line, sums] : lines) add(all, sums);
  EXPECT_EQ(all.tasks, static_cast<std::int64_t>(UsageReport::kLinesMax) + 10) << "nothing is lost";
}

TEST(UsageReport, RowsBecomeLines) {
  const UsageRow row{
      .key = {.hour = 24 * 20'785 + 5, .home = {0xabc}, .user = "anna", .service_class = "gold"},
      .sums = {.tasks = 1}};
  EXPECT_EQ(usage_line(UsageBy::user, row.key), "anna");
  EXPECT_EQ(usage_line(UsageBy::service_class, row.key), "gold");
  EXPECT_EQ(usage_line(UsageBy::day, row.key), "2026-11-28");
  EXPECT_EQ(usage_line(UsageBy::node, row.key), "0000000000000abc");
  EXPECT_EQ(day_text(0), "1970-01-01");
  EXPECT_EQ(day_text(-5), "1970-01-01");
  UsageParts parts(UsageBy::user);
  parts.add(0, 0, row);
  parts.add(9, 3, row);
  parts.add(9, 3, row);
  const auto told = parts.take();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].log, 0u);
  EXPECT_EQ(told[1], part(9, 3, "anna", 2));
}

TEST(UsageReport, WordsOfWhatLinesAreOf) {
  for (std::size_t i = 0; i < std::size(kUsageByWords); ++i) {
    EXPECT_EQ(usage_by_of(kUsageByWords[i]), static_cast<UsageBy>(i));
  }
  EXPECT_FALSE(usage_by_of("host"));
}

}  // namespace
}  // namespace dunlin::sched
