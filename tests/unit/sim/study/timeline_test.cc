// SPDX-License-Identifier: MIT
#include "sim/study/timeline.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sim/scenario/scenario.h"
#include "sim/study/read_plan.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class TimelineTest : public ::testing::Test {
 protected:
  TimelineTest() {
    study.file = "x.toml";
    study.folder =
        (std::filesystem::temp_directory_path() / ("dunlin-timeline-" + std::to_string(getpid())))
            .string();
    study.plan.axes = {{"share", {"0.5", "0.9"}}};
    study.plan.replications = 2;
    study.plan.since = 10s;
    std::filesystem::create_directories(study.folder + "/trials");
  }
  ~TimelineTest() override { std::filesystem::remove_all(study.folder); }

  Study study;
};

TEST_F(TimelineTest, AveragesEachMomentFromTheOneNamedOn) {
  const auto trials = trials_of(study);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    std::ofstream(trials[i].output)
        << "{\"health\": [{\"at_ms\": 5000, \"dead_links\": 9}, {\"at_ms\": 10000, "
           "\"dead_links\": "
        << i << "}, {\"at_ms\": 12000, \"dead_links\": 0.5}]}";
  }
  const auto timeline = timeline_of(study, trials, "dead_links");
  ASSERT_TRUE(timeline) << timeline.error().text;
  ASSERT_EQ(timeline->lines.size(), 2u);
  ASSERT_EQ(timeline->lines[1].size(), 2u);
  EXPECT_DOUBLE_EQ(timeline->lines[1][0].at_s, 0);
  EXPECT_DOUBLE_EQ(timeline->lines[1][0].value.mean, 2.5);
  EXPECT_DOUBLE_EQ(timeline->lines[1][1].at_s, 2);
  EXPECT_THAT(timeline->table(), HasSubstr("s  share=0.5"));
  EXPECT_THAT(timeline->table(), HasSubstr("\n2  "));
  EXPECT_THAT(timeline->csv(), HasSubstr("\"share=0.9\",2,0.5,0,2\n"));
}

TEST_F(TimelineTest, SaysSoIfNobodyLooked) {
  const auto trials = trials_of(study);
  for (const Trial& trial : trials) std::ofstream(trial.output) << "{\"health\": []}";
  EXPECT_THAT(timeline_of(study, trials, "dead_links").error().text,
      HasSubstr("set measures.health_period"));
}

TEST_F(TimelineTest, OfAClassTellsWhatItShouldHaveHad) {
  const auto trials = trials_of(study);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    std::ofstream(trials[i].output) << "{\"health\": [{\"at_ms\": 10000, \"shares\": {\"web\": 0."
                                    << i + 1 << "}, \"desired\": {\"web\": 0.5}}]}";
  }
  const auto timeline = timeline_of(study, trials, "share.web");
  ASSERT_TRUE(timeline) << timeline.error().text;
  EXPECT_DOUBLE_EQ(timeline->lines[1][0].value.mean, 0.35);
  ASSERT_EQ(timeline->desired.size(), 1u);
  EXPECT_DOUBLE_EQ(timeline->desired[0].value.mean, 0.5);
  EXPECT_THAT(meaning_of_timeline("share.web"), HasSubstr("share of web"));
  EXPECT_THAT(timeline_of(study, trials, "share.wob").error().text, HasSubstr("no such class"));
}

TEST(Plan, ReadsTimelinesAndReferences) {
  const auto plan = parse_plan(
      "[sweep]\ntimelines = [\"dead_links\", \"unreachable\"]\nsince = \"1m\"\n"
      "references = [\"dead_links 22 0.01 80 % killed\"]\n",
      "x");
  ASSERT_TRUE(plan) << plan.error().text;
  EXPECT_EQ(plan->timelines.size(), 2u);
  EXPECT_EQ(plan->since, 60s);
  EXPECT_EQ(plan->references.front(),
      (Reference{.measure = "dead_links", .x = 22, .y = 0.01, .label = "80 % killed"}));
  const auto error = [](std::string_view text) { return parse_plan(text, "x").error().text; };
  EXPECT_THAT(error("[sweep]\ntimelines = [\"dead\"]\n"), HasSubstr("x:2:14: timeline 'dead'"));
  EXPECT_THAT(error("[sweep]\nreferences = [\"x 1\"]\n"), HasSubstr("expected: measure x y"));
  const auto level =
      parse_plan("[sweep]\ntimelines = [\"share.web\"]\nreferences = [\"x * 5 goal\"]\n", "x");
  ASSERT_TRUE(level) << level.error().text;
  EXPECT_EQ(level->references.front(),
      (Reference{.measure = "x", .x = std::nullopt, .y = 5, .label = "goal"}));
  EXPECT_THAT(error("[sweep]\nreferences = [\"x y 5 goal\"]\n"), HasSubstr("x may be *"));
  EXPECT_THAT(error("[sweep]\nsince = 5\n"), HasSubstr("x:2:9: since"));
}

}  // namespace
}  // namespace dunlin::sim
