// SPDX-License-Identifier: MIT
#include <chrono>
#include <fstream>
#include <gmock/gmock.h>
#include <thread>

#include "tests/node/agent_world.h"

// What a user does to a job that was accepted, from any agent: it is done when it is acknowledged,
// whatever becomes of the job's home afterwards.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class JobChanges : public AgentWorld {
 protected:
  JobChanges() {
    for (const char* const name : {"n0", "n1"}) add(name);
    for (const auto& agent : agents) agent->wait_until_up();
    for (const auto& agent : agents) wait_for_nodes(*agent, 2);
    wait_for_name();
  }

  /// A node that restarted has to say its name again.
  void wait_for_name() {
    EXPECT_TRUE(
        eventually([&] { return n1().call(request("find", {{"name", "n0.1"}})).contains("ok"); }));
  }
  TestAgent& home_agent() { return *agents[0]; }
  TestClient n1() const { return agents[1]->client(); }
  /// A request about a job of n0, sent to n1.
  Json ask_n1(const std::string& verb, std::uint32_t number, Json more = Json::object()) {
    more["job"] = "n0." + std::to_string(number);
    wait_for_name();
    return n1().ok(request(verb, std::move(more)));
  }
  void kill_and_restart_home() {
    home_agent().kill9();
    home_agent().start();
    home_agent().wait_until_up();
  }
  Json job(std::uint32_t number) {
    return home_agent().client().ok(request("job", {{"number", number}}));
  }
  std::string log_of_actions() {
    std::string verbs;
    const Json log = home_agent().client().ok(request("audit_log"));
    for (const Json& action : log["actions"]) {
      verbs += action["verb"].get<std::string>() + " ";
    }
    return verbs;
  }
};

TEST_F(JobChanges, AHoldSurvivesItsHome) {
  const auto number = submit(home_agent(), "echo $$ >> " + home + "/started; sleep 0.2", 40);
  EXPECT_EQ(ask_n1("hold", number)["held"], true);
  kill_and_restart_home();
  EXPECT_EQ(job(number)["state"], "held");
  // Those that run are found again, go on and end.
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const Json before = job(number)["counts"];
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_EQ(job(number)["counts"], before);
  EXPECT_GT(before["waiting"], 0);
  EXPECT_EQ(before["running"], 0);

  EXPECT_EQ(ask_n1("release", number)["held"], false);
  kill_and_restart_home();
  EXPECT_EQ(finish(home_agent(), number)["done"], 40);
  EXPECT_THAT(log_of_actions(), HasSubstr("release hold"));
}

TEST_F(JobChanges, ARetrySurvivesItsHome) {
  const auto number =
      submit(home_agent(), "echo try $DUNLIN_ATTEMPT; test -e " + home + "/mended", 3);
  EXPECT_EQ(finish(home_agent(), number)["failed"], 3);
  std::ofstream(home + "/mended") << "now";
  EXPECT_EQ(ask_n1("retry", number, {{"tasks", {0, 2}}})["retried"], 2);
  kill_and_restart_home();
  const Json counts = finish(home_agent(), number);
  EXPECT_EQ(counts["done"], 2);
  EXPECT_EQ(counts["failed"], 1);
  const Json tasks = ask_n1("tasks", number)["tasks"];
  EXPECT_GT(tasks[0]["attempt"], 1);
  EXPECT_EQ(tasks[1]["attempt"], 1);
  EXPECT_EQ(output(home_agent(), number, 0),
      "try " + std::to_string(tasks[0]["attempt"].get<int>()) + "\n");
  const Json first = ask_n1("output", number, {{"task", 0}, {"attempt", 1}});
  EXPECT_EQ(decode_base64(first["data"].get<std::string>()), "try 1\n");
  EXPECT_THAT(log_of_actions(), HasSubstr("retry"));
}

// Whatever dies meanwhile, the task runs again, with one result and no retry spent.
TEST_F(JobChanges, ARequeuedTaskRunsAgain) {
  const auto number = submit(home_agent(),
      "echo $DUNLIN_PREEMPTIONS; test $DUNLIN_PREEMPTIONS = 0 && sleep 1000; test -e " + home +
          "/never || exit 0",
      1);
  EXPECT_TRUE(eventually([&] { return job(number)["counts"]["running"] == 1; }));
  EXPECT_EQ(ask_n1("requeue", number, {{"tasks", {0}}})["requeued"], 1);
  EXPECT_EQ(finish(home_agent(), number)["done"], 1);
  EXPECT_EQ(output(home_agent(), number, 0), "1\n");
  const Json told = job(number);
  EXPECT_EQ(told["preemptions"], 1);
  const Json attempt = told["preempted"][0]["attempts"][0];
  EXPECT_EQ(attempt["outcome"], "preempted");
  EXPECT_EQ(attempt["detail"], "at its user's word");
  EXPECT_GT(attempt["started_at_ns"], 0);
  EXPECT_THAT(log_of_actions(), HasSubstr("requeue"));
  kill_and_restart_home();
  EXPECT_EQ(job(number)["preemptions"], 1);
  wait_for_name();
  const Json refused = n1().call(request("requeue", {{"job", "n0." + std::to_string(number)}}));
  EXPECT_EQ(refused["error"]["kind"], "refused") << refused;
}

TEST_F(JobChanges, TermsSurviveTheirHome) {
  const auto number = submit(home_agent(), "sleep 1000", 1);
  EXPECT_EQ(
      ask_n1("set", number, {{"priority", 90}, {"deadline_ns", 3'600'000'000'000}})["priority"],
      90);
  kill_and_restart_home();
  EXPECT_EQ(job(number)["priority"], 90);
  EXPECT_GE(job(number)["deadline_ns"], 3'600'000'000'000);
}

// Each task of an array has its own index, and no more of them run at a time than its user says.
TEST_F(JobChanges, AnArrayKeepsToItsIndicesAndItsBound) {
  const std::string running = home + "/running";
  const std::string script = "mkdir -p " + running + "/$DUNLIN_ARRAY_INDEX; ls " + running +
      " | wc -l; sleep 0.3; rmdir " + running + "/$DUNLIN_ARRAY_INDEX; echo index %{ENTRY}";
  const Json accepted = home_agent().client().ok(request("submit",
      {{"groups",
          {{{"command", {"sh", "-c", script}}, {"demand", {{"cpu_milli", 100}}},
              {"array", "10-16:2,3%2"}}}}}));
  EXPECT_EQ(accepted["tasks"], 5);
  const auto number = accepted["number"].get<std::uint32_t>();
  EXPECT_EQ(finish(home_agent(), number)["done"], 5);
  const std::vector<int> indices = {3, 10, 12, 14, 16};
  for (std::uint32_t task = 0; task < indices.size(); ++task) {
    const std::string said = output(home_agent(), number, task);
    EXPECT_THAT(said, HasSubstr("index " + std::to_string(indices[task]) + "\n"));
    EXPECT_LE(std::stoi(said), 2) << said;
  }
}

}  // namespace
}  // namespace dunlin::node
