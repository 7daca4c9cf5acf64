// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <map>
#include <signal.h>
#include <thread>

#include "tests/node/replicas/host_network.h"
#include "tests/node/replicas/replica_world.h"

// Jobs with replicas where the home is alive, but the others do not hear it, or it does not hear
// them: a standby takes over, and the home that was deposed finds out and follows.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

class ReplicasApart : public ReplicaWorld {
 protected:
  ~ReplicasApart() override {
    if (watching.joinable()) watching.join();
    agents.clear();
  }

  /// Agents on hosts of their own, of which each keeps the books. False: this kernel makes no such
  /// networks.
  bool start(int hosts, int replicas) {
    network = std::make_unique<HostNetwork>(hosts);
    if (!network->missing().empty()) return false;
    for (int i = 0; i < hosts; ++i) {
      std::vector<std::string> words = arguments_of(replicas);
      words.push_back("--bind=" + HostNetwork::address(i));
      words.push_back("--join=" + HostNetwork::address(i == 0 ? 1 : 0));
      words.push_back("--cell.voters=" + std::to_string(hosts));
      const std::string name = "n" + std::to_string(i);
      agents.push_back(std::make_unique<TestAgent>(name, home + "/" + name, key, std::move(words)));
      agents.back()->in_child = [this, i] { network->enter(i); };
      agents.back()->start();
    }
    form_cell(static_cast<std::size_t>(replicas), hosts);
    return true;
  }
  /// The agent that clients of these tests ask; never the first home.
  TestAgent& witness() const { return *agents.back(); }
  /// Submits a job of n0 which leaves marks, and watches it at the witness.
  void submit_marked(int count, const std::string& seconds) {
    tasks = static_cast<std::size_t>(count);
    number = submit(n0(),
        "echo $DUNLIN_TASK_INDEX $DUNLIN_ATTEMPT >> " + home + "/marks; sleep " + seconds, count);
    watching = std::thread([this] {
      const auto take = [this](const Json& reply) {
        if (!reply.contains("finished")) return;
        for (const Json& task : reply["finished"]) ++told[task["index"].get<int>()];
      };
      take(witness().client().ok(request("watch", of_n0(number)), take));
    });
    EXPECT_TRUE(eventually([&] {
      const Json job = job_at(witness(), number);
      return job.contains("counts") && job["counts"]["done"] > 0;
    }));
  }
  /// One more job. Its acknowledgement may not come yet.
  std::future<Json> submit_in_background() const {
    return std::async(std::launch::async, [this] {
      const Json group = {{"command", {"true"}}, {"demand", {{"cpu_milli", 100}}}};
      return n0().client().call(request("submit", {{"groups", Json::array({group})}}));
    });
  }

  /// Waits for the end of the job, and checks what must hold however often its home changed.
  void expect_each_result_once() {
    watching.join();
    EXPECT_EQ(told.size(), tasks);
    for (const auto& [task, times] : told) EXPECT_EQ(times, 1) << "task " << task;
    const Json all =
        witness().client().ok(request("tasks", of_n0(number, {{"limit", 1000}})))["tasks"];
    EXPECT_EQ(all.size(), tasks);
    for (const Json& task : all) EXPECT_EQ(task["state"], "done") << task.dump();
    std::ifstream marks(home + "/marks");
    const std::size_t homes = 1 + expect_one_home_per_epoch();
    std::map<std::string, std::size_t> begun;
    for (std::string line; std::getline(marks, line);) {
      // Each home numbers the attempts that it makes from 1: see number_of().
      EXPECT_LE(++begun[line], homes) << "task and attempt " << line << " ran too often";
    }
  }
  /// Returns how often a log was taken over.
  std::size_t expect_one_home_per_epoch() {
    std::map<std::string, std::string> homes;
    for (const auto& agent : agents) {
      const auto take = [&](const Json& reply) {
        for (const Json& event : reply["events"]) {
          const Json& fields = event["fields"];
          const std::string office = fields["log"].dump() + " epoch " + fields["epoch"].dump();
          const auto [at, is_new] = homes.emplace(office, agent->name());
          EXPECT_TRUE(is_new) << "both " << at->second << " and " << agent->name() << " drove log "
                              << office;
        }
      };
      take(agent->client().ok(request("events", {{"names", {"log_taken"}}}), take));
    }
    return homes.size();
  }
  /// n0 knows that another node drives its job, and says the same as that one.
  void expect_n0_follows() {
    std::string now;
    EXPECT_TRUE(eventually([&] {
      now = home_at(witness(), number);
      return !now.empty() && now != "n0" && home_at(n0(), number) == now;
    })) << "n0: "
        << home_at(n0(), number) << ", " << witness().name() << ": " << now;
  }
  /// After what was done to the network.
  void expect_takeover() {
    EXPECT_TRUE(eventually([&] { return taken_over(witness(), number); }));
  }

  std::unique_ptr<HostNetwork> network;
  std::uint32_t number = 0;
  std::size_t tasks = 0;
  std::map<int, int> told;
  std::thread watching;
};

TEST_F(ReplicasApart, HalvesOfWhichTheHomesIsTheSmaller) {
  if (!start(5, 4)) GTEST_SKIP() << network->missing();
  submit_marked(300, "0.5");
  network->split({0, 1});
  expect_takeover();
  // What is submitted in the smaller half is not acknowledged: its standbys may be a home's by now.
  const auto submitted = submit_in_background();
  EXPECT_EQ(submitted.wait_for(3s), std::future_status::timeout) << "n0 was deposed";
  network->heal();
  expect_n0_follows();
  expect_each_result_once();
  Json standbys;
  EXPECT_TRUE(eventually([&] {
    standbys = job_at(witness(), number).value("standbys", Json::array());
    return std::ranges::any_of(
        standbys, [](const Json& each) { return each["node_name"] == "n0"; });
  })) << "n0 is no standby: "
      << standbys;
}

TEST_F(ReplicasApart, AHomeThatIsNotHeard) {
  if (!start(3, 1)) GTEST_SKIP() << network->missing();
  submit_marked(150, "0.5");
  network->mute(0);
  expect_takeover();
  network->heal();
  expect_n0_follows();
  expect_each_result_once();
}

// It learns of no acknowledgement, and tells nothing. Its own worker's words, and its own
// manager's, are no sign that it hears others, so it falls silent and makes way.
TEST_F(ReplicasApart, AHomeThatHearsNothing) {
  if (!start(3, 1)) GTEST_SKIP() << network->missing();
  submit_marked(150, "0.5");
  network->deafen(0);
  const auto submitted = submit_in_background();
  EXPECT_EQ(submitted.wait_for(6s), std::future_status::timeout)
      << "no standby was heard to have it";
  expect_takeover();
  network->heal();
  expect_n0_follows();
  expect_each_result_once();
}

// A machine that is suspended, and goes on as if no time had passed.
TEST_F(ReplicasApart, AHomeThatIsStoppedForTenSeconds) {
  if (!start(3, 1)) GTEST_SKIP() << network->missing();
  submit_marked(150, "0.5");
  n0().signal(SIGSTOP);
  std::this_thread::sleep_for(10s);
  EXPECT_TRUE(taken_over(witness(), number));
  n0().signal(SIGCONT);
  expect_n0_follows();
  expect_each_result_once();
}

}  // namespace
}  // namespace dunlin::node
