// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <signal.h>

#include "node/memory_kills.h"
#include "node/task/executor.h"
#include "node/warden/cgroup/cgroup.h"
#include "node/warden/process_tree.h"
#include "tests/node/executor_world.h"

// Properties that must hold under every way of limiting that a machine may offer.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

bool alive(pid_t pid) {
  const auto stat = file("/proc/" + std::to_string(pid) + "/stat");
  const auto state = stat.find(") ");
  return state != std::string::npos && stat[state + 2] != 'Z' && stat[state + 2] != 'X';
}

/// The pid a task wrote to `path`, as soon as it has.
pid_t pid_in(const std::string& path) {
  eventually([&] { return file(path).ends_with('\n'); });
  return static_cast<pid_t>(std::atoi(file(path).c_str()));
}

class ExecutorLimits : public ExecutorWorld, public ::testing::WithParamInterface<const char*> {
 protected:
  /// False, and the test is skipped, where this machine has no such limits.
  bool open_limits() {
    std::vector<std::string> notes;
    const auto probe = Limiter::open(
        {.label = "probe-" + std::to_string(::getpid()), .wanted = GetParam()}, notes);
    if (!probe) return false;
    open({.limits = GetParam()});
    return true;
  }
};

// A disk that was closed while a task ended kept the slot's files as they were.
TEST_P(ExecutorLimits, WhatAnotherTaskLeftInItsSlotIsNotATasksOutput) {
  if (!open_limits()) GTEST_SKIP() << "SKIPPED: no writable cgroup " << GetParam() << " here";
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
      std::ofstream(output_->live_path(slot, stream)) << "of another task\n";
    }
  }
  const auto report = run(shell("echo own; echo trouble >&2"));
  EXPECT_EQ(kept(), "own\n");
  EXPECT_EQ(kept(OutputStream::err), "trouble\n");
  EXPECT_EQ(report.out_bytes, 4u);

  auto named = shell("echo more");
  named.stdout_path = directory_.path() + "/named";
  std::ofstream(named.stdout_path) << "before\n";
  run(launch(named, 1));
  EXPECT_EQ(file(named.stdout_path), "before\nmore\n") << "a file of the user's is appended to";
}

TEST_P(ExecutorLimits, NothingOutlivesItsTask) {
  if (!open_limits()) GTEST_SKIP() << "SKIPPED: no writable cgroup " << GetParam() << " here";
  const auto plain = directory_.path() + "/plain";
  const auto escaped = directory_.path() + "/escaped";
  // One process in the task's group, and one that left session and group and has lost its parent.
  run(shell("sleep 600 & echo $! > " + plain + "; setsid sh -c 'sleep 601 & echo $! > " + escaped +
      "; exec sleep 602' & while ! test -s " + escaped + "; do sleep 0.01; done"));
  const pid_t first = pid_in(plain);
  const pid_t second = pid_in(escaped);
  ASSERT_GT(first, 0);
  ASSERT_GT(second, 0);
  EXPECT_FALSE(alive(first)) << "reported before all was dead";
  EXPECT_FALSE(alive(second)) << "reported before all was dead";
}

TEST_P(ExecutorLimits, OutOfMemoryIsToldApart) {
  if (!open_limits()) GTEST_SKIP() << "SKIPPED: no writable cgroup " << GetParam() << " here";
  // Fills 200 MB and holds them long enough for a look 5 times a second.
  auto hungry = launch(command({"perl", "-e", "$x = 'x' x 200_000_000; sleep 60;"}));
  hungry.demand.memory = 64;
  const auto report = run(hungry);
  EXPECT_EQ(report.outcome, sched::Outcome::out_of_memory) << report.status;
  EXPECT_LT(report.wall, 60s) << "it was not left to sleep";

  // The same signal without want of memory is a signal; and the slot serves well again.
  auto killed = launch(shell("kill -KILL $$"), 1);
  killed.demand.memory = 64;
  EXPECT_EQ(run(killed).outcome, sched::Outcome::signalled);
  auto modest = launch(command({"true"}), 2);
  modest.demand.memory = 64;
  const auto fine = run(modest);
  EXPECT_EQ(fine.outcome, sched::Outcome::exited);
  EXPECT_LT(fine.memory_peak, 32u << 20) << "the peak of another task";
}

