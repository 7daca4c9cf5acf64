// SPDX-License-Identifier: MIT
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

#include "sim/scenario/scenario.h"
#include "sim/study/plan.h"
#include "sim/study/read_plan.h"
#include "sim/study/statistics.h"
#include "sim/study/summary.h"
#include "sim/study/trials.h"

namespace dunlin::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Estimate, IsTheMeanWithStudentsInterval) {
  const double values[] = {4, 8, 6};
  const Estimate estimate = estimate_of(values);
  EXPECT_DOUBLE_EQ(estimate.mean, 6);
  EXPECT_NEAR(estimate.half_width, 4.3027 * 2 / std::sqrt(3.0), 1e-4);
  EXPECT_EQ(estimate_of(std::span(values, 1)).half_width, 0);
  EXPECT_EQ(estimate_of(std::span<const double>{}).count, 0u);
}

// Against the tables of Student's distribution.
TEST(Estimate, StudentsQuantiles) {
  EXPECT_NEAR(student_95(1), 12.706, 1e-3);
  EXPECT_NEAR(student_95(10), 2.228, 1e-3);
  EXPECT_NEAR(student_95(30), 2.042, 1e-3);
  EXPECT_NEAR(student_95(40), 2.021, 1e-3);
  EXPECT_NEAR(student_95(120), 1.980, 1e-3);
  EXPECT_NEAR(student_95(1'000'000), 1.960, 1e-3);
}

TEST(Axis, ReadsValuesOrSaysWhatIsWrong) {
  const auto axis = parse_axis("workload.load=0.5,0.9");
  ASSERT_TRUE(axis);
  EXPECT_EQ(axis->key, "workload.load");
  EXPECT_THAT(axis->values, ElementsAre("0.5", "0.9"));
  EXPECT_THAT(parse_axis("load").error().text, HasSubstr("expected key=a,b,c"));
  EXPECT_THAT(parse_axis("load=1,,2").error().text, HasSubstr("an empty value"));
  EXPECT_THAT(parse_axis("load=").error().text, HasSubstr("an empty value"));
  EXPECT_THAT(parse_axis("load=1,1").error().text, HasSubstr("'1' stands there twice"));
}

TEST(Axis, CombinationsVaryTheLastFastest) {
  const auto all = combinations_of({{"a", {"1", "2"}}, {"b", {"x", "y"}}});
  EXPECT_THAT(all,
      ElementsAre(ElementsAre("a=1", "b=x"), ElementsAre("a=1", "b=y"), ElementsAre("a=2", "b=x"),
          ElementsAre("a=2", "b=y")));
  EXPECT_EQ(combinations_of({}).size(), 1u);
}

TEST(Design, AStarVariesOneAxisAtATimeForEachValueOfTheFirst) {
  const StudyPlan plan{.axes = {{"load", {"1", "2"}}, {"a", {"x", "y"}}, {"b", {"u", "v", "w"}}},
      .design = Design::star};
  const auto all = planned_combinations(plan);
  EXPECT_EQ(all.size(), 2u * (1 + 1 + 2));
  EXPECT_THAT(all[0], ElementsAre("load=1", "a=x", "b=u"));
  EXPECT_THAT(all[1], ElementsAre("load=1", "a=x", "b=v"));
  EXPECT_THAT(all[3], ElementsAre("load=1", "a=y", "b=u"));
  EXPECT_EQ(line_name(plan, all[0]), "all at their first value");
  EXPECT_EQ(line_name(plan, all[1]), "b=v");
  EXPECT_EQ(line_name({.axes = plan.axes}, all[1]), "a=x, b=v");
  EXPECT_THAT(parse_design("grid").error().text, HasSubstr("expected one of: product, star"));
}

