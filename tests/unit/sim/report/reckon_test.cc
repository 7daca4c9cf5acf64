// SPDX-License-Identifier: MIT
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "sim/engine/simulation.h"
#include "sim/engine/workload_of.h"
#include "sim/report/report.h"
#include "tests/unit/sim/short_scenarios.h"

// Figures are made anew by tools/reckon, which shares no code with the simulator, from the log of
// what happened. They agree to the last digit, or the run or the reckoning is wrong.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

class Reckon : public ::testing::Test {
 protected:
  Reckon()
      : folder_(std::filesystem::temp_directory_path() /
            ("dunlin-reckon-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Reckon() override { std::filesystem::remove_all(folder_); }

  /// What differs; empty if all agrees.
  std::string differences(const Scenario& scenario) {
    const auto sound = validate(scenario);
    EXPECT_TRUE(sound) << sound.error().text;
    auto workload = open_trace_of(scenario);
    EXPECT_TRUE(workload) << workload.error().text;
    const std::string log_file = (folder_ / "events").string();
    const std::string json_file = (folder_ / "run.json").string();
    {
      std::ofstream out(log_file);
      EventLog log(out);
      Simulation run(scenario, nullptr, *std::move(workload), &log);
      run.run();
      std::ofstream(json_file) << json_of(run);
    }
    return output_of("python3 " DUNLIN_SOURCE_DIR "/tools/reckon " + log_file + " " + json_file +
        " 2>&1 || echo differs");
  }

  const TinyTraces traces;

 private:
  static std::string output_of(const std::string& command) {
    std::string text;
    FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return "no shell";
    std::array<char, 512> part;
    while (fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
    pclose(pipe);
    return text;
  }

  std::filesystem::path folder_;
};

TEST_F(Reckon, AgreesOnTenScenarios) {
  const std::pair<const char*, std::vector<std::string>> runs[] = {
      {"hello", {}},
      {"peers-synthetic", {"baseline.scheduler=sparrow"}},
      {"peers-ngo80", {}},
      {"constraints", {"cluster.constraints=b", "baseline.scheduler=omniscient"}},
      {"healing-churn", {"workload.load=0.5"}},
      {"megha-figure6", {}},
      {"ntu-figure62", {"baseline.scheduler=edf"}},
      {"ntu-peers", {}},
      {"tetris-load", {"baseline.scheduler=central"}},
      {"tetris-cloudera", {"baseline.scheduler=drf"}},
  };
  for (const auto& [name, settings] : runs) {
    auto scenario =
        load_scenario(DUNLIN_SOURCE_DIR "/sim/experiments/" + std::string(name) + ".toml");
    ASSERT_TRUE(scenario && apply_settings(*scenario, settings)) << name;
    shorten(*scenario, traces);
    EXPECT_EQ(differences(*scenario), "") << name;
  }
}

/// A scenario of one of all schedulers, with faults and a workload drawn from a seed.
Scenario drawn(std::uint64_t seed) {
  Rng rng{seed};
  Scenario scenario;
  scenario.simulation = {.seed = seed, .duration = 8s, .warm_up = 1s, .drain = 4s};
  scenario.cluster.peers = 4 + rng.below(12);
  scenario.network.latency = 500us;
  scenario.workload = {.load = 0.3 + rng.uniform(),
      .tasks_per_job = 1 + rng.below(6),
      .task_time = 400ms,
      .durations = rng.chance(0.5) ? Durations::per_task : Durations::per_job,
      .deadline = rng.chance(0.5) ? Duration{2s} : Duration{0},
      .priority_max = rng.below(9),
      .first_job = 1s};
  if (rng.chance(0.3)) scenario.workload.jobs_max = 1 + rng.below(20);
  if (rng.chance(0.3)) scenario.measures.cutoff = 400ms;
  if (rng.chance(0.3)) scenario.cluster.constraints = ConstraintProfile::a;
  constexpr Scheduler kSchedulers[] = {Scheduler::dunlin, Scheduler::sampling,
      Scheduler::omniscient, Scheduler::sparrow, Scheduler::central, Scheduler::batch,
      Scheduler::per_task, Scheduler::random, Scheduler::early_binding, Scheduler::drf};
  scenario.baseline.scheduler = kSchedulers[rng.below(std::size(kSchedulers))];
  scenario.baseline.heartbeat = 100ms;
  if (rng.chance(0.4)) {
    scenario.faults.life = 5s;
    scenario.faults.down_time = 1s;
  }
  if (rng.chance(0.3)) scenario.network.loss = 0.02;
  return scenario;
}

TEST_F(Reckon, AgreesOnFiftyRandomOnes) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_EQ(differences(drawn(seed)), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace dunlin::sim
