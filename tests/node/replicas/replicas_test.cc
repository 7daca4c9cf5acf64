// SPDX-License-Identifier: MIT
#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <map>
#include <thread>

#include "tests/node/replicas/replica_world.h"

// Jobs with replicas among real agents: a home is killed, and its disk with it; a standby goes on
// with its jobs, and clients at other agents hardly notice.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class ReplicasTest : public ReplicaWorld {
 protected:
  ReplicasTest() {
    for (const char* const name : {"n0", "n1", "n2", "n3"}) add(name, arguments_of(1));
  }

  /// A job of n0 with one standby, which has all of it, in books that bear the loss of a node.
  std::uint32_t submit_replicated(const std::string& script, int count) {
    form_cell();
    const auto number = submit(n0(), script, count);
    wait_for_standbys(number);
    return number;
  }
  TestClient n1() const { return agents[1]->client(); }
  TestClient n2() const { return agents[2]->client(); }
};

TEST_F(ReplicasTest, AStandbyGoesOnWhereAHomeIsGoneForGood) {
  const auto number = submit_replicated("echo task $DUNLIN_TASK_INDEX; sleep 0.2; echo done", 200);
  Json waited;
  std::thread waiting(
      [&] { waited = n2().ok(request("wait", {{"at", "n0"}, {"numbers", {number}}})); });
  std::map<int, int> told;
  std::thread watching([&] {
    const auto count = [&](const Json& reply) {
      if (!reply.contains("finished")) return;
      for (const Json& task : reply["finished"]) ++told[task["index"].get<int>()];
    };
    count(n1().ok(request("watch", of_n0(number)), count));
  });
  std::this_thread::sleep_for(1s);
  const auto begun = std::chrono::steady_clock::now();
  lose_home();
  const Json job = n1().ok(request("job", of_n0(number)));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
  EXPECT_NE(job["node_name"], "n0");
  EXPECT_EQ(job["origin_name"], "n0");
  waiting.join();
  watching.join();
  EXPECT_EQ(waited["jobs"][0]["counts"]["done"], 200);
  EXPECT_EQ(told.size(), 200u);
  for (const auto& [task, times] : told) EXPECT_EQ(times, 1) << "task " << task;
  const Json tasks = n2().ok(request("tasks", of_n0(number, {{"limit", 1000}})));
  EXPECT_EQ(tasks["tasks"].size(), 200u);
  for (const Json& task : tasks["tasks"]) EXPECT_EQ(task["state"], "done") << task.dump();
}

// The home comes back with its disk after a standby took its jobs over, and answers for them still.
TEST_F(ReplicasTest, AHomeThatComesBackLateFollowsItsJobs) {
  const auto number = submit_replicated("sleep 0.2", 100);
  agents[0]->kill9();
  EXPECT_NE(n1().ok(request("job", of_n0(number)))["node_name"], "n0");
  agents[0]->start();
  agents[0]->wait_until_up();
  const Json waited = agents[0]->client().ok(request("wait", {{"numbers", {number}}}));
  ASSERT_TRUE(waited.contains("jobs"));
  EXPECT_EQ(waited["jobs"][0]["counts"]["done"], 100);
  EXPECT_NE(waited["jobs"][0]["home_name"], "n0");
  const Json cancelled = agents[0]->client().call(request("cancel", {{"number", number}}));
  EXPECT_TRUE(cancelled.contains("ok") || cancelled["error"]["kind"] == "refused")
      << cancelled.dump();
}

TEST_F(ReplicasTest, AHomeThatRestartsSoonGoesOn) {
  const auto number = submit_replicated("sleep 0.2", 60);
  agents[0]->kill9();
  agents[0]->start();
  agents[0]->wait_until_up();
  const Json waited = n2().ok(request("wait", {{"at", "n0"}, {"numbers", {number}}}));
  EXPECT_EQ(waited["jobs"][0]["counts"]["done"], 60);
}

TEST_F(ReplicasTest, ACancelIsTheJobsAtWhicheverNodeDrivesIt) {
  const auto number = submit_replicated("sleep 1000", 20);
  lose_home();
  EXPECT_EQ(n2().ok(request("cancel", of_n0(number)))["cancelled"], 20);
  // Those that seem to wait may have ended at the home that died: workers are asked first.
  EXPECT_TRUE(eventually(
      [&] { return n1().ok(request("job", of_n0(number)))["counts"]["cancelled"] == 20; }));
}

// Held, no worker has it: the standby runs what its copy of the log says.
TEST_F(ReplicasTest, ACommandOfAMebibyteOutlivesItsHome) {
  form_cell();
  Json words = {"sh", "-c", "echo ${#1} ${#8} ${#A}", "x"};
  for (int i = 0; i < 7; ++i) words.push_back(std::string(131'071, 'w'));
  words.push_back(std::string(131'009, 'w'));
  const Json group = {{"command", words}, {"environment", {{"A", std::string(20, 'v')}}},
      {"demand", {{"cpu_milli", 100}, {"memory_mib", 16}}}};
  const Json told =
      n0().client().ok(request("submit", {{"name", "large"}, {"hold", true}, {"groups", {group}}}));
  const auto number = told.value("number", 0u);
  wait_for_standbys(number);
  lose_home();
  ASSERT_TRUE(eventually([&] { return taken_over(*agents[1], number); }));
  n1().ok(request("release", of_n0(number)));
  n1().ok(request("wait", {{"at", "n0"}, {"numbers", {number}}}));
  std::string bytes;
  const auto take = [&](const Json& part) { bytes += decode_base64(part.value("data", "")); };
  take(n2().ok(request("output", of_n0(number, {{"task", 0}, {"stream", "out"}})), take));
  EXPECT_EQ(bytes, "131071 131009 20\n");
}

TEST_F(ReplicasTest, MoreThanThereCanBeAreRefused) {
  const Json group = {{"command", {"true"}}, {"count", 1}, {"demand", {{"cpu_milli", 100}}}};
  const Json asked = {{"name", "test"}, {"groups", {group}}, {"replicas", 5}};
  const Json reply = n1().call(request("submit", asked));
  EXPECT_EQ(reply["error"]["kind"], "usage");
  EXPECT_THAT(reply["error"]["text"].get<std::string>(), HasSubstr("'replicas'"));
}

// A worker is gone with its disk; of what its tasks wrote, the home has the end.
TEST_F(ReplicasTest, TheEndOfOutputOutlivesItsWorker) {
  const auto number = submit_replicated("echo task $DUNLIN_TASK_INDEX", 20);
  finish(*agents[0], number);
  const Json tasks = agents[0]->client().ok(request("tasks", {{"number", number}}));
  agents[3]->kill9();
  std::filesystem::remove_all(agents[3]->directory());
  int elsewhere = 0;
  for (const Json& task : tasks["tasks"]) {
    if (task["worker_name"] != "n3") continue;
    ++elsewhere;
    const auto index = task["index"].get<std::uint32_t>();
    EXPECT_EQ(output(*agents[0], number, index), "task " + std::to_string(index) + "\n");
  }
  EXPECT_GT(elsewhere, 0) << tasks.dump();
}

}  // namespace
}  // namespace dunlin::node
