// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "sim/engine/simulation.h"

// Figures 3 and 4 of the ID2210 paper, from their experiments, each with one seed and fewer
// requests: what the laboratory's tables say of them must come out of a run.
namespace dunlin::sim {
namespace {

/// The 99th percentile of the time to find a resource, over 300 requests.
Duration finding_of(const std::string& experiment, std::vector<std::string> settings) {
  auto scenario = load_scenario(DUNLIN_SOURCE_DIR "/sim/experiments/" + experiment);
  EXPECT_TRUE(scenario) << scenario.error().text;
  settings.insert(settings.end(), {"workload.jobs_max=300", "simulation.seed=1"});
  const auto set = apply_settings(*scenario, settings);
  EXPECT_TRUE(set) << set.error().text;
  Simulation run(*scenario, nullptr);
  run.run();
  EXPECT_EQ(run.recorder().counts().jobs_finished, 300u);
  return run.recorder().of(JobClass::all).finding.percentile(99);
}

// The paper found two probes best. With late binding more are better.
TEST(Id2210Figures, MoreProbesFindSooner) {
  const auto with = [](const std::string& probes) {
    return finding_of(
        "id2210-figure3.toml", {"baseline.scheduler=sparrow", "frontend.probe_ratio=" + probes});
  };
  const Duration one = with("1");
  const Duration two = with("2");
  const Duration eight = with("8");
  EXPECT_LT(two, one);
  EXPECT_LT(eight, two / 2);
}

// As in the paper, the gradient is far better as long as there are resources to find, and beyond
// saturation no scheduler finds what is not there.
TEST(Id2210Figures, TheGradientFindsSoonerUntilNothingIsLeft) {
  const auto with = [](const std::string& scheduler, const std::string& gap) {
    return finding_of(
        "id2210-figure4.toml", {"baseline.scheduler=" + scheduler, "workload.job_gap=" + gap});
  };
  const Duration random = with("sparrow", "110ms");
  EXPECT_LT(with("gradient", "110ms"), random / 20);
  EXPECT_LT(with("dunlin", "110ms"), random / 20);
  EXPECT_GT(with("dunlin", "60ms"), std::chrono::seconds(3));
}

}  // namespace
}  // namespace dunlin::sim
