// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "sched/cell/plan_member.h"
#include "sim/engine/simulation.h"
#include "sim/engine/workload_of.h"
#include "sim/measure/lateness.h"

// Chapter 6 of the NTU thesis (Lin 2014), from its experiments: a claim each, over a few samples.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

struct Means {
  double by_plan = 0;
  double penalty = 0;
};

Scenario scenario_of(const std::string& experiment, const std::vector<std::string>& settings) {
  auto scenario = load_scenario(DUNLIN_SOURCE_DIR "/sim/experiments/" + experiment);
  EXPECT_TRUE(scenario) << scenario.error().text;
  const auto set = apply_settings(*scenario, settings);
  EXPECT_TRUE(set) << set.error().text;
  scenario->trace.data = DUNLIN_SOURCE_DIR "/../shared/data";
  return *scenario;
}

class NtuFigures : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const Scenario scenario = scenario_of(GetParam(), {});
    const std::string file = scenario.trace.data + "/" + scenario.trace.file;
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << file << ": this is NOT tested";
  }

  /// Over four samples, the same for all settings.
  Means means_of(const std::vector<std::string>& settings) {
    Scenario scenario = scenario_of(GetParam(), settings);
    Means means;
    constexpr int kSamples = 4;
    for (std::uint64_t sample = 1; sample <= kSamples; ++sample) {
      scenario.simulation.run = sample;
      auto workload = open_trace_of(scenario);
      EXPECT_TRUE(workload) << workload.error().text;
      Simulation run(scenario, nullptr, *std::move(workload));
      run.run();
      EXPECT_EQ(run.recorder().counts().jobs, 321u);
      EXPECT_TRUE(run.recorder().counts().all_finished());
      const auto plans = run.recorder().plans().result();
      means.by_plan += plans.by_plan.value_or(1) / kSamples;
      means.penalty += lateness_of(run.recorder(), run.ended()).penalty / kSamples;
    }
    return means;
  }
};

const std::vector<std::string> kPriority = {
    "baseline.policy=priority", "baseline.spare=priority", "baseline.reserve=0"};
const std::vector<std::string> kDeadlinePriority = {
    "baseline.policy=deadline", "baseline.spare=priority"};
const std::vector<std::string> kDeadlineDeadline = {
    "baseline.policy=deadline", "baseline.spare=deadline"};
const std::vector<std::string> kEdf = {"baseline.scheduler=edf"};

// Figures 6.2 and 6.3: no violation by the policies that spare by priority, and a quarter of EDF's
// at most by the deadline policy that spares by deadline.
TEST_P(NtuFigures, PlansByPriorityViolateNone) {
  EXPECT_EQ(means_of(kPriority).by_plan, 0);
  EXPECT_EQ(means_of(kDeadlinePriority).by_plan, 0);
  const double edf = means_of(kEdf).by_plan;
  EXPECT_GT(edf, 0);
  EXPECT_LE(means_of(kDeadlineDeadline).by_plan, edf / 4);
}

// Figures 6.4 and 6.5: missed deadlines cost far more under the priority policy than under EDF:
// five times as much over 20 samples, of which four vary too much for that.
TEST_P(NtuFigures, PlansByPriorityPayForDeadlines) {
  EXPECT_GE(means_of(kPriority).penalty, 2 * means_of(kEdf).penalty);
}

INSTANTIATE_TEST_SUITE_P(
    Environments, NtuFigures, ::testing::Values("ntu-figure62.toml", "ntu-figure63.toml"));

/// The slots of the one job of figure 6.1 by plan, each second; and when it ended.
struct Course {
  std::vector<double> slots;
  Duration took{0};
};

Course course_of(const std::vector<std::string>& settings) {
  Simulation run(scenario_of("ntu-figure61.toml", settings), nullptr);
  run.run();
  Course course;
  for (const Health& look : run.health()) course.slots.push_back(look.job_slots);
  run.recorder().for_each_job([&](const JobRecord& job) {
    EXPECT_TRUE(job.finished);
    if (job.finished) course.took = *job.finished - job.submitted;
  });
  return course;
}

// Figure 6.1: the allocation starts at the default, falls when tasks are faster than thought, and
// rises when they get heavier.
TEST(NtuFigure61, TheAllocationFallsAndRises) {
  const Course course = course_of({"faults.crash_first=0"});
  ASSERT_GT(course.slots.size(), 100u);
  EXPECT_EQ(course.slots[1], 4);
  const auto lowest = std::min_element(course.slots.begin(), course.slots.begin() + 60);
  EXPECT_LE(*lowest, 2);
  EXPECT_GE(*std::max_element(lowest, course.slots.end()), 4);
  EXPECT_LE(course.took, 240s);
}

// With six of eight workers down from 55 to 115 s it rises more steeply afterwards, and still meets
// the deadline.
TEST(NtuFigure61, AFailureIsMadeUpFor) {
  const Course normal = course_of({"faults.crash_first=0"});
  const Course failing = course_of({"faults.crash_first=6"});
  for (std::size_t second = 60; second < 110; ++second) EXPECT_LE(failing.slots[second], 2);
  const auto rise = [](const Course& course) { return course.slots[140] - course.slots[110]; };
  EXPECT_GT(rise(failing), rise(normal));
  EXPECT_GT(failing.slots[140], normal.slots[140]);
  EXPECT_LE(failing.took, 240s);
}

}  // namespace
}  // namespace dunlin::sim
