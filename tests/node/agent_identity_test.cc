// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <signal.h>
#include <sqlite3.h>

#include "node/identity/identity_marks.h"
#include "node/wall_clock.h"
#include "tests/node/agent_world.h"

// Nodes that lose their disk, get an old one back or are copied: a result is never another job's,
// the cluster hears the node again within seconds, and no operator has to guess what happened.
namespace dunlin::node {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::HasSubstr;

class IdentityWorld : public AgentWorld {
 protected:
  static void copy_files(
      const std::string& from, const std::string& to, const std::string& prefix) {
    fs::create_directories(to);
    for (const auto& entry : fs::directory_iterator(from)) {
      const std::string name = entry.path().filename();
      if (entry.is_regular_file() && name.starts_with(prefix)) {
        fs::copy(entry.path(), fs::path(to) / name, fs::copy_options::overwrite_existing);
      }
    }
  }
  static void remove_files(const std::string& from, const std::string& prefix) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(from)) {
      const std::string name = entry.path().filename();
      if (entry.is_regular_file() && name.starts_with(prefix)) found.push_back(entry.path());
    }
    for (const fs::path& path : found) fs::remove(path);
  }
  static void start_again(TestAgent& agent) {
    agent.start();
    agent.wait_until_up();
  }
  /// Tasks that say what they belong to, on both nodes; all of them must say it.
  std::uint32_t run_and_check(TestAgent& at, const std::string& word) {
    const std::string ran = home + "/ran-" + word;
    const std::uint32_t job = submit(at, "echo " + word + "; echo x >> " + ran + "; sleep 0.2", 6);
    EXPECT_NE(job, 0u);
    EXPECT_EQ(finish(at, job)["done"], 6);
    for (std::uint32_t task = 0; task < 6; ++task) {
      EXPECT_EQ(output(at, job, task), word + "\n") << "task " << task << " of job " << job;
    }
    std::ifstream lines(ran);
    EXPECT_EQ(std::count(std::istreambuf_iterator<char>(lines), {}, '\n'), 6) << word << " ran";
    return job;
  }
  static std::string trouble_of(TestAgent& at, const std::string& name) {
    const Json nodes = at.client().ok(request("nodes"))["nodes"];
    for (const Json& node : nodes) {
      if (node["name"] == name) return node.value("trouble", "");
    }
    return "";
  }
  bool logs(TestAgent& agent, const std::string& event) {
    return eventually([&] { return agent.log().find(event) != std::string::npos; }, seconds(20));
  }
};

// The documented cure of a damaged database.
TEST_F(IdentityWorld, ADatabaseMovedAwayTakesNoResultsWithIt) {
  TestAgent& a = add("a");
  TestAgent& b = add("b");
  wait_for_nodes(a, 2);
  const std::uint32_t first = run_and_check(a, "first");
  // Tasks of this one still run elsewhere, and report to a node that knows nothing of them.
  const std::uint32_t stale = submit(a, "sleep 3; echo stale; exit 3", 4);
  EXPECT_TRUE(eventually([&] {
    return a.client().ok(request("job", {{"number", stale}}))["counts"]["running"] == 4;
  }));
  a.kill9();
  remove_files(a.directory(), "dunlin.sqlite");
  start_again(a);
  wait_for_nodes(b, 2);
  const std::uint32_t second = run_and_check(a, "second");
  EXPECT_GT(second, stale) << "people do not see a number twice";
  EXPECT_EQ(a.client().call(request("job", {{"number", first}}))["error"]["kind"], "not_found");
}