TEST(Plan, LeavesOutWhatDoesNotGoTogether) {
  const auto plan = parse_plan(
      "[sweep]\naxes = [\"a=1,2\", \"b=x,y\"]\nwithout = [\"a=2, b=y\"]\n"
      "with = [\"b=y, c=5, d=6\"]\n"
      "also = [\"utilisation\"]\n",
      "x");
  ASSERT_TRUE(plan) << plan.error().text;
  EXPECT_THAT(plan->also, ElementsAre("utilisation"));
  EXPECT_THAT(planned_combinations(*plan),
      ElementsAre(ElementsAre("a=1", "b=x"), ElementsAre("a=1", "b=y"), ElementsAre("a=2", "b=x")));
  EXPECT_THAT(parse_plan("[sweep]\nwithout = [\"a\"]\n", "x").error().text,
      HasSubstr("x:2:12: 'a': expected key=a"));
  EXPECT_THAT(
      parse_plan("[sweep]\naxes = [\"a=1,2\"]\nwithout = [\"a=2, b=y\"]\n", "x").error().text,
      HasSubstr("x:3:12: without: 'b' is no axis of this sweep"));
  EXPECT_THAT(parse_plan("[sweep]\naxes = [\"a=1,2\"]\nwith = [\"b=2, c=y\"]\n", "x").error().text,
      HasSubstr("x:3:9: with: 'b' is no axis of this sweep"));
  EXPECT_THAT(full_settings(*plan, {"a=1", "b=y"}), ElementsAre("a=1", "b=y", "c=5", "d=6"));
  EXPECT_THAT(full_settings(*plan, {"a=1", "b=x"}), ElementsAre("a=1", "b=x"));
}

TEST(Plan, CasesSetWhatWithSays) {
  const std::string axes = "[sweep]\naxes = [\"jobs=small,large\", \"a=1,2\", \"b=x\"]\n";
  const auto read = parse_plan(
      axes + "cases = \"jobs\"\nwith = [\"jobs=small\", \"jobs=large, c=5, d=6\"]\n", "x");
  ASSERT_TRUE(read) << read.error().text;
  const StudyPlan& plan = *read;
  EXPECT_THAT(full_settings(plan, {"jobs=small", "a=1", "b=x"}), ElementsAre("a=1", "b=x"));
  EXPECT_THAT(
      full_settings(plan, {"jobs=large", "a=2", "b=x"}), ElementsAre("a=2", "b=x", "c=5", "d=6"));
  EXPECT_EQ(line_name(plan, {"jobs=large", "a=2", "b=x"}), "a=2");
  const std::string untold = axes + "cases = \"jobs\"\nwith = [\"jobs=small\"]\n";
  EXPECT_THAT(parse_plan(untold, "x").error().text,
      HasSubstr("x:3:9: case 'jobs=large': add to `with` what it sets"));
  EXPECT_THAT(parse_plan(axes + "cases = \"job\"\n", "x").error().text,
      HasSubstr("x:3:9: cases: 'job' is no axis of this sweep; did you mean 'jobs'?"));
}

class StudyTest : public ::testing::Test {
 protected:
  StudyTest() {
    study.file = "some file.toml";
    study.text = "title = \"x\"";
    study.title = "x";
    study.folder =
        (std::filesystem::temp_directory_path() / ("dunlin-study-" + std::to_string(getpid())))
            .string();
    study.plan.axes = {{"load", {"0.5", "0.9"}}};
    study.plan.replications = 2;
    study.settings = {"peers=7"};
  }
  ~StudyTest() override { std::filesystem::remove_all(study.folder); }

  Study study;
};

TEST_F(StudyTest, ATrialIsNamedByAllThatDeterminesIt) {
  const auto trials = trials_of(study);
  ASSERT_EQ(trials.size(), 4u);
  std::set<std::string> names;
  for (const Trial& trial : trials) names.insert(trial.output);
  EXPECT_EQ(names.size(), 4u);
  EXPECT_EQ(trials_of(study)[3].output, trials[3].output);
  study.plan.replications = 3;  // More of them: those that are done stay done.
  EXPECT_EQ(trials_of(study)[1].output, trials[1].output);
  study.build = "another";
  EXPECT_EQ(names.count(trials_of(study)[0].output), 0u);
}

TEST_F(StudyTest, ResultsOfAnotherBuildAreCounted) {
  const auto trials = trials_of(study);
  EXPECT_EQ(other_results(study, trials), 0u);
  std::filesystem::create_directories(study.folder + "/trials");
  for (const Trial& trial : trials) std::ofstream(trial.output) << "{}";
  EXPECT_EQ(other_results(study, trials), 0u);
  study.build = "another";
  EXPECT_EQ(other_results(study, trials_of(study)), 4u);
}

TEST_F(StudyTest, CommandsCanBePasted) {
  study.folder = "/r";
  EXPECT_THAT(shell_command_of(study, trials_of(study)[3], "dunlin-sim"),
      StartsWith("dunlin-sim run 'some file.toml' --set peers=7 --set load=0.9 --RngRun 2 --quiet "
                 "--no-plots --json /r/trials/"));
}

