// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <set>
#include <signal.h>
#include <sstream>
#include <thread>

#include "node/store/checked_rows.h"
#include "node/store/sqlite.h"
#include "tests/node/agent_world.h"

// The promises to users, kept by real agents: an acknowledged submit survives its frontend, a lost
// worker loses no task, and each result is recorded once.
namespace dunlin::node {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::SizeIs;

/// Every recorded task of a job, by page.
std::vector<Json> tasks_of(TestAgent& at, std::uint32_t job) {
  std::vector<Json> tasks;
  TestClient client = at.client();
  Json next = 0;
  while (!next.is_null()) {
    const Json page = client.ok(request("tasks", {{"number", job}, {"from", next}, {"limit", 16}}));
    if (!page.contains("tasks")) break;
    for (const Json& task : page["tasks"]) tasks.push_back(task);
    next = page["next"];
  }
  return tasks;
}

/// Each task of the script appends its index to a file; returns how often each did.
std::map<std::string, int> lines_of(const std::string& path) {
  std::map<std::string, int> count;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) ++count[line];
  return count;
}

TEST_F(AgentWorld, ASocketThatIsGoneIsMadeAgain) {
  TestAgent& agent = add("one");
  std::filesystem::remove(agent.socket());
  // The file is there a moment before the agent listens; the word comes after that.
  EXPECT_TRUE(eventually([&] { return agent.log().find("socket_made_again") != std::string::npos; },
      std::chrono::seconds(10)));
  EXPECT_EQ(finish(agent, submit(agent, "true", 1))["done"], 1);
}

TEST_F(AgentWorld, OneAgentRunsACommand) {
  TestAgent& agent = add("one");
  const std::uint32_t job = submit(agent, "echo hello; echo sorry >&2; exit 3", 1);
  EXPECT_EQ(finish(agent, job)["failed"], 1);
  EXPECT_EQ(output(agent, job, 0), "hello\n");
  const auto tasks = tasks_of(agent, job);
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0]["status"], 3);
  EXPECT_EQ(tasks[0]["shell_status"], 3);
  EXPECT_EQ(tasks[0]["worker_name"], "one");
  const Json jobs = agent.client().ok(request("jobs", {{"all", true}}))["jobs"];
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0]["state"], "failed");
  EXPECT_EQ(jobs[0]["reason"], "task 0: exit 3 on one");
}

TEST_F(AgentWorld, SeveralAgentsShareAJob) {
  for (const char* name : {"a", "b", "c"}) add(name);
  wait_for_nodes(*agents[0], 3);
  const std::uint32_t job = submit(*agents[1], "sleep 0.2; echo $DUNLIN_TASK_INDEX", 36);
  EXPECT_EQ(finish(*agents[1], job)["done"], 36);
  std::set<std::string> workers;
  const auto tasks = tasks_of(*agents[1], job);
  ASSERT_EQ(tasks.size(), 36u);
  for (const Json& task : tasks) workers.insert(task["worker_name"].get<std::string>());
  EXPECT_EQ(workers, (std::set<std::string>{"a", "b", "c"}));
  // Wherever it ran, its output is read through any agent that knows the job.
  for (const std::uint32_t index : {0u, 17u, 35u}) {
    EXPECT_EQ(output(*agents[1], job, index), std::to_string(index) + "\n");
  }
  const Json details = agents[1]->client().ok(request("job", {{"number", job}}));
  EXPECT_EQ(details["run"]["count"], 36);
  EXPECT_GE(details["run"]["p50"], 200'000'000);
}

TEST_F(AgentWorld, WatchTellsEachFinishedTaskOnce) {
  TestAgent& agent = add("one");
  const std::uint32_t job = submit(agent, "sleep 0.05", 30);
  std::multiset<std::uint32_t> told;
  const auto take = [&](const Json& part) {
    for (const Json& task : part["finished"]) told.insert(task["index"].get<std::uint32_t>());
  };
  const Json last = agent.client().ok(request("watch", {{"number", job}}), take);
  take(last);
  EXPECT_EQ(last["progress"]["state"], "done");
  EXPECT_EQ(told.size(), 30u);
  EXPECT_EQ(std::set<std::uint32_t>(told.begin(), told.end()).size(), 30u);
}

TEST_F(AgentWorld, OutputIsFollowedWhileItIsWritten) {
  add("a", {"--cpus=0.1"});
  TestAgent& worker = add("b");
  wait_for_nodes(*agents[0], 2);
  // Only the other node has room for it.
  const std::uint32_t job = submit(*agents[0], "for i in 1 2 3; do echo $i; sleep 0.3; done", 1);
  EXPECT_EQ(output(*agents[0], job, 0, /*follow=*/true), "1\n2\n3\n");
  EXPECT_EQ(tasks_of(*agents[0], job)[0]["worker_name"], worker.name());
}

