// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <grp.h>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/node/agent_world.h"

// A task and another user try to get at what the agent keeps secret. docs/design/security.md says
// what is prevented and what is not.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr uid_t kNobody = 65534;

void become_nobody() {
  if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) {
    ::_exit(126);
  }
}

/// True if `able` is true in a process of another user.
template <typename Able>
bool can_nobody(const Able& able) {
  const pid_t child = ::fork();
  if (child == 0) {
    become_nobody();
    ::_exit(able() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool can_read(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC) >= 0;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class Secrets : public AgentWorld {
 protected:
  /// An agent that is started by hand, in `home`, which all may enter.
  TestAgent& prepare(const std::string& name) {
    ::chmod(home.c_str(), 0755);
    agents.push_back(
        std::make_unique<TestAgent>(name, home + "/" + name, key, std::vector<std::string>{}));
    return *agents.back();
  }
};

/// Says of each file in $FILES if it can be opened.
constexpr const char* kTry =
    "for f in $FILES; do if (: <$f) 2>/dev/null; then echo open $f; "
    "else echo closed $f; fi; done; ";

TEST_F(Secrets, ATaskReadsNeitherMemoryNorEnvironmentOfAgentAndWarden) {
  auto& agent = prepare("a");
  // Root may read everything, and its tasks are root's.
  const bool root = ::geteuid() == 0;
  if (root && !can_nobody([] { return ::access(DUNLIN_PROGRAM, X_OK) == 0; })) {
    GTEST_SKIP() << "SKIPPED: nobody cannot execute " << DUNLIN_PROGRAM;
  }
  if (root) {
    std::filesystem::create_directory(agent.directory());
    for (const auto& path : {agent.directory(), key}) {
      ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0);
    }
  }
  agent.in_child = [root] {
    ::setenv("SECRET_OF_THE_AGENT", "hidden", 1);
    ::umask(027);
    rlimit core{};
    ::getrlimit(RLIMIT_CORE, &core);
    core.rlim_cur = std::min<rlim_t>(core.rlim_max, 512 << 10);
    ::setrlimit(RLIMIT_CORE, &core);
    if (root) become_nobody();
  };
  agent.start();
  agent.wait_until_up();

  const std::string pid = std::to_string(agent.pid());
  const auto job = submit(agent,
      "FILES=\"/proc/self/environ"
      " /proc/" +
          pid + "/environ /proc/" + pid + "/mem /proc/" + pid +
          "/maps"
          " /proc/$PPID/environ /proc/$PPID/mem /proc/$PPID/maps\"; " +
          kTry + "echo descriptors: /proc/self/fd/*; umask; ulimit -c; env",
      1);
  finish(agent, job);
  const std::string told = output(agent, job, 0);
  EXPECT_THAT(told, HasSubstr("open /proc/self/environ")) << "the attack itself works";
  std::size_t closed = 0;
  for (std::size_t at = 0; (at = told.find("closed /proc/", at)) != std::string::npos; ++at) {
    ++closed;
  }
  EXPECT_EQ(closed, 6u) << told;
  EXPECT_THAT(told, Not(HasSubstr("SECRET_OF_THE_AGENT")));
  EXPECT_THAT(told, Not(HasSubstr("/proc/self/fd/4"))) << "3 is the directory itself";
  EXPECT_THAT(told, HasSubstr("\n0027\n")) << "a task has the user's umask";
#ifndef DUNLIN_SANITIZED  // The sanitizer takes core dumps away from all that begin with it.
  rlimit core{};
  ::getrlimit(RLIMIT_CORE, &core);
  if (core.rlim_max >= 512 << 10) {
    EXPECT_THAT(told, HasSubstr("\n1024\n")) << "a task has the user's limit of core dumps";
  }
#endif
  const std::string status = text_of("/proc/" + pid + "/status");
  EXPECT_THAT(status, HasSubstr("Umask:\t0077"));
  EXPECT_THAT(
      text_of("/proc/" + pid + "/limits"), ::testing::ContainsRegex("Max core file size +0 "));
}

TEST_F(Secrets, AnotherUserReadsNeitherDatabaseNorIdentity) {
  if (::geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root can be another user";
  auto& agent = prepare("a");
  // A directory as an earlier version, or a restored backup, left it.
  std::filesystem::create_directory(agent.directory());
  agent.start();
  agent.wait_until_up();
  finish(agent, submit(agent, "true", 1, {{"environment", {{"TOKEN", "hidden"}}}}));
  agent.kill9();
  ::chmod(agent.directory().c_str(), 0755);
  const std::vector<std::string> files = {agent.directory() + "/dunlin.sqlite",
      agent.directory() + "/dunlin.sqlite-wal", agent.directory() + "/identity"};
  for (const auto& path : files) {
    ASSERT_EQ(::chmod(path.c_str(), 0644), 0) << path;
    EXPECT_TRUE(can_nobody([&] { return can_read(path); })) << "the attack itself works";
  }
  agent.start();
  agent.wait_until_up();
  EXPECT_THAT(agent.log(), HasSubstr("mode_repaired"));
  for (const auto& path : files) {
    EXPECT_FALSE(can_nobody([&] { return can_read(path); })) << path;
    struct stat found{};
    ASSERT_EQ(::stat(path.c_str(), &found), 0) << path;
    EXPECT_EQ(found.st_mode & 0777u, 0600u) << path;
  }
  ::chmod(agent.directory().c_str(), 0755);
  for (const auto& path : files) {
    EXPECT_FALSE(can_nobody([&] { return can_read(path); })) << path << ", by its own mode";
  }
}

TEST_F(Secrets, FilesOfAnotherUserAreRefusedWithTheCure) {
  if (::geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root can give a file to another user";
  auto& agent = prepare("a");
  std::filesystem::create_directory(agent.directory());
  ASSERT_EQ(::chown(agent.directory().c_str(), kNobody, kNobody), 0);
  ::chmod(agent.directory().c_str(), 0755);
  agent.start();
  EXPECT_EQ(agent.wait(), 1);
  EXPECT_THAT(agent.log(), HasSubstr("chown 0 " + agent.directory()));
}

}  // namespace
}  // namespace dunlin::node