TEST_F(StudyTest, WhereTrialsFailedTheOthersHaveATableThatIsMarked) {
  study.plan.measure = "utilisation";
  const auto trials = trials_of(study);
  std::filesystem::create_directories(study.folder + "/trials");
  const auto write = [&](std::size_t trial) {
    std::ofstream(trials[trial].output) << "{\"utilisation\": 0.25, \"measures\": {}}";
  };
  for (const std::size_t trial : {0u, 1u, 3u}) write(trial);
  const auto some = summarize_done(study, trials);
  ASSERT_TRUE(some) << some.error().text;
  EXPECT_EQ(some->replications.size(), 3u);
  EXPECT_THAT(some->table(study.plan), HasSubstr("1 of 2 !"));
  EXPECT_THAT(some->table(study.plan), HasSubstr("!: trials of this row failed"));
  EXPECT_THAT(some->table(study.plan), HasSubstr("0.25"));

  std::filesystem::remove(trials[3].output);  // A row without any.
  EXPECT_THAT(summarize_done(study, trials)->table(study.plan), HasSubstr("0 of 2 !"));

  for (std::size_t trial = 0; trial < trials.size(); ++trial) write(trial);
  EXPECT_EQ(summarize_done(study, trials)->table(study.plan),
      summarize(study, trials)->table(study.plan));
}

TEST_F(StudyTest, SummarisesReplicationsAndMissesNone) {
  const auto trials = trials_of(study);
  std::filesystem::create_directories(study.folder + "/trials");
  for (std::size_t i = 0; i < trials.size(); ++i) {
    EXPECT_FALSE(is_done(trials[i]));
    std::ofstream(trials[i].output) << "{\"utilisation\": " << i << ", \"measures\": {}}";
    EXPECT_TRUE(is_done(trials[i]));
  }
  const auto summary = summarize(study, trials);
  ASSERT_TRUE(summary);
  ASSERT_EQ(summary->rows.size(), 2u);
  EXPECT_THAT(summary->csv(study.plan), HasSubstr("\n0.9,2,"));
  const std::string json = summary->json(study);
  EXPECT_THAT(json, HasSubstr("\"mean\": 2.5"));
  EXPECT_THAT(json, HasSubstr("\"peers=7\""));

  std::ofstream(trials[2].output) << "{\"utilisation\": ";  // The machine went down.
  EXPECT_FALSE(is_done(trials[2]));
  EXPECT_THAT(summarize(study, trials).error().text, HasSubstr(trials[2].output));
}

// Otherwise the same seeds would not give the same bytes.
TEST_F(StudyTest, SummarisesWhatDependsOnTheMachineOnlyWhereItIsAskedFor) {
  const auto trials = trials_of(study);
  std::filesystem::create_directories(study.folder + "/trials");
  for (const auto& trial : trials) {
    std::ofstream(trial.output) << R"({"cost": {"peak_bytes": 4096}, "measures": {}})";
  }
  EXPECT_THAT(summarize(study, trials)->json(study), Not(HasSubstr("4096")));
  study.plan.also = {"peak_bytes"};
  EXPECT_THAT(summarize(study, trials)->json(study), HasSubstr("4096"));
}

// The effect of a seed on both rows cancels out, however much seeds differ.
TEST_F(StudyTest, ComparesRowsRunByRun) {
  study.plan.axes = {{"load", {"0.5", "0.9"}}, {"hops", {"5", "0"}}};
  study.plan.measure = "utilisation";
  const auto trials = trials_of(study);
  std::filesystem::create_directories(study.folder + "/trials");
  const double values[] = {1, 100, 2, 200, 4, 8, 4, 8};
  for (std::size_t i = 0; i < trials.size(); ++i) {
    std::ofstream(trials[i].output) << "{\"utilisation\": " << values[i] << "}";
  }
  const auto summary = summarize(study, trials);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->rows[0].vs_first.count, 0u);
  EXPECT_DOUBLE_EQ(summary->rows[1].vs_first.mean, 2);
  EXPECT_DOUBLE_EQ(summary->rows[1].vs_first.half_width, 0);
  EXPECT_EQ(summary->rows[2].vs_first.count, 0u);
  EXPECT_DOUBLE_EQ(summary->rows[3].vs_first.mean, 1);
  EXPECT_THAT(summary->table(study.plan), HasSubstr("the ratio of their means"));
  EXPECT_THAT(summary->json(study), HasSubstr("\"vs_first\""));
}