// As before, but all that is beside the database goes back, too: a machine that was rolled back. So
// numbers come again.
TEST_F(IdentityWorld, AMachineRolledBackMixesNoJobs) {
  TestAgent& a = add("a");
  TestAgent& b = add("b");
  wait_for_nodes(a, 2);
  run_and_check(a, "first");
  a.kill9();
  copy_files(a.directory(), home + "/snapshot", "");
  start_again(a);
  wait_for_nodes(a, 2);
  const std::uint32_t before = run_and_check(a, "before");
  const std::uint32_t stale = submit(a, "sleep 3; echo stale; exit 3", 4);
  const Json stale_job = a.client().ok(request("job", {{"number", stale}}));
  EXPECT_TRUE(eventually([&] {
    return a.client().ok(request("job", {{"number", stale}}))["counts"]["running"] == 4;
  }));
  a.kill9();
  remove_files(a.directory(), "");
  copy_files(home + "/snapshot", a.directory(), "");
  start_again(a);
  wait_for_nodes(b, 2);
  EXPECT_EQ(run_and_check(a, "after"), before) << "or this tests less than it should";
  const std::uint32_t again = run_and_check(a, "again");
  EXPECT_EQ(again, stale);
  const Json asked = a.client().call(
      request("job", {{"number", again}, {"lineage", stale_job.value("lineage", "")}}));
  EXPECT_EQ(asked["error"]["kind"], "not_found") << "it is another job";
}

TEST_F(IdentityWorld, ABackupOfAnHourAgoMixesNoJobs) {
  TestAgent& a = add("a");
  add("b");
  wait_for_nodes(a, 2);
  const std::uint32_t kept = run_and_check(a, "kept");
  a.kill9();
  copy_files(a.directory(), home + "/backup", "dunlin.sqlite");
  start_again(a);
  wait_for_nodes(a, 2);
  const std::uint32_t lost = run_and_check(a, "lost");
  a.kill9();
  remove_files(a.directory(), "dunlin.sqlite");
  copy_files(home + "/backup", a.directory(), "dunlin.sqlite");
  start_again(a);
  wait_for_nodes(a, 2);
  EXPECT_EQ(output(a, kept, 2), "kept\n");
  EXPECT_EQ(a.client().call(request("job", {{"number", lost}}))["error"]["kind"], "not_found");
  EXPECT_GT(run_and_check(a, "new"), lost);
}

// sync = normal: the log of the database was not on the disk yet, nor were the marks.
TEST_F(IdentityWorld, APowerCutMixesNoJobs) {
  TestAgent& a = add("a");
  add("b");
  wait_for_nodes(a, 2);
  run_and_check(a, "first");
  a.signal(SIGTERM);
  EXPECT_EQ(a.wait(), 0);
  copy_files(a.directory(), home + "/disk", "");  // What is surely on the disk.
  start_again(a);
  wait_for_nodes(a, 2);
  const std::uint32_t lost = run_and_check(a, "lost");
  const auto life = a.client().ok(request("status")).value("incarnation", std::uint64_t{0});
  a.kill9();
  remove_files(a.directory(), "dunlin.sqlite");
  copy_files(home + "/disk", a.directory(), "dunlin.sqlite");
  copy_files(home + "/disk", a.directory(), "identity.marks");
  // Lives are told apart by the second in which they begin; no machine boots within that second.
  EXPECT_TRUE(eventually([&] { return unix_seconds() > std::int64_t(life); }, seconds(5)));
  start_again(a);
  wait_for_nodes(a, 2);
  EXPECT_EQ(run_and_check(a, "new"), lost) << "the number is given again, to another job";
}

