// SPDX-License-Identifier: MIT
#include "node/agent/address_watch.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/node/net_support.h"

namespace dunlin::node {
namespace {

/// Brings the loopback interface of a network of our own up, which gives it its addresses.
bool raise_loopback() {
  const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::snprintf(request.ifr_name, sizeof request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  const bool done = ::ioctl(any, SIOCSIFFLAGS, &request) == 0;
  ::close(any);
  return done;
}

// In a process of its own, which may leave the network of the others.
TEST(AddressWatch, TellsOnceThatAddressesCame) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNET) != 0) ::_exit(77);
    int told = 0;
    {
      Loop loop;
      AddressWatch watch(loop.get(), [&] { ++told; });
      loop.run_for(std::chrono::milliseconds(100));
      if (told != 0 || !raise_loopback()) ::_exit(2);
      loop.run_until([&] { return told > 0; }, std::chrono::seconds(10));
      loop.run_for(std::chrono::milliseconds(1500));
    }
    ::_exit(told == 1 ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    GTEST_SKIP() << "this user may make no network of its own";
  }
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace dunlin::node
