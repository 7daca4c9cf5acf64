// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/node/agent_world.h"

#ifdef DUNLIN_SIM_PROGRAM

// Sweeps of the simulator that others run: a cluster of real agents, and a batch system.
namespace dunlin::node {
namespace {

constexpr const char* kScenario = R"(
title = "tiny"
[simulation]
duration = "4s"
warm_up = "1s"
drain = "2s"
[cluster]
peers = 10
[workload]
tasks_per_job = 4
task_time = "50ms"
first_job = "500ms"
[sweep]
axes = ["workload.load=0.3,0.5"]
replications = 2
)";

class Sweep : public AgentWorld {
 protected:
  Sweep() {
    std::ofstream(home + "/tiny.toml") << kScenario;
    // `dunlin` and `sbatch` are looked up in PATH: a folder of our own comes first.
    const std::string programs = home + "/bin";
    std::filesystem::create_directories(programs);
    std::filesystem::create_symlink(DUNLIN_PROGRAM, programs + "/dunlin");
    path_ = "PATH=" + programs + ":$PATH";
  }

  void start_agents(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) add("n" + std::to_string(i));
    wait_for_nodes(*agents.front(), count);
    address_ = agents.front()->socket();
  }
  /// Runs the sweep; what it says goes to `folder`.log.
  int sweep(const std::string& folder, const std::string& options = "") const {
    return shell(environment() + " '" DUNLIN_SIM_PROGRAM "' sweep '" + home +
        "/tiny.toml' --quiet --out '" + home + "/" + folder + "' " + options + " > '" + home + "/" +
        folder + ".log' 2>&1");
  }
  std::string environment() const { return path_ + " DUNLIN_ADDRESS='" + address_ + "'"; }
  static int shell(const std::string& command) {
    const int status = std::system(command.c_str());  // NOLINT(cert-env33-c)
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string text_of(const std::string& file) const {
    std::ifstream in(home + "/" + file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t trials_in(const std::string& folder) const {
    const std::filesystem::directory_iterator files(home + "/" + folder + "/trials");
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }
  void expect_same_results(const std::string& one, const std::string& other) const {
    EXPECT_FALSE(text_of(one + "/summary.csv").empty()) << text_of(one + ".log");
    EXPECT_EQ(text_of(one + "/summary.csv"), text_of(other + "/summary.csv"));
    EXPECT_EQ(text_of(one + "/summary.json"), text_of(other + "/summary.json"));
  }

  std::string path_;
  std::string address_;
};

TEST_F(Sweep, OnAClusterGivesTheVeryResultsOfALocalOne) {
  start_agents(3);
  ASSERT_EQ(sweep("here"), 0) << text_of("here.log");
  ASSERT_EQ(sweep("there", "--on dunlin"), 0) << text_of("there.log");
  expect_same_results("here", "there");
  EXPECT_EQ(text_of("here.log"), text_of("there.log"));
}

// It was killed when one trial had been run: the others alone are missing.
TEST_F(Sweep, OnAClusterRunsOnlyWhatIsMissing) {
  start_agents(2);
  ASSERT_EQ(sweep("whole"), 0) << text_of("whole.log");
  ASSERT_EQ(sweep("part", "--on dunlin"), 0) << text_of("part.log");
  std::filesystem::path kept;
  std::filesystem::file_time_type written;
  for (const auto& trial : std::filesystem::directory_iterator(home + "/part/trials")) {
    if (kept.empty()) {
      kept = trial.path();
      written = trial.last_write_time();
    } else {
      std::filesystem::remove(trial.path());
    }
  }
  ASSERT_EQ(trials_in("part"), 1u);
  ASSERT_EQ(sweep("part", "--on dunlin"), 0) << text_of("part.log");
  EXPECT_EQ(std::filesystem::last_write_time(kept), written);
  EXPECT_EQ(trials_in("part"), 4u);
  expect_same_results("part", "whole");
}

// The command alone was named.
TEST_F(Sweep, ThatFailsHereSaysWhatTheFirstTrialSaid) {
  EXPECT_EQ(sweep("lost", "--set workload.kind=swf --set trace.file=nowhere.swf"), 1);
  const std::string said = text_of("lost.log");
  EXPECT_NE(said.find("4 of 4 trials failed; the first: dunlin-sim run "), std::string::npos)
      << said;
  EXPECT_NE(said.find("ended with status 1, and said:"), std::string::npos) << said;
  EXPECT_NE(said.find("nowhere.swf: no such trace"), std::string::npos) << said;
  EXPECT_FALSE(std::filesystem::exists(home + "/lost/summary.json"));
}

TEST_F(Sweep, ThatFailsOnTheClusterSaysSo) {
  start_agents(1);
  // No task gets anything to write to.
  std::filesystem::create_directories(home + "/broken");
  std::ofstream(home + "/broken/trials") << "in the way";
  EXPECT_EQ(sweep("broken", "--on dunlin"), 1);
  address_ = home + "/nobody.sock";
  EXPECT_EQ(sweep("nobody", "--on dunlin"), 1);
  EXPECT_NE(text_of("nobody.log").find("dunlin submit"), std::string::npos);
}

// A batch system of one line: it runs every index of the array, as slurm would.
TEST_F(Sweep, OnSlurmWritesAnArrayThatRuns) {
  const std::string sbatch = home + "/bin/sbatch";
  std::ofstream(sbatch) << "#!/bin/sh\n"
                           "for i in $(seq \"$(sed -n 's/.*--array=1-//p' \"$1\")\"); do\n"
                           "  SLURM_ARRAY_TASK_ID=$i sh \"$1\" || exit 1\ndone\n";
  std::filesystem::permissions(sbatch, std::filesystem::perms::owner_all);
  ASSERT_EQ(sweep("here"), 0) << text_of("here.log");
  ASSERT_EQ(sweep("array", "--on slurm"), 0) << text_of("array.log");
  EXPECT_NE(text_of("array.log").find("submitted"), std::string::npos);
  EXPECT_EQ(trials_in("array"), 4u);
  ASSERT_EQ(sweep("array"), 0) << text_of("array.log");
  expect_same_results("array", "here");
  // All are done: nothing is submitted.
  std::filesystem::remove(sbatch);
  EXPECT_EQ(sweep("array", "--on slurm"), 0) << text_of("array.log");
}

TEST_F(Sweep, WithoutSlurmSaysHowToGoOn) {
  std::ofstream(home + "/bin/sbatch") << "#!/bin/sh\nexit 3\n";
  std::filesystem::permissions(home + "/bin/sbatch", std::filesystem::perms::owner_all);
  EXPECT_EQ(sweep("array", "--on slurm"), 1);
  EXPECT_NE(text_of("array.log").find("sbatch failed"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(home + "/array/sweep.sbatch"));
}

}  // namespace
}  // namespace dunlin::node

#endif
