// SPDX-License-Identifier: MIT
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/net/keyring.h"
#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// The agent as the unit for systemd runs it: a user of its own with one capability, and a group
// that may use its socket.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr uid_t kUserNobody = 65534;
constexpr gid_t kSomeGroup = 54321;

/// Makes the calling process what AmbientCapabilities= and User= make of it.
void become_service() {
  ::prctl(PR_SET_KEEPCAPS, 1);
  if (::setgroups(0, nullptr) != 0) ::_exit(126);
  if (::setresgid(kUserNobody, kUserNobody, kUserNobody) != 0) ::_exit(126);
  if (::setresuid(kUserNobody, kUserNobody, kUserNobody) != 0) ::_exit(126);
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  constexpr __u32 kOne = 1u << CAP_DAC_READ_SEARCH;
  const __user_cap_data_struct one[2] = {{kOne, kOne, kOne}, {0, 0, 0}};
  if (::syscall(SYS_capset, &header, one) != 0) ::_exit(126);
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH, 0, 0);
}

/// True if a process here may have mounts of its own.
bool may_mount() {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(::unshare(CLONE_NEWNS) == 0 ? 0 : 1);
  int status = 1;
  return ::waitpid(pid, &status, 0) == pid && status == 0;
}

class Service : public AgentWorld {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "UNTESTED: to become another user needs root";
  }
  TestAgent& start(std::function<void()> in_child) {
    agents.push_back(
        std::make_unique<TestAgent>("one", home + "/one", key, std::vector<std::string>{}));
    std::filesystem::create_directory(home + "/one");
    agents[0]->in_child = std::move(in_child);
    return *agents[0];
  }
};

TEST_F(Service, RunsTasksInAPrivateHomeAndReadsTheKeysAgain) {
  TestAgent& agent = start(become_service);
  ASSERT_EQ(::chown(agent.directory().c_str(), kUserNobody, kUserNobody), 0);
  ASSERT_EQ(::chmod(home.c_str(), 0711), 0);  // Tasks reach their agent's directory, as usual.
  agent.start();
  agent.wait_until_up();
  const std::string alice = home + "/alice";
  std::filesystem::create_directory(alice);
  std::ofstream(alice + "/secret") << "her secret\n";
  ASSERT_EQ(::chmod(alice.c_str(), 0700), 0);

  const auto hello =
      run_dunlin(agent.socket(), {"run", "--cwd", alice, "--", "/bin/echo", "hello"});
  EXPECT_EQ(hello.status, 0) << hello.err;
  EXPECT_EQ(hello.out, "hello\n");
  const auto spy = run_dunlin(agent.socket(),
      {"run", "--cwd", alice, "--", "sh", "-c",
          "id -u; grep -h '^Cap[EPIA]' /proc/self/status; cat " + alice + "/secret"});
  EXPECT_EQ(spy.status, 1);
  EXPECT_THAT(spy.out, HasSubstr("65534\n"));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"}) {
    EXPECT_THAT(spy.out, HasSubstr(std::string(set) + ":\t0000000000000000\n"));
  }
  EXPECT_THAT(spy.out, Not(HasSubstr("her secret")));

  // A task may make links of the files that keep output. The agent must not read them with more
  // rights.
  const std::string kept = agent.directory() + "/output";
  const auto link = run_dunlin(agent.socket(),
      {"run", "-q", "--", "sh", "-c",
          "echo some; sleep .2; files=$(find " + kept +
              " -type f); test -n \"$files\" && rm $files && "
              "for file in $files; do ln -s " +
              alice + "/secret $file; done"});
  EXPECT_EQ(link.status, 0) << link.err;
  EXPECT_THAT(
      link.out + run_dunlin(agent.socket(), {"logs", "last"}).out, Not(HasSubstr("her secret")));

  // The key file is root's, as keygen made it.
  auto keyring = Keyring::load(key);
  ASSERT_TRUE(keyring) << keyring.error().text;
  const auto more = run_dunlin("", {"keygen", "--add", "-o", key});
  ASSERT_EQ(more.status, 0) << more.err;
  agent.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] {
    return agent.log().find("keys_reloaded keys=2") != std::string::npos;
  })) << agent.log();
}

TEST_F(Service, TheGroupMayUseTheSocket) {
  if (!may_mount()) GTEST_SKIP() << "UNTESTED: no group file of its own without CAP_SYS_ADMIN";
  const std::string groups = home + "/group";
  std::ofstream(groups) << "root:x:0:\ndunlin:x:" << kSomeGroup << ":\n";
  // A group file of its own, seen by this agent alone.
  const auto with_group = [groups] {
    if (::unshare(CLONE_NEWNS) != 0) ::_exit(126);
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount(groups.c_str(), "/etc/group", nullptr, MS_BIND, nullptr) != 0) ::_exit(126);
  };
  TestAgent& agent = start(with_group);
  agent.start();
  agent.wait_until_up();
  // It is the owner's alone, and answers, a moment before it is the group's.
  struct stat socket{};
  EXPECT_TRUE(eventually([&] {
    return ::stat(agent.socket().c_str(), &socket) == 0 && (socket.st_mode & 07777) == 0660;
  })) << socket.st_mode;
  EXPECT_EQ(socket.st_gid, kSomeGroup);
}

TEST_F(Service, WithoutTheGroupTheSocketIsItsOwners) {
  if (::getgrnam("dunlin") != nullptr) GTEST_SKIP() << "UNTESTED: there is a group dunlin here";
  TestAgent& agent = start({});
  agent.start();
  agent.wait_until_up();
  struct stat socket{};
  ASSERT_EQ(::stat(agent.socket().c_str(), &socket), 0);
  EXPECT_EQ(socket.st_mode & 07777, 0600u);
}

}  // namespace
}  // namespace dunlin::node