// A clock that was ahead once, and no memory of it: peers tell the node, which rises.
TEST_F(IdentityWorld, ANodeWithoutItsMemoryIsHeardAgainWithinSeconds) {
  TestAgent& b = add("b");
  fs::create_directories(home + "/a");
  {
    auto marks = std::move(*IdentityMarks::open(home + "/a"));
    ASSERT_TRUE(marks.raise_incarnation(static_cast<std::uint32_t>(unix_seconds()) + 10'000));
  }
  TestAgent& a = add("a");
  wait_for_nodes(b, 2);
  const auto before = a.client().ok(request("status")).value("incarnation", std::uint64_t{0});
  a.kill9();
  remove_files(a.directory(), "dunlin.sqlite");
  remove_files(a.directory(), "identity.marks");
  start_again(a);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(logs(a, "incarnation_raised"));
  wait_for_nodes(b, 2);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(15));
  EXPECT_GT(a.client().ok(request("status")).value("incarnation", std::uint64_t{0}), before);
  EXPECT_TRUE(logs(b, "peer_superseded"));
  EXPECT_TRUE(logs(b, "peer_reinstated"));
  run_and_check(b, "together");
  a.kill9();
  start_again(a);
  wait_for_nodes(b, 2);
  EXPECT_GT(a.client().ok(request("status")).value("incarnation", std::uint64_t{0}), before + 1)
      << "it was on the disk before anybody heard of it";
}

class ClonedAgent : public IdentityWorld, public ::testing::WithParamInterface<int> {};

// The clock of the first is as many hours ahead when it starts. The wall clock decides nothing, nor
// which of the two is of the later incarnation.
TEST_P(ClonedAgent, TheYoungerOfTwoWithOneDirectoryStops) {
  TestAgent& b = add("b");
  std::ofstream(home + "/clock") << GetParam() * 3600;
  agents.push_back(std::make_unique<TestAgent>(
      "a", home + "/a", key, std::vector<std::string>{"--join=" + b.address()}));
  TestAgent& a = *agents.back();
  a.in_child = [this] {
    ::setenv("LD_PRELOAD", DUNLIN_CLOCK_AND_NAMES, 1);
    ::setenv("DUNLIN_TEST_CLOCK", (home + "/clock").c_str(), 1);
    ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
  };
  start_again(a);
  wait_for_nodes(b, 2);
  const std::uint32_t running = submit(b, "sleep 4; echo done", 4);
  copy_files(a.directory(), home + "/copy", "");
  fs::remove(home + "/copy/lock");
  fs::remove(home + "/copy/place");  // As on another machine, or of a version before.
  agents.push_back(std::make_unique<TestAgent>(
      "copy", home + "/copy", key, std::vector<std::string>{"--join=" + b.address()}));
  TestAgent& copy = *agents.back();
  copy.start();
  EXPECT_EQ(copy.wait(), 78) << copy.log();
  EXPECT_THAT(copy.log(), HasSubstr("identity_cloned"));
  EXPECT_THAT(copy.log(), HasSubstr("dunlin identity --new"));
  EXPECT_TRUE(logs(a, "identity_cloned"));
  EXPECT_TRUE(a.client().connected()) << "the elder goes on";
  EXPECT_TRUE(eventually([&] { return !trouble_of(b, "a").empty(); }));
  EXPECT_THAT(trouble_of(b, "a"), HasSubstr(copy.address()));
  wait_for_nodes(b, 2);
  EXPECT_EQ(finish(b, running)["done"], 4);
  run_and_check(b, "after");
}

// On the machine of the elder a copy stops before it touches anything that is the elder's.
TEST_F(IdentityWorld, ACopyBesideTheElderTouchesNothing) {
  TestAgent& b = add("b");
  TestAgent& a = add("a", {"--join=" + b.address()});
  wait_for_nodes(b, 2);
  const std::uint32_t running = submit(a, "sleep 3; echo done", 8);
  copy_files(a.directory(), home + "/copy", "");
  fs::remove(home + "/copy/lock");
  const auto before = fs::last_write_time(home + "/copy/dunlin.sqlite");
  agents.push_back(std::make_unique<TestAgent>(
      "copy", home + "/copy", key, std::vector<std::string>{"--join=" + b.address()}));
  TestAgent& copy = *agents.back();
  copy.start();
  EXPECT_EQ(copy.wait(), 78) << copy.log();
  EXPECT_THAT(copy.log(), HasSubstr("is a copy of " + a.directory()));
  EXPECT_EQ(fs::last_write_time(home + "/copy/dunlin.sqlite"), before);
  EXPECT_FALSE(fs::exists(home + "/copy/output/live"));
  EXPECT_EQ(finish(a, running)["done"], 8);
  EXPECT_EQ(trouble_of(b, "a"), "");
}

INSTANTIATE_TEST_SUITE_P(HoursAhead, ClonedAgent, ::testing::Values(-5, 0, 5));

TEST_F(IdentityWorld, ADirectoryOfAnotherMachineIsRefusedWithItsCures) {
  std::ofstream(home + "/one") << "0123456789abcdef0123456789abcdef\n";
  std::ofstream(home + "/other") << "fedcba9876543210fedcba9876543210\n";
  TestAgent& a = add("a", {"--machine-id=" + home + "/one"});
  const std::string id = a.client().ok(request("status")).value("node", "");
  a.kill9();
  TestAgent there("a", a.directory(), key, {"--machine-id=" + home + "/other"});
  there.start();
  EXPECT_EQ(there.wait(), 1);
  EXPECT_THAT(there.log(), HasSubstr("--adopt"));
  const std::string dunlin = std::string(DUNLIN_PROGRAM) + " identity --data-dir " + a.directory() +
      " --machine-id " + home + "/other ";
  ASSERT_EQ(std::system((dunlin + "--adopt > /dev/null").c_str()), 0);
  there.start();
  there.wait_until_up();
  EXPECT_EQ(there.client().ok(request("status"))["node"], id);
  EXPECT_NE(std::system((dunlin + "--new 2> /dev/null").c_str()), 0) << "its agent runs";
  const std::uint32_t before = submit(there, "true", 1);
  EXPECT_EQ(finish(there, before)["done"], 1);
  there.kill9();
  ASSERT_EQ(std::system((dunlin + "--new > /dev/null").c_str()), 0);
  there.start();
  there.wait_until_up();
  EXPECT_NE(there.client().ok(request("status"))["node"], id) << "a new node";
  EXPECT_TRUE(there.client().ok(request("jobs", {{"all", true}}))["jobs"].empty());
}

TEST_F(IdentityWorld, ADamagedRowIsNamedAndTheRestGoesOn) {
  TestAgent& a = add("a");
  const std::uint32_t first = submit(a, "true", 2);
  const std::string ran = home + "/ran";
  const std::uint32_t second = submit(a, "echo x >> " + ran, 2);
  EXPECT_EQ(finish(a, first)["done"], 2);
  EXPECT_EQ(finish(a, second)["done"], 2);
  // The agent tells its warden within a second which ends it may forget: they are on disk. An end
  // that the warden still has comes back after the kill, and its task does not run again.
  std::this_thread::sleep_for(seconds(2));
  a.kill9();
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open((a.directory() + "/dunlin.sqlite").c_str(), &handle), SQLITE_OK);
  const std::string spoil =
      "update jobs set owner = 'eve' where number = " + std::to_string(first) +
      "; update results set status = 9 where task = 1 and job = " + std::to_string(second);
  EXPECT_EQ(sqlite3_exec(handle, spoil.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(handle);
  start_again(a);
  EXPECT_EQ(finish(a, second)["done"], 2);
  EXPECT_EQ(a.client().call(request("job", {{"number", first}}))["error"]["kind"], "not_found");
  EXPECT_THAT(a.log(), HasSubstr("row_damaged what=\"job " + std::to_string(first)));
  const Json status = a.client().ok(request("status"));
  EXPECT_GE(status["counters"]["rows_damaged"], 2);
  std::ifstream lines(ran);
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(lines), {}, '\n'), 3) << "one ran again";
  const std::string damage = status["damage"].dump();
  EXPECT_THAT(damage, HasSubstr("job " + std::to_string(first) + ", which is left out"));
  EXPECT_THAT(damage, HasSubstr("the result of task 1 of job " + std::to_string(second)));
  EXPECT_THAT(trouble_of(a, "a"), HasSubstr("database is damaged"));
  EXPECT_GT(submit(a, "true", 1), second);
}

}  // namespace
}  // namespace dunlin::node
