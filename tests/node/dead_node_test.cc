// SPDX-License-Identifier: MIT
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <future>
#include <gmock/gmock.h>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// A node is gone without a word: what the others say of it, and of the output that it kept.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The state of the node called `name`, as `at` lists it.
std::string state_of(TestAgent& at, const std::string& name) {
  const Json nodes = at.client().ok(request("nodes"))["nodes"];
  for (const Json& node : nodes) {
    if (node["name"] == name) return node["state"].get<std::string>();
  }
  return "unknown";
}

TEST_F(AgentWorld, AKilledNodeIsDownForAllOthersInTimeAndStaysSo) {
  for (const char* name : {"a", "b", "c", "d", "e"}) add(name);
  for (const auto& agent : agents) wait_for_nodes(*agent, 5);
  // Many more tasks than fit: `explain` has a job to count nodes for.
  const auto job = submit(*agents[0], "sleep 60", 200);
  agents[4]->kill9();
  const auto killed = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < 4; ++i) {
    // The default gossip finds it dead within 15 s; three more are for a machine that is busy.
    EXPECT_TRUE(eventually([&] { return state_of(*agents[i], "e") == "down"; },
        std::chrono::seconds(18) -
            std::chrono::duration_cast<std::chrono::seconds>(
                std::chrono::steady_clock::now() - killed)))
        << agents[i]->name() << " says " << state_of(*agents[i], "e");
  }
  const auto explained = agents[0]->client().ok(request("explain", {{"number", job}}));
  EXPECT_EQ(explained["groups"][0]["census"]["known"], 5) << explained.dump();
  EXPECT_EQ(explained["groups"][0]["census"]["up"], 4) << explained.dump();
  EXPECT_EQ(explained["not_up"],
      Json::array({{{"name", "e"}, {"state", "down"}, {"sick", ""}, {"drained_for", ""}}}));
  // Earlier statements about it go round for a while: no node believes them.
  for (std::size_t i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    EXPECT_EQ(state_of(*agents[i % 4], "e"), "down");
  }
  // Its administrator knows that it does not come back; the others still say that it is down.
  const auto forgotten = run_dunlin(agents[0]->socket(), {"node", "forget", "e"});
  EXPECT_EQ(forgotten.status, 0) << forgotten.err;
  EXPECT_EQ(state_of(*agents[0], "e"), "unknown");
  agents[0]->kill9();
  agents[0]->start();
  agents[0]->wait_until_up();
  wait_for_nodes(*agents[0], 4);
  // By what it kept of its views it may look for that node first.
  EXPECT_TRUE(eventually([&] {
    const auto listed = run_dunlin(agents[0]->socket(), {"nodes", "--all"});
    return listed.status == 0 && listed.out.find(agents[4]->address()) == std::string::npos;
  })) << "a restart remembers what was forgotten";
}

TEST_F(AgentWorld, LogsLeavesOutANodeThatIsGoneAndSaysSoSoon) {
  for (const char* name : {"a", "b", "c"}) add(name);
  wait_for_nodes(*agents[0], 3);
  const auto job = submit(*agents[0], "sleep 0.2; echo task $DUNLIN_TASK_INDEX", 24);
  EXPECT_EQ(finish(*agents[0], job)["done"], 24);
  std::set<std::uint32_t> lost;
  const Json listed = agents[0]->client().ok(request("tasks", {{"number", job}}));
  for (const Json& task : listed["tasks"]) {
    if (task["worker_name"] == "c") lost.insert(task["index"].get<std::uint32_t>());
  }
  ASSERT_FALSE(lost.empty()) << "c ran none of them";
  const std::string logs = std::to_string(job);
  const auto all = run_dunlin(agents[0]->socket(), {"logs", logs});
  EXPECT_EQ(all.status, 0) << all.err;

  agents[2]->kill9();
  const auto rest = run_dunlin(agents[0]->socket(), {"logs", logs});
  EXPECT_EQ(rest.status, 1);
  EXPECT_LT(rest.first_err, 2.0);
  EXPECT_LT(rest.seconds, 4.0);
  EXPECT_THAT(rest.err, HasSubstr("node c does not answer; the output of task"));
  EXPECT_EQ(std::ranges::count(rest.err, '\n'), 1) << rest.err;
  for (std::uint32_t task = 0; task < 24; ++task) {
    const std::string line = "task " + std::to_string(task) + "\n";
    if (lost.contains(task)) {
      EXPECT_THAT(rest.out, Not(HasSubstr(line)));
    } else {
      EXPECT_THAT(rest.out, HasSubstr(line));
    }
  }
}

