// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/plan_table.h"

#include <gmock/gmock.h>
#include <iterator>
#include <set>

#include "sched/plan/planner.h"

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;

Json plan() {
  Json cell = {{"cell", "02ab"}, {"manager_name", "n1"}, {"number", 7}, {"age_ns", 2'000'000'000},
      {"cause", "off_course"}, {"slots", 40}, {"moved", 3}, {"job_count", 3},
      {"jobs",
          {{{"node", "n2"}, {"number", 5}, {"slots", 8}, {"need", 6},
               {"slack_ns", -90'000'000'000}},
              {{"node", "n3"}, {"number", 1}, {"slots", 32}, {"need", 1}, {"slack_ns", nullptr}}}}};
  return {{"version", 4}, {"policy", "assured"}, {"spare", "deadline"}, {"cells", {cell}},
      {"silent", Json::array()}};
}

TEST(PlanTable, TellsWhenAndWhyItWasMadeAndWhatEachJobHas) {
  const std::string text = plan_text(plan(), Terminal{});
  EXPECT_THAT(text, HasSubstr("policy assured, spare slots by deadline, version 4\n"));
  EXPECT_THAT(text,
      HasSubstr(
          "cell 02ab, manager n1: plan 7, made 2.0 s ago because a job was off its course; it "
          "gives 40 slots, 3 of them to another job than before\n"));
  EXPECT_THAT(text, HasSubstr("n2.5"));
  EXPECT_THAT(text, HasSubstr("1m30s late"));
  EXPECT_THAT(text, HasSubstr("and 1 more job\n"));
}

// "made 4.01 s ago since jobs changed" was read as a time since which they had changed.
TEST(PlanTable, EachCauseIsSaidInPlainWords) {
  Json made = plan();
  const auto why = [&](const std::string& cause) {
    made["cells"][0]["cause"] = cause;
    const std::string text = plan_text(made, Terminal{});
    const auto from = text.find("ago because ") + 12;
    return text.substr(from, text.find("; it gives") - from);
  };
  std::set<std::string> said;
  for (const std::string_view cause : sched::kPlanCauseWords) said.insert(why(std::string(cause)));
  EXPECT_EQ(said.size(), std::size(sched::kPlanCauseWords)) << "each has words of its own";
  EXPECT_EQ(why("jobs"), "jobs changed");
  EXPECT_EQ(why("workers"), "nodes changed");
  EXPECT_EQ(why("rule"), "another rule was set");
}

TEST(PlanTable, WithoutARuleItSaysHowToSetOne) {
  Json off = plan();
  off["policy"] = "off";
  EXPECT_THAT(plan_text(off, Terminal{}), HasSubstr("dunlin plan set assured"));
  EXPECT_EQ(plan_title(off), "no plan, version 4");
}

TEST(PlanTable, SaysIfNobodyHasPlannedOrACellIsSilent) {
  Json none = plan();
  none["cells"] = Json::array();
  none["silent"] = {{{"cell", "02ac"}}};
  const std::string text = plan_text(none, Terminal{});
  EXPECT_THAT(text, HasSubstr("no manager has planned yet\n"));
  EXPECT_THAT(text, HasSubstr("1 cell does not answer\n"));
}

}  // namespace
}  // namespace dunlin::cli
