// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <future>
#include <ostream>
#include <signal.h>
#include <string>
#include <vector>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// A task has read all that its client gave it. So nothing of that can be lost with an agent any
// more, and a restart or an upgrade of either one costs neither the attempt nor `dunlin run`.
namespace dunlin::node {
namespace {

/// Which of the two agents ends, and how.
struct FedDeath {
  const char* name;
  std::size_t agent;
  int signal;
};
void PrintTo(const FedDeath& death, std::ostream* out) {
  *out << death.name;
}

class FedTaskLive : public AgentWorld, public ::testing::WithParamInterface<FedDeath> {
 protected:
  TestAgent& add_patient(const std::string& name, std::vector<std::string> more = {}) {
    // A busy machine may take seconds to start an agent.
    for (const char* flag : {"--worker.reattach_within=30s", "--frontend.task_lease=20s",
             "--frontend.recovery_wait=5s", "--worker.orphan_after=30s"}) {
      more.emplace_back(flag);
    }
    return add(name, std::move(more));
  }
};

TEST_P(FedTaskLive, ThatWasGivenAllOutlivesAnAgent) {
  TestAgent& home_agent = add_patient("a", {"--cpus=0.1"});
  add_patient("b");
  wait_for_nodes(home_agent, 2);
  std::ofstream(home + "/in") << "hello\n";
  const std::string script = "cat; touch " + home + "/read; while ! test -e " + home +
      "/go; do sleep 0.05; done; echo end";
  auto running = std::async(std::launch::async, [&] {
    return run_dunlin(home_agent.socket(), {"run", "-q", "--cpus", "0.5", "--", "sh", "-c", script},
        home + "/in");
  });
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(home + "/read"); }));
  // Its client hears that the task took the end by the same way, before another one has run.
  finish(home_agent, submit(home_agent, "true", 1));

  TestAgent& dies = *agents.at(GetParam().agent);
  dies.signal(GetParam().signal);
  dies.wait();
  dies.start();
  dies.wait_until_up();
  std::ofstream(home + "/go") << "";
  const ProgramRun run = running.get();
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "hello\nend\n") << run.err;
}

INSTANTIATE_TEST_SUITE_P(Deaths,
    FedTaskLive,
    ::testing::Values(FedDeath{"kill_of_its_node", 1, SIGKILL},
        FedDeath{"upgrade_of_its_node", 1, SIGUSR2},
        FedDeath{"kill_of_its_home", 0, SIGKILL},
        FedDeath{"upgrade_of_its_home", 0, SIGUSR2}),
    [](const auto& death) { return std::string(death.param.name); });

}  // namespace
}  // namespace dunlin::node
