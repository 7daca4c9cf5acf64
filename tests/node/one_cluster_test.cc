// SPDX-License-Identifier: MIT
#include <chrono>
#include <gmock/gmock.h>
#include <thread>

#include "tests/node/agent_world.h"

// Jobs belong to the cluster: what was submitted at one agent is seen, waited for, read and
// cancelled at any other.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class OneCluster : public AgentWorld {
 protected:
  OneCluster() {
    for (const char* const name : {"n0", "n1", "n2"}) add(name);
    for (const auto& agent : agents) agent->wait_until_up();
    for (const auto& agent : agents) wait_for_nodes(*agent, 3);
    EXPECT_TRUE(eventually([&] { return !known_at_n2("n0").empty(); })) << "names are told";
    EXPECT_TRUE(eventually([&] { return !known_at_n2("n1").empty(); }));
  }

  std::string known_at_n2(const std::string& name) {
    const Json found = n2().call(request("find", {{"name", name + ".1"}}));
    return found.contains("ok") ? found["ok"]["node"].get<std::string>() : "";
  }
  TestClient n2() const { return agents[2]->client(); }
  static std::string of_n0(std::uint32_t number) { return "n0." + std::to_string(number); }

  std::string read_at_n2(std::uint32_t number, int task, bool follow = false) {
    std::string text;
    const auto take = [&](const Json& part) {
      text += decode_base64(part["data"].get<std::string>());
    };
    take(n2().ok(
        request("output", {{"job", of_n0(number)}, {"task", task}, {"follow", follow}}), take));
    return text;
  }
};

TEST_F(OneCluster, AJobIsUsedFromAnyAgent) {
  const auto number = submit(*agents[0], "echo task $DUNLIN_TASK_INDEX; sleep 0.3", 3);
  const Json job = n2().ok(request("job", {{"job", of_n0(number)}}));
  EXPECT_EQ(job["number"], number);
  EXPECT_EQ(job["node_name"], "n0");
  EXPECT_EQ(n2().ok(request("job", {{"job", job["job"]}}))["lineage"], job["lineage"])
      << "the full id is accepted, too";
  EXPECT_EQ(n2().ok(request("explain", {{"job", of_n0(number)}}))["home_name"], "n0");

  const Json ended =
      n2().ok(request("wait", {{"at", "n0"}, {"numbers", {number}}}))["jobs"].front();
  EXPECT_EQ(ended["counts"]["done"], 3);
  EXPECT_EQ(read_at_n2(number, 1), "task 1\n");
  EXPECT_EQ(read_at_n2(number, 1, true), read_at_n2(number, 1)) << "-f ends with the task";
  EXPECT_EQ(n2().ok(request("tasks", {{"job", of_n0(number)}}))["tasks"].size(), 3u);
  std::size_t told = 0;
  const auto count = [&](const Json& reply) { told += reply["finished"].size(); };
  count(n2().ok(request("watch", {{"job", of_n0(number)}}), count));
  EXPECT_EQ(told, 3u);
}

TEST_F(OneCluster, AnyAgentListsTheJobsOfAll) {
  submit(*agents[0], "sleep 1000", 1);
  const auto ended = submit(*agents[1], "true", 1);
  finish(*agents[1], ended);
  const Json all = n2().ok(request("jobs", {{"cluster", true}, {"all", true}}));
  ASSERT_EQ(all["jobs"].size(), 2u);
  EXPECT_EQ(all["jobs"][0]["home_name"] == "n0", all["jobs"][0]["known_as"] == "n0.1");
  EXPECT_EQ(all["totals"]["running"].get<int>() + all["totals"]["waiting"].get<int>(), 1);
  EXPECT_EQ(all["totals"]["done"], 1);
  EXPECT_TRUE(all["silent"].empty());
  EXPECT_EQ(n2().ok(request("jobs", {{"all", true}}))["jobs"].size(), 0u) << "none of its own";

  agents[1]->kill9();
  const auto begun = std::chrono::steady_clock::now();
  const Json less = n2().ok(request("jobs", {{"cluster", true}, {"all", true}}));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2));
  EXPECT_EQ(less["jobs"].size(), 1u);
  ASSERT_EQ(less["silent"].size(), 1u);
  EXPECT_EQ(less["silent"][0]["name"], "n1");
}

TEST_F(OneCluster, AJobIsCancelledFromAnyAgent) {
  const auto number = submit(*agents[0], "sleep 1000", 2);
  EXPECT_EQ(n2().ok(request("cancel", {{"job", of_n0(number)}}))["cancelled"], 2);
  EXPECT_EQ(finish(*agents[0], number)["cancelled"], 2);
}

// Each attempt's output is kept where it ran.
TEST_F(OneCluster, AnEarlierAttemptIsRead) {
  const auto number =
      submit(*agents[0], "echo try $DUNLIN_ATTEMPT; test $DUNLIN_ATTEMPT = 3", 1, {{"retries", 2}});
  finish(*agents[0], number);
  for (const int attempt : {1, 2, 3}) {
    const Json piece = n2().ok(request("output", {{"job", of_n0(number)}, {"attempt", attempt}}));
    EXPECT_EQ(
        decode_base64(piece["data"].get<std::string>()), "try " + std::to_string(attempt) + "\n");
  }
  const Json none = n2().call(request("output", {{"job", of_n0(number)}, {"attempt", 4}}));
  EXPECT_EQ(none["error"]["text"], "task 0 has had no attempt 4");
}

// More than what may wait on the way passes whole.
TEST_F(OneCluster, LongOutputPassesWhole) {
  const auto number = submit(*agents[0], "head -c 6000000 /dev/zero", 1);
  finish(*agents[0], number);
  EXPECT_EQ(read_at_n2(number, 0).size(), 6'000'000u);
}

TEST_F(OneCluster, AHomeThatWasKilledIsAnErrorWithinTwoSeconds) {
  const auto number = submit(*agents[0], "sleep 1000", 1);
  Json waited;
  std::thread waiting(
      [&] { waited = n2().call(request("wait", {{"at", "n0"}, {"numbers", {number}}})); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  agents[0]->kill9();
  const auto begun = std::chrono::steady_clock::now();
  for (const char* const verb : {"job", "explain", "output", "watch", "cancel"}) {
    const Json reply = n2().call(request(verb, {{"job", of_n0(number)}}));
    ASSERT_TRUE(reply.contains("error")) << verb;
    EXPECT_EQ(reply["error"]["kind"], "timeout");
    EXPECT_THAT(reply["error"]["text"].get<std::string>(), HasSubstr("node n0 ("));
  }
  waiting.join();
  ASSERT_TRUE(waited.contains("error")) << waited;
  EXPECT_THAT(waited["error"]["text"].get<std::string>(), HasSubstr("does not answer"));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2));
}

}  // namespace
}  // namespace dunlin::node
