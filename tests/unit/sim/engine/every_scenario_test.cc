// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "sim/engine/simulation.h"
#include "sim/engine/workload_of.h"
#include "sim/study/read_plan.h"
#include "tests/unit/sim/short_scenarios.h"

// Each scenario that comes with Dunlin, cut down to what a test can wait for, with some of the
// combinations of its sweep. A run ends itself if a law of conservation does not hold.
namespace dunlin::sim {
namespace {

/// Combinations of a sweep: the first, the last, and what lies evenly between.
constexpr std::size_t kCombinations = 4;

/// The combinations that are run.
std::vector<Settings> some_of(const StudyPlan& plan) {
  const auto all = planned_combinations(plan);
  std::vector<Settings> some;
  const std::size_t count = std::min(all.size(), kCombinations);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count == 1 ? 0 : i * (all.size() - 1) / (count - 1);
    some.push_back(full_settings(plan, all[at]));
  }
  return some;
}

class EveryScenario : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryScenario, LosesNothing) {
  const TinyTraces traces;
  const std::string file = DUNLIN_SOURCE_DIR "/sim/experiments/" + GetParam() + ".toml";
  const auto plan = load_plan(file);
  ASSERT_TRUE(plan) << plan.error().text;
  for (const Settings& settings : some_of(*plan)) {
    auto scenario = load_scenario(file);
    ASSERT_TRUE(scenario && apply_settings(*scenario, settings)) << joined(settings);
    shorten(*scenario, traces);
    const auto sound = validate(*scenario);
    ASSERT_TRUE(sound) << joined(settings) << ": " << sound.error().text;
    auto workload = open_trace_of(*scenario);
    ASSERT_TRUE(workload) << workload.error().text;
    Simulation run(*scenario, nullptr, *std::move(workload));
    run.run();
    EXPECT_EQ(broken_law(run.recorder(), run.offered(), run.fates_of_all()), "");
    EXPECT_GT(run.offered().arrived, 0u) << joined(settings) << ": it tests nothing";
  }
}

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const auto& entry :
      std::filesystem::directory_iterator(DUNLIN_SOURCE_DIR "/sim/experiments")) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(
    Experiments, EveryScenario, ::testing::ValuesIn(scenario_names()), [](const auto& param) {
      std::string name = param.param;
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace dunlin::sim
