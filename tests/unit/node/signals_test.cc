// SPDX-License-Identifier: MIT
#include "node/signals.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <sys/wait.h>
#include <unistd.h>

namespace dunlin::node {
namespace {

/// Runs `act` in a process with a group of its own, so that a stray signal hits nobody else.
/// Returns what ended it, as waitpid() tells.
template <typename Act>
int status_of(Act act) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    act();
    ::_exit(7);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

// A process of another pid namespace is listed as 0 in cgroup.procs: kill(0) would be suicide.
TEST(Signals, OnlyOneProcessIsMeant) {
  const int status = status_of([] {
    signal_process(0, SIGKILL);
    signal_group(0, SIGKILL);
  });
  ASSERT_TRUE(WIFEXITED(status)) << "a signal to 0 reached its own group";
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Signals, Arrive) {
  EXPECT_TRUE(WIFSIGNALED(status_of([] { signal_process(::getpid(), SIGKILL); })));
  EXPECT_TRUE(WIFSIGNALED(status_of([] { signal_group(::getpid(), SIGKILL); })));
}

}  // namespace
}  // namespace dunlin::node