// Where the kernel kills the child alone, the shell that goes on may end as it likes.
TEST_P(ExecutorLimits, ProcessesKilledForWantOfMemoryAreCountedWhateverTheStatus) {
  if (!open_limits()) GTEST_SKIP() << "SKIPPED: no writable cgroup " << GetParam() << " here";
  if (std::string(GetParam()) == "rlimit") GTEST_SKIP() << "the kernel kills nothing there";
  for (const std::uint32_t status : {0u, 3u}) {
    auto hungry =
        launch(shell("perl -e '$x = q(x) x 200_000_000; sleep 60'; exit " + std::to_string(status)),
            status);
    hungry.demand.memory = 64;
    const auto report = run(hungry);
    EXPECT_GE(memory_kills_in(report.detail), 1u) << report.detail;
    // With version 2 all of its processes go together.
    const bool ends_well = std::string(GetParam()) == "v1" && status == 0;
    EXPECT_EQ(report.outcome, ends_well ? sched::Outcome::exited : sched::Outcome::out_of_memory)
        << report.status;
    EXPECT_EQ(memory_kills_in(run(launch(shell("true"), 10 + status)).detail), 0u)
        << "of another task";
  }
}

TEST_P(ExecutorLimits, AForkBombMeetsItsBound) {
  std::vector<std::string> notes;
  const auto probe =
      Limiter::open({.label = "probe-" + std::to_string(::getpid()), .wanted = GetParam()}, notes);
  if (!probe) GTEST_SKIP() << "SKIPPED: no writable cgroup " << GetParam() << " here";
  open({.limits = GetParam(), .pids_max = 20});
  // Each process that it makes tells of itself, and stays. The shell ends when it cannot fork.
  const auto report =
      run(shell("grep -E '^0:|pids' /proc/self/cgroup; "
                "for i in $(seq 200); do sleep 20 & echo child; done"));
  const std::string told = kept();
  const bool held = told.find("slot-") != std::string::npos;
  if (!held || std::string(GetParam()) == "rlimit") {
    GTEST_SKIP() << "SKIPPED: no cgroup holds tasks to a number of processes here";
  }
  std::size_t children = 0;
  for (auto at = told.find("child"); at != std::string::npos; at = told.find("child", at + 1)) {
    ++children;
  }
  EXPECT_LT(children, 20u);
  EXPECT_NE(report.status, 0);
  EXPECT_EQ(run(launch(command({"true"}), 1)).status, 0) << "it hurts only itself";
}

TEST_P(ExecutorLimits, TheDeathOfTheWardenIsToldAndHealed) {
  if (!open_limits()) GTEST_SKIP() << "SKIPPED: no writable cgroup " << GetParam() << " here";
  const auto path = directory_.path() + "/pid";
  executor_->start(launch(shell("echo $$ > " + path + "; exec sleep 600")));
  run_until([&] { return file(path).ends_with('\n'); });
  const pid_t main = pid_in(path);
  pid_t warden = 0;
  for (const pid_t child : children_of(::getpid())) {
    for (const pid_t grandchild : children_of(child)) {
      if (grandchild == main) warden = child;
    }
  }
  ASSERT_GT(warden, 0);
  ::kill(warden, SIGKILL);
  run_until([&] { return !reports_.empty(); });
  EXPECT_EQ(reports_[0].outcome, sched::Outcome::spawn_failed);
  EXPECT_EQ(reports_[0].cause, sched::Cause::lost);
  EXPECT_TRUE(eventually([&] { return !alive(main); }));
  run_until([&] { return run(launch(command({"true"}), 1)).outcome == sched::Outcome::exited; });
}

TEST_P(ExecutorLimits, WhenTheAgentGoesEverythingDies) {
  if (!open_limits()) GTEST_SKIP() << "SKIPPED: no writable cgroup " << GetParam() << " here";
  const auto first = directory_.path() + "/first";
  const auto second = directory_.path() + "/second";
  executor_->start(launch(shell("trap '' TERM; echo $$ > " + first +
      "; setsid setsid sh -c 'echo $$ > " + second + "; sleep 600' & wait; sleep 600")));
  run_until([&] { return file(first).ends_with('\n') && file(second).ends_with('\n'); });
  executor_.reset();
  EXPECT_FALSE(alive(pid_in(first)));
  EXPECT_FALSE(alive(pid_in(second)));
}

INSTANTIATE_TEST_SUITE_P(
    , ExecutorLimits, ::testing::Values("v2", "v1", "rlimit"), [](const auto& limits) {
      return std::string(limits.param);
    });

}  // namespace
}  // namespace dunlin::node
