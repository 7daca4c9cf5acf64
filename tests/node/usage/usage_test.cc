// SPDX-License-Identifier: MIT
#include <chrono>
#include <gmock/gmock.h>

#include "tests/node/program.h"
#include "tests/node/replicas/replica_world.h"

// Who used how much, as real agents add it up: through restarts, and through a takeover.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class UsageLive : public AgentWorld {
 protected:
  UsageLive() {
    for (const char* const name : {"n0", "n1", "n2"}) add(name);
    for (const auto& agent : agents) agent->wait_until_up();
    for (const auto& agent : agents) wait_for_nodes(*agent, agents.size());
  }
  /// What `dunlin usage --json` prints at the third agent.
  Json usage(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"usage", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramRun run = run_dunlin(agents[2]->socket(), words);
    EXPECT_EQ(run.status, 0) << run.err;
    const Json told = Json::parse(run.out, nullptr, false);
    EXPECT_TRUE(told.is_object()) << run.out;
    return told;
  }
  /// The sums of all once that many tasks have ended.
  Json total_of(int tasks) const {
    Json told;
    EXPECT_TRUE(eventually([&] {
      told = usage();
      return told["total"]["tasks"] == tasks;
    })) << told.dump();
    return told["total"];
  }
  static Json group(const std::string& script, int count, int cpu_milli) {
    return {{"groups",
        {{{"command", {"/bin/sh", "-c", script}}, {"count", count},
            {"demand", {{"cpu_milli", cpu_milli}, {"memory_mib", 64}}}}}}};
  }
  void run_job(std::size_t at, Json job) {
    job["name"] = "used";
    const auto number =
        agents[at]->client().ok(request("submit", std::move(job))).value("number", 0u);
    finish(*agents[at], number);
  }
};

TEST_F(UsageLive, AllHomesAddUpAndARestartChangesNothing) {
  EXPECT_THAT(run_dunlin(agents[2]->socket(), {"usage"}).out, StartsWith("nothing was used from"));
  run_job(0, group("sleep 0.5", 4, 500));
  // Processor time, and not only time that passes.
  run_job(0, group("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done", 1, 1000));
  run_job(1, group("sleep 0.2; exit 3", 2, 1000));
  const Json all = total_of(7);
  EXPECT_EQ(all["jobs"], 3);
  EXPECT_EQ(all["failed"], 2);
  const double held = all["cpu_held_s"].get<double>();
  const double wasted = all["cpu_wasted_s"].get<double>();
  EXPECT_GE(held, 4 * .5 * .5 + 2 * .2);
  EXPECT_LT(held, 60.0);
  EXPECT_GE(wasted, 2 * .2);
  EXPECT_LT(wasted, held);
  EXPECT_GT(all["cpu_used_s"].get<double>(), 0.0);
  EXPECT_GE(all["memory_held_byte_s"].get<double>(), 64.0 * 1024 * 1024 * 4 * .5);

  const Json by_node = usage({"--by", "node"})["usage"];
  ASSERT_EQ(by_node.size(), 2u) << by_node.dump();
  for (const Json& line : by_node) {
    EXPECT_EQ(line["tasks"], line["name"] == "n0" ? 5 : 2) << line.dump();
  }
  agents[0]->kill9();
  agents[0]->start();
  agents[0]->wait_until_up();
  EXPECT_EQ(total_of(7), all) << "not a millisecond more or less";
  run_job(0, group("true", 3, 100));
  EXPECT_EQ(total_of(10)["jobs"], 4);

  const ProgramRun csv = run_dunlin(agents[1]->socket(), {"usage", "--csv", "--by", "class"});
  EXPECT_THAT(csv.out, HasSubstr("\r\ndefault,4,10,2,"));
  const ProgramRun table = run_dunlin(agents[1]->socket(), {"usage", "--by", "day"});
  EXPECT_THAT(table.out, StartsWith("DAY"));
}

TEST_F(UsageLive, SaysWhoseSumsAreMissing) {
  run_job(1, group("true", 2, 100));
  total_of(2);
  agents[1]->kill9();
  const ProgramRun run = run_dunlin(agents[2]->socket(), {"usage"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("what they know is missing: 1 node did not answer: n1"));
}

class UsageTakeover : public ReplicaWorld {
 protected:
  UsageTakeover() {
    for (const char* const name : {"n0", "n1", "n2", "n3"}) add(name, arguments_of(1));
  }
  Json total() const {
    const Json told = agents[1]->client().ok(request("usage", {{"cluster", true}}));
    return told.value("total", Json::object());
  }
};

// The standby adds up what the log says; the home that comes back has the same attempts, too.
TEST_F(UsageTakeover, NoAttemptCountsTwiceWhicheverHomeAnswers) {
  form_cell();
  const auto number = submit(n0(), "sleep 0.1; [ $DUNLIN_TASK_INDEX != 3 ]", 20);
  wait_for_standbys(number);
  finish(n0(), number);
  const auto adds_up = [&] {
    const Json sums = total();
    return sums.value("tasks", 0) == 20 && sums.value("failed", 0) == 1 &&
        sums.value("jobs", 0) == 2;
  };
  ASSERT_TRUE(eventually(adds_up)) << total().dump();
  const Json before = total();
  n0().kill9();
  ASSERT_TRUE(eventually([&] { return taken_over(*agents[1], number); }, 60s));
  EXPECT_TRUE(eventually(adds_up)) << "by the standby alone: " << total().dump();
  n0().start();
  n0().wait_until_up();
  wait_for_nodes(*agents[1], agents.size());
  EXPECT_TRUE(eventually(adds_up)) << "with both: " << total().dump();
  EXPECT_EQ(total()["cpu_held_ms"], before["cpu_held_ms"]);
}

}  // namespace
}  // namespace dunlin::node