TEST_F(AgentWorld, AcknowledgedJobSurvivesItsFrontend) {
  for (const char* name : {"a", "b"}) add(name);
  wait_for_nodes(*agents[0], 2);
  const std::string trace = home + "/trace";
  const std::uint32_t job =
      submit(*agents[0], "sleep 0.3; echo $DUNLIN_TASK_INDEX >> " + trace, 24);
  agents[0]->kill9();
  agents[0]->start();
  agents[0]->wait_until_up();
  EXPECT_EQ(finish(*agents[0], job)["done"], 24);
  EXPECT_EQ(lines_of(trace).size(), 24u);
  EXPECT_EQ(tasks_of(*agents[0], job).size(), 24u);
  // Another life: its numbers go on where they were.
  EXPECT_GT(submit(*agents[0], "true", 1), job);
  EXPECT_GE(agents[0]->client().ok(request("status"))["incarnation"], 2);
}

// Its clock counts from the machine's boot; what a job's age is measured by must last longer.
TEST_F(AgentWorld, JobsKeepTheirAgeWhenTheAgentRestarts) {
  constexpr std::int64_t kHour = 3'600'000'000'000;
  TestAgent& agent = add("one");
  finish(agent, submit(agent, "true", 1));
  submit(agent, "sleep 1000", 5);
  const auto ages_after = [&](std::int64_t hours) {
    agent.kill9();
    const std::string submitted = "update jobs set submitted_at = submitted_at - ";
    auto database = Database::open(agent.directory() + "/dunlin.sqlite");
    EXPECT_TRUE(database->execute((submitted + std::to_string(hours * kHour)).c_str()));
    EXPECT_TRUE(database->execute(sum_all_rows().c_str())) << "or the rows count as damaged";
    agent.start();
    agent.wait_until_up();
    TestClient client = agent.client();
    std::vector<std::int64_t> ages;
    const Json jobs = client.ok(request("jobs", {{"all", true}}))["jobs"];
    for (const Json& job : jobs) {
      ages.push_back(job["age_ns"]);
      const Json explained = client.ok(request("explain", {{"number", job["number"]}}));
      ages.push_back(explained["groups"][0]["waited_ns"]);
      ages.push_back(client.ok(request("job", {{"number", job["number"]}}))["age_ns"]);
    }
    return ages;
  };
  const auto older_than = [](std::int64_t hours) {
    return AllOf(Ge(hours * kHour), Lt((hours + 1) * kHour));
  };
  EXPECT_THAT(ages_after(1'000'000), AllOf(SizeIs(6), Each(Ge(800'000 * kHour)))) << "saturates";
  EXPECT_THAT(ages_after(-999'900), AllOf(SizeIs(6), Each(older_than(100))));
  // The same as when the wall clock has been set back by so much.
  EXPECT_THAT(ages_after(-200), AllOf(SizeIs(6), Each(older_than(0))));
}

TEST_F(AgentWorld, LostWorkerLosesNoTask) {
  for (const char* name : {"a", "b", "c"}) add(name);
  wait_for_nodes(*agents[0], 3);
  const std::string trace = home + "/trace";
  const std::uint32_t job =
      submit(*agents[0], "sleep 0.4; echo $DUNLIN_TASK_INDEX >> " + trace, 40);
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  agents[2]->kill9();
  const Json counts = finish(*agents[0], job);
  EXPECT_EQ(counts["done"], 40);
  EXPECT_EQ(lines_of(trace).size(), 40u);
  EXPECT_EQ(tasks_of(*agents[0], job).size(), 40u);
}

TEST_F(AgentWorld, CancelledTasksAreSeenDead) {
  TestAgent& agent = add("one");
  const std::uint32_t job = submit(agent, "sleep 1000", 8);
  EXPECT_TRUE(eventually([&] {
    const Json jobs = agent.client().ok(request("jobs"))["jobs"];
    return !jobs.empty() && jobs[0]["counts"]["running"] == 4;
  }));
  EXPECT_EQ(agent.client().ok(request("cancel", {{"number", job}}))["cancelled"], 8);
  EXPECT_EQ(finish(agent, job)["cancelled"], 8);
  EXPECT_EQ(agent.client().ok(request("status"))["running"], 0);
}

TEST_F(AgentWorld, RetriesFailedAttempts) {
  TestAgent& agent = add("one");
  const std::uint32_t job = submit(agent, "test $DUNLIN_ATTEMPT -ge 3", 2, {{"retries", 3}});
  EXPECT_EQ(finish(agent, job)["done"], 2);
  const std::uint32_t hopeless = submit(agent, "exit 9", 1, {{"retries", 2}});
  EXPECT_EQ(finish(agent, hopeless)["failed"], 1);
  const Json details = agent.client().ok(request("job", {{"number", hopeless}}));
  EXPECT_EQ(details["failed"][0]["attempts"].size(), 2u);
  EXPECT_EQ(details["failed"][0]["attempt"], 3);
}

TEST_F(AgentWorld, DrainingNodeTakesNothingMore) {
  for (const char* name : {"a", "b"}) add(name);
  wait_for_nodes(*agents[0], 2);
  TestClient client = agents[0]->client();
  EXPECT_EQ(client.ok(request("drain", {{"node", "b"}, {"on", true}}))["draining"], true);
  const std::uint32_t job = submit(*agents[0], "true", 20);
  EXPECT_EQ(finish(*agents[0], job)["done"], 20);
  for (const Json& task : tasks_of(*agents[0], job)) EXPECT_EQ(task["worker_name"], "a");
  EXPECT_EQ(client.ok(request("drain", {{"node", "b"}, {"on", false}}))["draining"], false);
  EXPECT_EQ(client.call(request("drain", {{"node", "nobody"}, {"on", true}}))["error"]["kind"],
      "not_found");
}

TEST_F(AgentWorld, ImpossibleDemandIsRefusedAndExplained) {
  TestAgent& agent = add("one");
  const Json groups = Json::array({{{"command", {"true"}}, {"demand", {{"memory_mib", 921'600}}}}});
  const Json refused = agent.client().call(request("submit", {{"groups", groups}}));
  EXPECT_THAT(refused["error"]["text"].get<std::string>(), HasSubstr("900 GiB"));
  const Json accepted =
      agent.client().ok(request("submit", {{"groups", groups}, {"allow_unsatisfiable", true}}));
  const Json explained =
      agent.client().ok(request("explain", {{"number", accepted["number"]}}))["groups"][0];
  EXPECT_EQ(explained["census"]["known"], 1);
  EXPECT_EQ(explained["census"]["could_fit"], 0);
  EXPECT_THAT(explained["verdict"].get<std::string>(), HasSubstr("cannot be met"));
}

TEST_F(AgentWorld, LinesComeInPieces) {
  TestAgent& agent = add("one");
  TestClient client = agent.client();
  const Json group = {{"command", {"echo", "%{ENTRY}"}}, {"demand", {{"cpu_milli", 1}}}};
  const Json upload =
      client.ok(request("submit_begin", {{"groups", Json::array({group})}}))["upload"];
  for (int chunk = 0; chunk < 3; ++chunk) {
    Json lines = Json::array();
    for (int i = 0; i < 10; ++i) lines.push_back("line " + std::to_string(10 * chunk + i));
    client.ok(request("submit_lines", {{"upload", upload}, {"group", 0}, {"lines", lines}}));
  }
  const Json accepted = client.ok(request("submit_end", {{"upload", upload}}));
  EXPECT_EQ(accepted["tasks"], 30);
  const auto job = accepted["number"].get<std::uint32_t>();
  EXPECT_EQ(finish(agent, job)["done"], 30);
  EXPECT_EQ(output(agent, job, 29), "line 29\n");
  EXPECT_EQ(client.call(request("submit_end", {{"upload", upload}}))["error"]["kind"], "not_found");
}

TEST_F(AgentWorld, FirstSigtermDrains) {
  TestAgent& agent = add("one");
  const std::string trace = home + "/trace";
  submit(agent, "sleep 1; echo done >> " + trace, 1);
  EXPECT_TRUE(eventually([&] { return agent.client().ok(request("status"))["running"] == 1; }));
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(lines_of(trace).size(), 1u);
}

// A parent that blocks signals, and forgets it, left an agent behind that could only be killed.
TEST_F(AgentWorld, SignalsThatItsParentBlockedAreHeard) {
  TestAgent& agent = add("one");
  agent.kill9();
  agent.in_child = [] {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
  };
  agent.start();
  agent.wait_until_up();
  EXPECT_EQ(finish(agent, submit(agent, "true", 1))["done"], 1);
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
}

TEST_F(AgentWorld, SecondSigtermStopsAtOnce) {
  TestAgent& agent = add("one");
  submit(agent, "sleep 1000", 1);
  EXPECT_TRUE(eventually([&] { return agent.client().ok(request("status"))["running"] == 1; }));
  agent.signal(SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_TRUE(agent.running());
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_FALSE(std::filesystem::exists(agent.socket()));
}

}  // namespace
}  // namespace dunlin::node
