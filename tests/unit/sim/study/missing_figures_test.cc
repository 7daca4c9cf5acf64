// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <utility>

#include "sim/study/figures.h"
#include "sim/study/statistics.h"
#include "sim/study/summary.h"
#include "sim/study/trials.h"

// Figures that some runs do not have, and figures that are compared.
namespace dunlin::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MissingFigures : public ::testing::Test {
 protected:
  MissingFigures() {
    study.file = "some file.toml";
    study.text = "title = \"x\"";
    study.title = "x";
    study.folder =
        (std::filesystem::temp_directory_path() / ("dunlin-missing-" + std::to_string(getpid())))
            .string();
    study.plan.axes = {{"load", {"0.5", "0.9"}}};
    study.plan.replications = 2;
  }
  ~MissingFigures() override { std::filesystem::remove_all(study.folder); }

  Study study;
};

// Runs 4, 4, never, never, never, 3: a mean that takes never for -1 s says "1.3".
TEST_F(MissingFigures, WhatNeverCameIsNoNumber) {
  study.plan.replications = 6;
  study.plan.measure = "healed_s";
  study.plan.also = {"utilisation"};
  const auto trials = trials_of(study);
  std::filesystem::create_directories(study.folder + "/trials");
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const bool never = i >= 2 && i <= 4;
    std::ofstream(trials[i].output)
        << (never           ? R"({"sharing": {"healed_s": null, "censored": {"healed_s": 16}}})"
                   : i == 5 ? R"({"sharing": {"healed_s": 3}})"
                            : R"({"sharing": {"healed_s": 4}})");
  }
  const auto summary = summarize(study, trials);
  ASSERT_TRUE(summary);
  const std::size_t healed = figure_index("healed_s");
  const Estimate& first = summary->rows[0].estimates[healed];
  EXPECT_EQ(first.count, 0u) << "there is no mean";
  EXPECT_EQ(first.came(), 3u);
  EXPECT_EQ(first.median, 4);
  const std::string table = summary->table(study.plan);
  EXPECT_THAT(table, HasSubstr("3 of 6; median 4.000"));
  EXPECT_THAT(summary->json(study), HasSubstr("\"censored\": 3"));
  EXPECT_THAT(summary->tidy_csv(study.plan), HasSubstr("healed_s,>16\n"));
  // Those runs in which it came are no fair part of all: no difference, no multiple.
  EXPECT_EQ(paired_difference(*summary, 1, 0, healed).count, 0u);
}

// Rows are compared by the share of runs in which it came, before anything else.
TEST_F(MissingFigures, WhatCameSeldomerIsNotFaster) {
  study.plan.axes = {{"load", {"0.5"}}, {"peers", {"7", "8"}}};
  study.plan.measure = "healed_s";
  const auto trials = trials_of(study);
  std::filesystem::create_directories(study.folder + "/trials");
  for (std::size_t i = 0; i < trials.size(); ++i) {
    std::ofstream(trials[i].output)
        << (i == 3 ? R"({"sharing": {"healed_s": null, "censored": {"healed_s": 9}}})"
                   : R"({"sharing": {"healed_s": 2}})");
  }
  EXPECT_THAT(summarize(study, trials)->table(study.plan), HasSubstr("1/2 against 2/2"));
}

// Two of eight runs had long jobs: 0 for the others would make a quarter of it.
TEST_F(MissingFigures, WhatWasNotThereIsNotNought) {
  study.plan.axes = {{"load", {"0.5"}}};
  study.plan.replications = 8;
  study.plan.measure = "long_completion_p99_ms";
  const auto trials = trials_of(study);
  std::filesystem::create_directories(study.folder + "/trials");
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const std::string value = i == 4 ? "5196" : i == 7 ? "6896" : "null";
    std::ofstream(trials[i].output)
        << R"({"measures": {"long": {"job_completion_ms": {"p99": )" << value
        << R"(}}}, "fates": {"refused": 0, "unfinished": )" << (i == 4) << "}}";
  }
  const auto summary = summarize(study, trials);
  const Estimate& p99 = summary->rows[0].estimates[figure_index("long_completion_p99_ms")];
  EXPECT_DOUBLE_EQ(p99.mean, 6046);
  EXPECT_EQ(p99.count, 2u);
  EXPECT_EQ(p99.runs, 8u);
  const std::string table = summary->table(study.plan);
  EXPECT_THAT(table, HasSubstr("(2 of 8) *")) << "and a job of one run did not end";
  EXPECT_THAT(table, HasSubstr("jobs_unfinished"));
  EXPECT_THAT(table, Not(HasSubstr("jobs_refused"))) << "none was";
}

// The mean of the two ratios is 2.05, "more", where the means say less than half.
TEST(RatioOfMeans, AMultipleAgreesWithTheMeansBesideIt) {
  const std::pair<double, double> pairs[] = {{4, 1}, {1, 10}};
  EXPECT_LT(ratio_of_means(pairs).mean, 1) << "5 / 11";
  EXPECT_DOUBLE_EQ(ratio_of_means(pairs).mean, 5.0 / 11);
  const std::pair<double, double> alike[] = {{2, 1}, {4, 2}, {8, 4}};
  EXPECT_DOUBLE_EQ(ratio_of_means(alike).mean, 2);
  EXPECT_NEAR(ratio_of_means(alike).half_width, 0, 1e-12);
  const std::pair<double, double> nought[] = {{2, 0}};
  EXPECT_EQ(ratio_of_means(nought).count, 0u);
}

}  // namespace
}  // namespace dunlin::sim
