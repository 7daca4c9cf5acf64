// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/node/agent_world.h"

// `dunlin dev`: a cluster in one terminal, which goes as one.
namespace dunlin::node {
namespace {

class Dev : public AgentWorld {
 protected:
  ~Dev() override {
    if (pid > 0) ::kill(pid, SIGKILL);
  }

  void start(const std::string& nodes = "3") {
    const std::string data = home + "/data";
    const std::string log = home + "/dev.log";
    pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::execl(DUNLIN_PROGRAM, DUNLIN_PROGRAM, "dev", "--nodes", nodes.c_str(), "--data", data.c_str(),
        static_cast<char*>(nullptr));
    ::_exit(127);
  }

  std::string socket(int node) const {
    return home + "/data/node" + std::to_string(node) + "/agent.sock";
  }
  std::string said() const {
    std::ifstream log(home + "/dev.log");
    return {std::istreambuf_iterator<char>(log), {}};
  }
  bool up(int node) const { return TestClient(socket(node)).connected(); }
  bool all_up() {
    if (!up(1) || !up(2) || !up(3)) return false;
    const Json nodes = TestClient(socket(1)).ok(request("nodes"))["nodes"];
    return nodes.size() == 3;
  }

  pid_t pid = -1;
};

TEST_F(Dev, RunsATaskAndStopsAsOne) {
  start();
  ASSERT_TRUE(eventually([&] { return all_up(); }));
  TestClient client(socket(2));
  const Json group = {{"command", {"true"}}, {"count", 10}, {"demand", {{"cpu_milli", 100}}}};
  const Json job = client.ok(request("submit", {{"groups", Json::array({group})}}));
  const Json done = client.ok(request("wait", {{"numbers", Json::array({job["number"]})}}));
  EXPECT_EQ(done["jobs"][0]["counts"]["done"], 10);

  ::kill(pid, SIGTERM);
  int status = -1;
  EXPECT_TRUE(eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }));
  pid = -1;
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(said().find("mode_repaired"), std::string::npos) << said();
  EXPECT_EQ(said().find("left_in_haste"), std::string::npos) << said();
  for (const int node : {1, 2, 3}) EXPECT_FALSE(up(node));
}

TEST_F(Dev, OneAgentIsSpokenOfAsOne) {
  start("1");
  EXPECT_TRUE(eventually([&] {
    return said().find("1 agent runs; Ctrl-C stops it.") != std::string::npos;
  })) << said();
}

TEST_F(Dev, AgentsDieWithIt) {
  start();
  ASSERT_TRUE(eventually([&] { return all_up(); }));
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  pid = -1;
  EXPECT_TRUE(eventually([&] { return !up(1) && !up(2) && !up(3); }));
}

}  // namespace
}  // namespace dunlin::node
