// SPDX-License-Identifier: MIT
#include "node/warden/use/net_guard.h"

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/kernel/kernel_file.h"
#include "node/warden/cgroup/cgroup_tree.h"

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPayload = 1000;
constexpr std::uint64_t kPacket = kPayload + 28;  // With the headers of IP and UDP.

/// A real cgroup of version 2, where one can be made and programs may be attached.
class NetGuardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto all = find_hierarchies("/proc");
    const auto unified = std::ranges::find_if(all, &Hierarchy::v2);
    if (unified == all.end()) GTEST_SKIP() << "SKIPPED: no cgroup v2 is mounted";
    directory_ = unified->own + "/dunlin-unit-net-" + std::to_string(::getpid());
    if (::mkdir(directory_.c_str(), 0755) != 0) GTEST_SKIP() << "SKIPPED: no writable cgroup v2";
    auto guard = NetGuard::attach(directory_, 0);
    if (!guard) GTEST_SKIP() << "SKIPPED: " << guard.error().text;
    guard_.emplace(std::move(*guard));
  }
  ~NetGuardTest() override {
    guard_.reset();
    if (!directory_.empty()) ::rmdir(directory_.c_str());
  }

  /// Sends datagrams to this machine from within the cgroup, until `more` is false.
  void send(const std::function<bool(int)>& more) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const bool joined = write_kernel_file(directory_ + "/cgroup.procs", "0") == 0;
      const int from = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_port = htons(9);
      to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      const char data[kPayload] = {};
      for (int i = 0; more(i); ++i) {
        ::sendto(from, data, sizeof data, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
      }
      ::_exit(joined ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
  }

  std::string directory_;
  std::optional<NetGuard> guard_;
};

TEST_F(NetGuardTest, CountsWhatIsSent) {
  EXPECT_EQ(guard_->bytes(), NetBytes{});
  send([](int i) { return i < 300; });
  EXPECT_EQ(guard_->bytes().sent, 300 * kPacket);
}

TEST_F(NetGuardTest, WhatStaysOnTheMachineDoesNotCount) {
  auto second = NetGuard::attach(directory_);
  ASSERT_TRUE(second) << second.error().text;
  send([](int i) { return i < 10; });
  EXPECT_EQ(second->bytes(), NetBytes{});
  EXPECT_EQ(guard_->bytes().sent, 10 * kPacket) << "several programs may watch one cgroup";
}

TEST_F(NetGuardTest, HoldsToARate) {
  ASSERT_TRUE(guard_->limit({.in = 0, .out = 500}));
  const auto begun = std::chrono::steady_clock::now();
  send([&](int) {
    ::usleep(50);
    return std::chrono::steady_clock::now() - begun < 2s;
  });
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begun;
  // And what a tenth of a second allows at once.
  const double allowed = 500 * 1024 * (time.count() + .1);
  const auto sent = static_cast<double>(guard_->bytes().sent);
  EXPECT_LE(sent, allowed * 1.05);
  EXPECT_GE(sent, allowed * .75) << "beside other work";

  // A limit that is lifted is gone, and the sum goes on.
  ASSERT_TRUE(guard_->limit({}));
  send([](int i) { return i < 2000; });
  EXPECT_EQ(guard_->bytes().sent, static_cast<std::uint64_t>(sent) + 2000 * kPacket);
}

TEST(NetGuard, SaysWhatIsWrong) {
  const auto missing = NetGuard::attach("/no/such/cgroup");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text.find("/no/such/cgroup"), std::string::npos);
  EXPECT_FALSE(NetGuard::attach("/tmp")) << "no cgroup";
}

}  // namespace
}  // namespace dunlin::node
