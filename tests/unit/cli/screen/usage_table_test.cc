// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/usage_table.h"

#include <gmock/gmock.h>
#include <sstream>

#include "config/text.h"
#include "tools/dunlin/screen/published.h"

namespace dunlin::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Json line(const char* name, std::int64_t hours) {
  return {{"line", name}, {"name", name}, {"jobs", 3}, {"tasks", 1200}, {"failed", 7},
      {"preempted", 2}, {"lost", 1}, {"cpu_used_ms", hours * 1'800'000},
      {"cpu_held_ms", hours * 3'600'000}, {"cpu_wasted_ms", 9'000},
      {"memory_held_mib_s", hours * 512 * 3600}, {"gpu_held_ms", 0}};
}

Json usage(std::vector<Json> lines, std::size_t matching) {
  return {{"by", "user"}, {"since_at_ns", 1'795'000'000'000'000'000},
      {"until_at_ns", 1'795'003'600'000'000'000}, {"usage", std::move(lines)},
      {"matching", matching}, {"total", line("", 14)}, {"nodes", 3}, {"silent", Json::array()}};
}

std::string text_of(const Json& json, const ColumnChoice& columns = {}) {
  const auto text = usage_text(json, columns, Terminal{});
  EXPECT_TRUE(text) << text.error().text;
  return text.value_or("");
}

TEST(UsageTable, SaysWhatIsLeftOfAQuota) {
  Json told = usage({}, 0);
  EXPECT_EQ(quotas_text(told), "");
  told["quotas"] = {{{"of", "user"}, {"name", "alice"}, {"ceiling_ms", 3'600'000},
                        {"held_ms", 90'500}, {"renewed_at_ns", 1'795'003'600'000'000'000}},
      {{"of", "class"}, {"name", "gold"}, {"ceiling_ms", 1'000}, {"held_ms", 1'000},
          {"renewed_at_ns", 1'795'003'600'000'000'000}}};
  EXPECT_THAT(quotas_text(told),
      StartsWith("quota of user alice: 90 of 3600 CPU seconds held today at this agent\n"
                 "quota of class gold: 1 of 1 CPU seconds held today at this agent: no more jobs "
                 "are taken until 20"));
}

TEST(UsageTable, SaysHoursOfEachUserAndOfAll) {
  const std::string text = text_of(usage({line("anna", 12), line("bob", 2)}, 2));
  EXPECT_THAT(text, StartsWith("USER"));
  EXPECT_THAT(text, ContainsRegex("anna +3 +1200 +7 +1 +12.00 +6.00 +<0.01 +6.00 +0\n"));
  EXPECT_THAT(text, ContainsRegex("bob +3 +1200 +7 +1 +2.00"));
  EXPECT_THAT(text, ContainsRegex("all +3 +1200 +7 +1 +14.00"));
  EXPECT_THAT(text, HasSubstr("CPU hours"));
  std::istringstream lines(text);
  for (std::string each; std::getline(lines, each);) {
    EXPECT_LE(config::columns_of(each), 100u) << each;
  }
}

TEST(UsageTable, OneLineNeedsNoSum) {
  const std::string text = text_of(usage({line("anna", 12)}, 1));
  EXPECT_THAT(text, Not(ContainsRegex("\nall ")));
}

TEST(UsageTable, SaysWhatIsLeftOut) {
  EXPECT_THAT(text_of(usage({line("anna", 12)}, 40)), HasSubstr("39 lines more (--limit)"));
}

TEST(UsageTable, ColumnsCanBeChosen) {
  EXPECT_THAT(text_of(usage({line("anna", 12)}, 1), {.wide = true}), HasSubstr("PREEMPTED"));
  EXPECT_THAT(text_of(usage({line("anna", 12)}, 1)), Not(HasSubstr("PREEMPTED")));
  const auto wrong = usage_text(usage({}, 0), {.list = "nothing"}, Terminal{});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::usage);
}

TEST(UsageTable, NothingSaysWhatToDo) {
  const std::string text = text_of(usage({}, 0));
  EXPECT_THAT(text, StartsWith("nothing was used from 2026-"));
  EXPECT_THAT(text, HasSubstr("--since all"));
  EXPECT_THAT(text, Not(HasSubstr("WASTED")));
}

TEST(UsageTable, ANameOfAStrangerMovesNoCursor) {
  EXPECT_THAT(text_of(usage({line("an\x1b[2Jna", 12)}, 1)), Not(HasSubstr("\x1b")));
  EXPECT_THAT(text_of(usage({line("", 12)}, 1)), ContainsRegex("\n- +3"));
}

TEST(UsageTable, SurvivesAnyAnswer) {
  for (const char* const json : {"null", "{}", R"({"usage": 3})", R"({"usage": [null, 3, "x"]})"}) {
    EXPECT_NE(text_of(Json::parse(json)), "");
    EXPECT_THAT(usage_csv(Json::parse(json)), StartsWith("user,jobs,"));
  }
}

TEST(UsageTable, SpreadsheetsGetSecondsAndBytes) {
  Json one = line("a \"b\", c", 1);
  one["cpu_used_ms"] = 1'050;
  const std::string text = usage_csv(usage({one}, 1));
  EXPECT_EQ(text,
      "user,jobs,tasks,failed,preempted,lost,cpu_held_s,cpu_used_s,cpu_wasted_s,"
      "memory_held_byte_s,gpu_held_s\r\n"
      "\"a \"\"b\"\", c\",3,1200,7,2,1,3600.000,1.050,9.000,1932735283200,0.000\r\n");
  one["memory_held_mib_s"] = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(usage_csv(usage({one}, 1)), HasSubstr(",9223372036854775807,"));
}

TEST(UsageTable, IsPublishedInSecondsAndBytes) {
  const Json told = published(usage({line("anna", 1)}, 1))["usage"][0];
  EXPECT_EQ(told["cpu_held_s"], 3600.0);
  EXPECT_EQ(told["cpu_wasted_s"], 9.0);
  EXPECT_EQ(told["memory_held_byte_s"], 512.0 * 3600 * 1024 * 1024);
  EXPECT_FALSE(told.contains("cpu_held_ms"));
}

}  // namespace
}  // namespace dunlin::cli
