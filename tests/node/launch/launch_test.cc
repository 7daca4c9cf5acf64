// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "tests/node/agent_world.h"
#include "tests/node/launch/ssh_hosts.h"
#include "tests/node/program.h"
#include "tests/support/scratch.h"

// `dunlin launch` with real ssh, real sshd and real agents, all on loopback.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

constexpr const char* kCluster = "lab";

class LaunchTest : public ::testing::Test {
 protected:
  LaunchTest() : hosts(scratch / "ssh") {
    ::setenv("XDG_CONFIG_HOME", (scratch / "config").c_str(), 1);
    ::unsetenv("DUNLIN_KEY");
  }

  /// Adds a host with its agent's settings to the list.
  void list(const std::string& host) {
    const std::string name = "n" + std::to_string(listed_++);
    std::ofstream(scratch / "list", std::ios::app)
        << host << " name=" << name << " machine=" << name << " bind=127.0.0.1:" << free_port()
        << "\n";
  }

  ProgramRun launch(std::vector<std::string> words) {
    words.insert(words.begin(), {"launch", "--cluster", kCluster, "--ssh-config", hosts.config()});
    return run_dunlin("", words);
  }
  /// The same for the list of hosts, and what it says of them, host by host.
  std::map<std::string, Json> launched(std::vector<std::string> words, int status) {
    words.push_back("--json");
    const ProgramRun run = launch(words);
    EXPECT_EQ(run.status, status) << run.out << run.err;
    std::map<std::string, Json> told;
    const Json json = Json::parse(run.out, nullptr, false);
    if (!json.is_object() || !json.contains("hosts")) return told;
    for (const Json& host : json["hosts"]) told[host["host"].get<std::string>()] = host;
    return told;
  }
  std::vector<std::string> words_of_list() const {
    return {"@" + scratch / "list", "--set", "cpus=2", "--set", "memory=1G", "--set", "sync=normal",
        "--set", "limits=rlimit", "--set", "disk_free_min=0"};
  }
  static ProgramRun ask(std::vector<std::string> words) {
    words.insert(words.begin(), {"--cluster", kCluster});
    return run_dunlin("", words);
  }
  static std::size_t nodes_seen() {
    const std::string names = ask({"nodes", "--quiet"}).out;
    return static_cast<std::size_t>(std::ranges::count(names, '\n'));
  }
  static bool sees_nodes(std::size_t count) {
    for (int i = 0; i < 100; ++i) {
      if (nodes_seen() == count) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    return false;
  }
  std::string pid_file(std::size_t host) const {
    std::ostringstream text;
    text << std::ifstream(hosts.home(host) + "/.dunlin/lab/agent.pid").rdbuf();
    return text.str();
  }
  void TearDown() override {
    if (hosts.missing().empty()) launch({"--remove", "--all", "--timeout", "20s"});
  }

  test::Scratch scratch;
  SshHosts hosts;

 private:
  int listed_ = 0;
};

TEST_F(LaunchTest, ThreeHostsComeUpAndAgainNothingChanges) {
  for (int i = 0; i < 3 && hosts.missing().empty(); ++i) list(hosts.add());
  if (!hosts.missing().empty()) GTEST_SKIP() << hosts.missing();
  auto dry = words_of_list();
  dry.push_back("--dry-run");
  for (const auto& [host, told] : launched(dry, 0)) {
    EXPECT_EQ(told["did"], "would send the programs, would start") << host;
  }
  EXPECT_FALSE(fs::exists(hosts.home(0) + "/.dunlin"));
  EXPECT_FALSE(fs::exists(scratch / "config/dunlin"));

  const auto first = launched(words_of_list(), 0);
  ASSERT_EQ(first.size(), 3u);
  for (const auto& [host, told] : first) {
    EXPECT_EQ(told["agent"], "up") << told;
    EXPECT_EQ(told["did"], "programs sent, started") << told;
  }
  // From the desk, which talks to no agent but by ssh.
  EXPECT_TRUE(sees_nodes(3));
  const ProgramRun job = ask({"run", "-q", "--", "echo", "from afar"});
  EXPECT_EQ(job.status, 0) << job.err;
  EXPECT_EQ(job.out, "from afar\n");

  std::vector<std::string> pids;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string base = hosts.home(i) + "/.dunlin/lab";
    struct stat status{};
    ASSERT_EQ(::stat((base + "/cluster.key").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u);
    pids.push_back(pid_file(i));
  }
  for (const auto& [host, told] : launched({}, 0)) EXPECT_EQ(told["did"], "nothing to do") << told;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(pid_file(i), pids[i]);
}

TEST_F(LaunchTest, WhatWasStoppedIsStartedAloneAndWithoutTheKeyOfTheDesk) {
  const std::string a = hosts.missing().empty() ? hosts.add() : "";
  const std::string b = hosts.missing().empty() ? hosts.add() : "";
  if (!hosts.missing().empty()) GTEST_SKIP() << hosts.missing();
  list(a);
  list(b);
  ASSERT_EQ(launched(words_of_list(), 0).size(), 2u);
  const std::string pid_of_a = pid_file(0);
  EXPECT_EQ(launched({b, "--stop"}, 0)[b]["agent"], "down");
  auto status = launched({"--status"}, 1);
  EXPECT_EQ(status[a]["agent"], "up");
  EXPECT_EQ(status[b]["agent"], "down");
  fs::remove(scratch / "config/dunlin/clusters/lab.key");
  status = launched({"--status", "--mend"}, 0);
  EXPECT_EQ(status[a]["did"], "nothing to do");
  EXPECT_EQ(status[b]["did"], "started");
  EXPECT_EQ(pid_file(0), pid_of_a);
  EXPECT_TRUE(sees_nodes(2));
  EXPECT_EQ(launched({b, "--remove"}, 0)[b]["agent"], "removed");
  EXPECT_FALSE(fs::exists(hosts.home(1) + "/.dunlin"));
  EXPECT_EQ(launched({"--status"}, 0).size(), 1u);
}

TEST_F(LaunchTest, ThoseThatCannotBeReachedAreNamedAndTheOthersAreUp) {
  const std::string good = hosts.missing().empty() ? hosts.add() : "";
  const std::string other_key = hosts.missing().empty() ? hosts.add({.other_key = true}) : "";
  if (!hosts.missing().empty()) GTEST_SKIP() << hosts.missing();
  const std::string mute = hosts.add_mute();
  const std::string refuses = "127.0.0.1:" + std::to_string(free_port());
  for (const std::string& host : {good, other_key, mute, refuses}) list(host);
  auto words = words_of_list();
  words.insert(words.end(), {"--timeout", "20s"});
  auto told = launched(words, 1);
  ASSERT_EQ(told.size(), 4u);
  EXPECT_EQ(told[good]["agent"], "up") << told[good];
  EXPECT_THAT(told[other_key]["problem"].get<std::string>(), HasSubstr("its host key is not"));
  EXPECT_THAT(told[mute]["problem"].get<std::string>(), HasSubstr("does not answer within 20 s"));
  EXPECT_THAT(told[refuses]["problem"].get<std::string>(), HasSubstr("no ssh server listens"));
  EXPECT_TRUE(sees_nodes(1));
}

// Tasks run on while their agents change, and none of them twice.
TEST_F(LaunchTest, AnUpgradeUnderTasksLosesNone) {
  for (int i = 0; i < 2 && hosts.missing().empty(); ++i) list(hosts.add());
  if (!hosts.missing().empty()) GTEST_SKIP() << hosts.missing();
  ASSERT_EQ(launched(words_of_list(), 0).size(), 2u);
  ASSERT_TRUE(sees_nodes(2));
  // Other programs: a byte behind the end of one changes nothing but its hash.
  const fs::path newer = scratch / "newer";
  fs::create_directory(newer);
  const fs::path built = fs::path(DUNLIN_PROGRAM).parent_path();
  for (const char* const name : {"dunlin", "dunlin-agent", "dunlin-warden"}) {
    fs::copy_file(built / name, newer / name);
  }
  std::ofstream(newer / "dunlin", std::ios::app) << "x";

  const std::string begun = scratch / "begun";
  const ProgramRun job = ask({"submit", "-q", "--count", "4", "--cpus", "1", "--cwd", "/", "--",
      "sh", "-c", "echo begun >>" + begun + "; sleep 20"});
  ASSERT_EQ(job.status, 0) << job.err;
  const auto lines = [&] {
    std::ostringstream text;
    text << std::ifstream(begun).rdbuf();
    const std::string all = text.str();
    return std::ranges::count(all, '\n');
  };
  for (int i = 0; i < 100 && lines() < 4; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  ASSERT_EQ(lines(), 4);
  for (const auto& [host, told] : launched({"--upgrade", "--programs", newer.string()}, 0)) {
    EXPECT_EQ(told["did"], "programs sent, restarted") << told;
  }
  const std::string number = job.out.substr(0, job.out.find('\n'));
  const ProgramRun waited = ask({"wait", "--timeout", "60s", number});
  EXPECT_EQ(waited.status, 0) << waited.out << waited.err;
  EXPECT_EQ(lines(), 4);
  for (const auto& [host, told] : launched({"--upgrade", "--programs", newer.string()}, 0)) {
    EXPECT_EQ(told["did"], "nothing to do") << told;
  }
}

TEST_F(LaunchTest, AnUpgradeStopsAtTheFirstThatDoesNotComeBack) {
  for (int i = 0; i < 2 && hosts.missing().empty(); ++i) list(hosts.add());
  if (!hosts.missing().empty()) GTEST_SKIP() << hosts.missing();
  ASSERT_EQ(launched(words_of_list(), 0).size(), 2u);
  const std::set<std::string> pids = {pid_file(0), pid_file(1)};
  // They say which version they are, and are no agents.
  fs::create_directory(scratch / "bad");
  for (const char* const name : {"dunlin", "dunlin-agent", "dunlin-warden"}) {
    const std::string path = scratch / "bad/" + name;
    std::ofstream(path) << "#!/bin/sh\ntest \"$1\" = --version\n";
    ::chmod(path.c_str(), 0755);
  }
  const ProgramRun run = launch({"--upgrade", "--programs", scratch / "bad", "--timeout", "20s"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("the upgrade stopped at 127.0.0.1:"));
  EXPECT_THAT(run.out, HasSubstr("did not come back"));
  // The other one runs on as it was.
  EXPECT_EQ(pids.count(pid_file(0)) + pids.count(pid_file(1)), 1u);
}

// One home for two hosts: two nodes all the same, each on its own disk.
TEST_F(LaunchTest, HostsThatShareAHomeAreTwoNodes) {
  fs::create_directories(scratch / "shared");
  fs::create_directories(scratch / "bin");
  std::ofstream(scratch / "bin/stat")
      << "#!/bin/sh\ncase \"$5\" in */shared*) echo nfs ;; *) exec /usr/bin/stat \"$@\" ;; esac\n";
  ::chmod((scratch / "bin/stat").c_str(), 0755);
  if (::geteuid() != 0) GTEST_SKIP() << "NOT TESTED: only root gives a host a /var/tmp of its own";
  for (int i = 0; i < 2 && hosts.missing().empty(); ++i) {
    list(hosts.add({.home = scratch / "shared", .path = scratch / "bin", .own_tmp = true}));
  }
  if (!hosts.missing().empty()) GTEST_SKIP() << hosts.missing();
  const auto told = launched(words_of_list(), 0);
  ASSERT_EQ(told.size(), 2u);
  for (const auto& [host, each] : told) {
    EXPECT_EQ(each["directory"], "/var/tmp/dunlin-0/lab") << each;
  }
  EXPECT_TRUE(sees_nodes(2));
  EXPECT_FALSE(fs::exists(scratch / "shared/.dunlin"));
}

TEST_F(LaunchTest, BadWordsAreUsage) {
  for (const std::vector<std::string>& words :
      std::vector<std::vector<std::string>>{{"n[1-"}, {"-P", "0", "n"}, {"--set", "x", "n"},
          {"@" + scratch / "none"}, {"--timeout", "5", "n"}, {}}) {
    const ProgramRun run = launch(words);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_THAT(run.err, Not(HasSubstr("Sanitizer")));
  }
  EXPECT_EQ(launch({"--status"}).status, 1);
  EXPECT_FALSE(fs::exists(scratch / "config/dunlin/clusters/lab.key"));
}

}  // namespace
}  // namespace dunlin::node
