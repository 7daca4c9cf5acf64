// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <signal.h>
#include <sqlite3.h>
#include <thread>

#include "tests/node/agent_world.h"

// Disks that take seconds, and programs that hold an agent's database: records wait for them, and
// leases do not.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class SlowDisk : public AgentWorld {
 protected:
  /// An agent with every record on disk before anything rests on it, on a disk that is slow while
  /// slow() says so.
  TestAgent& add_slow(const std::string& name) {
    std::vector<std::string> arguments = {"--sync=full"};
    if (!agents.empty()) arguments.push_back("--join=" + agents.front()->address());
    agents.push_back(std::make_unique<TestAgent>(name, home + "/" + name, key, arguments));
    agents.back()->in_child = [this] {
      ::setenv("LD_PRELOAD", DUNLIN_SLOW_DISK, 1);
      ::setenv("DUNLIN_TEST_SLOW_SYNC", switch_file().c_str(), 1);
      ::setenv("DUNLIN_TEST_SYNCED", synced_file().c_str(), 1);
      ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    };
    agents.back()->start();
    agents.back()->wait_until_up();
    return *agents.back();
  }
  void slow(std::chrono::milliseconds each_sync) const {
    std::ofstream(switch_file()) << each_sync.count();
  }
  std::string switch_file() const { return home + "/slow"; }
  std::string synced_file() const { return home + "/synced"; }
  std::string starts() const { return home + "/starts"; }
  /// The starts of all tasks of script().
  std::size_t started() const {
    std::ifstream in(starts());
    std::string line;
    std::size_t count = 0;
    while (std::getline(in, line)) ++count;
    return count;
  }
  std::string script(const std::string& body) const {
    return "echo %{TASK_INDEX} >> " + starts() + "; " + body;
  }
  /// The longest that `agent` took to answer, asked until `done`.
  static std::chrono::duration<double> longest_answer(
      const TestAgent& agent, const std::future<Json>& done) {
    std::chrono::duration<double> longest{0};
    while (done.wait_for(50ms) != std::future_status::ready) {
      const auto asked = Clock::now();
      agent.client().ok(request("job", {{"number", 1}}));
      longest = std::max<std::chrono::duration<double>>(longest, Clock::now() - asked);
    }
    return longest;
  }
};

// `cp` leaves a file in memory, and SQLite trusts what it finds. A power failure would take both
// the copy and all that was promised on top of it.
TEST_F(SlowDisk, ARestoredDatabaseIsOnTheDiskBeforeAnythingRestsOnIt) {
  TestAgent& a = add_slow("a");
  finish(a, submit(a, "true", 2));
  a.signal(SIGTERM);
  ASSERT_EQ(a.wait(), 0);
  const std::string database = a.directory() + "/dunlin.sqlite";
  std::filesystem::rename(database, home + "/backup");
  std::filesystem::copy(home + "/backup", database);
  std::filesystem::remove(synced_file());
  a.start();
  a.wait_until_up();
  std::vector<std::string> synced;
  std::ifstream list(synced_file());
  for (std::string line; std::getline(list, line);) synced.push_back(line);
  const auto is_first = [&](const std::string& path, const std::string& before) {
    return std::ranges::find(synced, path) < std::ranges::find(synced, before);
  };
  const std::string log = a.directory() + "/dunlin.sqlite-wal";
  EXPECT_TRUE(is_first(database, log)) << ::testing::PrintToString(synced);
  EXPECT_TRUE(is_first(a.directory(), log)) << ::testing::PrintToString(synced);
  EXPECT_EQ(finish(a, submit(a, "true", 2))["done"], 2);
}

TEST_F(SlowDisk, SixSecondsForOneSyncStopNoLeaseAndLoseNoTask) {
  TestAgent& a = add_slow("a");
  add("b");
  wait_for_nodes(a, 2);
  // Leases end after 2 s here.
  const auto job = submit(a, script("sleep 5"), 8);
  ASSERT_EQ(job, 1u);
  ASSERT_TRUE(eventually([&] { return started() == 8; }));
  slow(6s);
  const auto asked = Clock::now();
  auto second = std::async(std::launch::async, [&] {
    return a.client().ok(request("submit",
        {{"name", "second"}, {"owner", "tester"},
            {"groups",
                Json::array({{{"command", {"true"}}, {"count", 4},
                    {"demand", {{"cpu_milli", 500}, {"memory_mib", 16}}}}})}}));
  });
  const auto longest = longest_answer(a, second);
  EXPECT_GE(Clock::now() - asked, 6s) << "the job was acknowledged before it was on disk";
  EXPECT_LT(longest, 1s);
  slow(0ms);
  EXPECT_EQ(finish(a, job)["done"], 8);
  EXPECT_EQ(started(), 8u) << "a task was taken for lost";
  EXPECT_EQ(finish(a, second.get()["number"].get<std::uint32_t>())["done"], 4);
  EXPECT_THAT(a.log(), HasSubstr("store_slow"));
}

TEST_F(SlowDisk, AProgramThatHoldsTheDatabaseStopsNoLease) {
  TestAgent& a = add("a");
  add("b");
  wait_for_nodes(a, 2);
  // Some end while the database is held: their results wait, and the leases of the others do not.
  const auto job = submit(a, script("sleep $((%{TASK_INDEX} % 2 * 3 + 1))"), 8);
  ASSERT_TRUE(eventually([&] { return started() == 8; }));
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open((a.directory() + "/dunlin.sqlite").c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, "begin immediate", nullptr, nullptr, nullptr), SQLITE_OK);
  auto held = std::async(std::launch::async, [&] {
    std::this_thread::sleep_for(3800ms);
    sqlite3_exec(handle, "rollback", nullptr, nullptr, nullptr);
    return Json();
  });
  EXPECT_LT(longest_answer(a, held), 1s);
  sqlite3_close(handle);
  EXPECT_EQ(finish(a, job)["done"], 8);
  EXPECT_EQ(started(), 8u) << "a task was taken for lost";
}

}  // namespace
}  // namespace dunlin::node