TEST_F(StudyTest, StacksTablesThatAreWiderThanTheTerminal) {
  study.plan.also = {"job_completion_mean_ms", "job_completion_p99_ms"};
  const auto trials = trials_of(study);
  std::filesystem::create_directories(study.folder + "/trials");
  for (const Trial& trial : trials) std::ofstream(trial.output) << "{\"utilisation\": 1}";
  const auto summary = summarize(study, trials);
  ASSERT_TRUE(summary);
  EXPECT_THAT(summary->table(study.plan), Not(HasSubstr("\n\n")));
  const std::string stacked = summary->table(study.plan, 50);
  EXPECT_THAT(stacked, StartsWith("load  job_delay_mean_ms  job_completion_mean_ms\n"));
  EXPECT_THAT(stacked, HasSubstr("\n\nload  job_completion_p99_ms\n"));
}

// For other tools: each value once, with all that tells it from others.
TEST_F(StudyTest, ATidyTableHasALineForEachFigureOfEachRun) {
  study.plan.axes = {{"load", {"0.5", "0.9"}}, {"attributes", {"a \"b\", c"}}};
  const auto trials = trials_of(study);
  std::filesystem::create_directories(study.folder + "/trials");
  for (std::size_t i = 0; i < trials.size(); ++i) {
    std::ofstream(trials[i].output) << "{\"seed\": 7, \"utilisation\": " << i << "}";
  }
  EXPECT_EQ(summarize(study, trials)->tidy_csv(study.plan),
      "load,attributes,seed,run,figure,value\n"
      "0.5,\"a \"\"b\"\", c\",7,1,utilisation,0\n"
      "0.5,\"a \"\"b\"\", c\",7,2,utilisation,1\n"
      "0.9,\"a \"\"b\"\", c\",7,1,utilisation,2\n"
      "0.9,\"a \"\"b\"\", c\",7,2,utilisation,3\n");
}

TEST_F(StudyTest, CombinationsMayHaveRunsOfTheirOwn) {
  study.runs = {1, 3};
  const auto trials = trials_of(study);
  ASSERT_EQ(trials.size(), 4u);
  EXPECT_EQ(trials[0].combination, 0u);
  EXPECT_EQ(trials[3].combination, 1u);
  EXPECT_EQ(trials[3].run, 3u);
}

TEST(Plan, SaysHowItIsDrawnAndHowSureItIsToBe) {
  const auto plan = parse_plan("[sweep]\npicture = \"heat\"\nuntil = \"5%\"\n", "x");
  ASSERT_TRUE(plan) << plan.error().text;
  EXPECT_EQ(plan->picture, PictureKind::heat);
  EXPECT_DOUBLE_EQ(plan->until, 0.05);
  EXPECT_THAT(parse_picture("heta").error().text, HasSubstr("did you mean 'heat'?"));
  for (const char* const wrong : {"5", "0%", "x%", "101%", "%", ""}) {
    EXPECT_THAT(parse_until(wrong).error().text, HasSubstr("expected 0.1% .. 100%")) << wrong;
  }
}

TEST(Plan, IsTheSweepOfAScenario) {
  const auto plan = parse_plan(
      "[sweep]\naxes = [\"load=0.5,0.9\"]\nreplications = 5\nmeasure = \"utilisation\"\n", "x");
  ASSERT_TRUE(plan) << plan.error().text;
  EXPECT_EQ(plan->axes.size(), 1u);
  EXPECT_EQ(plan->replications, 5u);
  EXPECT_EQ(plan->measure, "utilisation");
  const auto error = [](std::string_view text) { return parse_plan(text, "x").error().text; };
  EXPECT_THAT(error("[sweep]\naxis = [\"a=1\"]\n"), HasSubstr("x:2:1: unknown key 'axis'"));
  EXPECT_THAT(error("[sweep]\naxes = [\"a\"]\n"), HasSubstr("x:2:9: axis 'a': expected key=a,b,c"));
  EXPECT_THAT(error("[sweep]\nreplications = 0\n"), HasSubstr("1 .. 10000"));
}

TEST(Scenario, RunsOfASeedAreDifferentAndTheFirstIsTheSeedItself) {
  Scenario scenario;
  scenario.simulation.seed = 42;
  EXPECT_EQ(scenario.chance(), 42u);
  scenario.simulation.run = 2;
  const auto second = scenario.chance();
  EXPECT_NE(second, 42u);
  scenario.simulation.run = 3;
  EXPECT_NE(scenario.chance(), second);
}

}  // namespace
}  // namespace dunlin::sim
