// SPDX-License-Identifier: MIT
#include "sim/study/class_shares.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

#include "sim/report/gnuplot.h"

namespace dunlin::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ClassSharesTest : public ::testing::Test {
 protected:
  ClassSharesTest() {
    study.file = "x.toml";
    study.folder =
        (std::filesystem::temp_directory_path() / ("dunlin-shares-" + std::to_string(getpid())))
            .string();
    study.plan.axes = {{"sharing", {"bank", "none"}}};
    study.plan.replications = 2;
    std::filesystem::create_directories(study.folder + "/trials");
  }
  ~ClassSharesTest() override { std::filesystem::remove_all(study.folder); }

  Study study;
};

TEST_F(ClassSharesTest, AveragesWhatEachClassHadInEachCombination) {
  const auto trials = trials_of(study);
  const double web[] = {0.6, 0.8, 0.5, 0.5};
  for (std::size_t i = 0; i < trials.size(); ++i) {
    std::ofstream(trials[i].output)
        << "{\"sharing\": {\"classes\": {\"web\": {\"desired\": 0.75, \"occupied\": " << web[i]
        << "}, \"test\": {\"desired\": 0.25, \"occupied\": " << 1 - web[i] << "}}}}";
  }
  const auto shares = class_shares_of(study, trials);
  ASSERT_TRUE(shares) << shares.error().text;
  ASSERT_EQ(shares->classes.size(), 2u);
  EXPECT_EQ(shares->classes[0].name, "web");
  EXPECT_DOUBLE_EQ(shares->classes[0].desired, 0.75);
  EXPECT_DOUBLE_EQ(shares->classes[0].occupied[0].mean, 0.7);
  EXPECT_EQ(shares->classes[0].occupied[0].count, 2u);
  EXPECT_DOUBLE_EQ(shares->classes[1].occupied[1].mean, 0.5);
  EXPECT_THAT(shares->table(), HasSubstr("desired"));
  EXPECT_THAT(shares->table(), HasSubstr("sharing=none"));
  const auto drawn = draw_class_shares(study, *shares, study.folder + "/shares");
  EXPECT_TRUE(drawn || drawn.error().kind == ErrorKind::not_found);
}

// Of single runs each bar had a hole at its top, where the point of an interval of no length was;
// the eleventh bar looked like the first; and each name in the key began with the axis.
TEST_F(ClassSharesTest, BarsAreWholeAndDiffer) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i <= kLooks; ++i) values.push_back("v" + std::to_string(i));
  study.plan.axes = {{"cell.sharing", values}};
  const auto shares_of = [&](double half_width) {
    ClassShares shares{.settings = planned_combinations(study.plan), .classes = {}};
    const Estimate each{.mean = 0.5, .half_width = half_width, .count = half_width > 0 ? 2u : 1u};
    shares.classes.push_back({.name = "web",
        .desired = 0.5,
        .occupied = std::vector<Estimate>(shares.settings.size(), each)});
    return shares;
  };
  const auto script_of = [&](const ClassShares& shares) {
    const auto drawn = draw_class_shares(study, shares, study.folder + "/shares");
    EXPECT_TRUE(drawn || drawn.error().kind == ErrorKind::not_found);
    std::ifstream in(study.folder + "/shares.gp");
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string single = script_of(shares_of(0));
  EXPECT_THAT(single, Not(HasSubstr("yerrorbars")));
  EXPECT_THAT(single, HasSubstr("lt 1 dt solid fs solid 0.8 title 'v0' noenhanced"));
  EXPECT_THAT(single, HasSubstr("lt 11 dt solid fs solid 0.35 title 'v10' noenhanced"));
  EXPECT_THAT(single, HasSubstr("title \"\\n\".'sharing' noenhanced"));
  EXPECT_THAT(script_of(shares_of(0.1)), HasSubstr("with yerrorbars"));
}

TEST_F(ClassSharesTest, ThereAreNoneWithoutClasses) {
  const auto trials = trials_of(study);
  for (const Trial& trial : trials) {
    std::ofstream(trial.output) << "{\"sharing\": {\"classes\": {}}}";
  }
  EXPECT_TRUE(class_shares_of(study, trials)->classes.empty());
  std::ofstream(trials[1].output) << "{";
  EXPECT_EQ(class_shares_of(study, trials).error().kind, ErrorKind::corrupt);
}

}  // namespace
}  // namespace dunlin::sim