/// The lines of `text` that contain `part`.
std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) != std::string::npos) found.push_back(line);
  }
  return found;
}

// TRY 2 alone would leave a user without a trace of what became of the first.
TEST_F(AgentWorld, AnAttemptThatWasLostIsToldWithWhereWhenAndWhy) {
  for (const char* name : {"a", "b"}) add(name);
  wait_for_nodes(*agents[0], 2);
  const auto job = submit(*agents[0], "sleep 4", 8);
  const auto at_b = [&] {
    int count = 0;
    const Json listed = agents[0]->client().ok(request("tasks", {{"number", job}}));
    for (const Json& task : listed["tasks"]) {
      if (task["state"] == "running" && task.value("worker_name", "") == "b") ++count;
    }
    return count;
  };
  ASSERT_TRUE(eventually([&] { return at_b() > 0; })) << "b runs none of them";
  agents[1]->kill9();
  EXPECT_EQ(finish(*agents[0], job)["done"], 8);
  const auto told =
      run_dunlin(agents[0]->socket(), {"job", std::to_string(job), "--tasks", "--attempts"});
  EXPECT_EQ(told.status, 0) << told.err;
  const auto lost = lines_with(told.out, "lost with its node, noticed 20");
  EXPECT_FALSE(lost.empty()) << told.out;
  for (const std::string& line : lost) EXPECT_THAT(line, HasSubstr(" b ")) << told.out;
}

// A home that crashed is back in a moment, and 1 would mean that a task failed.
TEST_F(AgentWorld, WaitGoesOnWhileAHomeIsSilentAndSaysSo) {
  for (const char* name : {"a", "b"}) add(name);
  for (const auto& agent : agents) wait_for_nodes(*agent, 2);
  const auto job = submit(*agents[0], "sleep 3", 1);
  agents[0]->kill9();
  auto waiting = std::async(std::launch::async,
      [&] { return run_dunlin(agents[1]->socket(), {"wait", "a." + std::to_string(job)}); });
  EXPECT_EQ(waiting.wait_for(std::chrono::seconds(4)), std::future_status::timeout)
      << "a home that does not answer is no failure of its job";
  agents[0]->start();
  agents[0]->wait_until_up();
  const ProgramRun waited = waiting.get();
  EXPECT_EQ(waited.status, 0) << waited.err;
  const auto said = lines_with(waited.err, "; waiting on");
  ASSERT_EQ(said.size(), 1u) << waited.err;
  EXPECT_THAT(said[0], HasSubstr("node a "));
  EXPECT_LT(waited.first_err, 3.0) << "and is told soon";
}

// A disk that failed, a disk that was full when the task ended, output that was deleted: what is
// not there is not silence.
TEST_F(AgentWorld, LogsNamesOutputThatItsNodeHasLost) {
  for (const char* name : {"a", "b"}) add(name);
  wait_for_nodes(*agents[0], 2);
  const auto job = submit(*agents[0], "echo task $DUNLIN_TASK_INDEX; sleep 0.2", 12);
  const auto silent = submit(*agents[0], "sleep 0.2", 12);
  EXPECT_EQ(finish(*agents[0], job)["done"], 12);
  EXPECT_EQ(finish(*agents[0], silent)["done"], 12);
  const Json listed = agents[0]->client().ok(request("tasks", {{"number", job}}))["tasks"];
  for (TestAgent* agent : {agents[0].get(), agents[1].get()}) {
    const auto ran = std::ranges::find(
        listed, Json(agent->name()), [](const Json& task) { return task["worker_name"]; });
    ASSERT_NE(ran, listed.end()) << agent->name() << " ran none of them";
    agent->kill9();
    std::filesystem::remove_all(agent->directory() + "/output");
    agent->start();
    agent->wait_until_up();
    wait_for_nodes(*agents[0], 2);
    const std::string task = to_string((*ran)["index"]);
    const auto logs = run_dunlin(agents[0]->socket(), {"logs", std::to_string(job) + "." + task});
    EXPECT_EQ(logs.status, 1) << agent->name();
    EXPECT_THAT(logs.err, HasSubstr("some output is missing: task " + task + " wrote "));
    EXPECT_THAT(logs.err, HasSubstr(agent->name() + " has kept 0"));
  }
  const auto nothing = run_dunlin(agents[0]->socket(), {"logs", std::to_string(silent)});
  EXPECT_EQ(nothing.status, 0) << nothing.err << "nothing was written, so nothing is missing";
}

}  // namespace
}  // namespace dunlin::node
