// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <signal.h>
#include <string>
#include <unistd.h>

#include "tests/node/executor_world.h"

// Tasks that are asked to yield their room to others.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

class ExecutorPreempt : public ExecutorWorld {};

TEST_F(ExecutorPreempt, WarnsATaskThatIsPreempted) {
  open({.kill_grace = 5s});
  const auto start = [&](std::uint32_t index, std::chrono::milliseconds time) {
    TaskSpec spec = shell(
        "trap 'echo saving; test $DUNLIN_TASK_INDEX = 1 && exit 3' USR1; "
        "trap 'echo asked; exit 9' TERM; echo up; while :; do sleep 0.02; done");
    spec.checkpoint_signal = SIGUSR1;
    spec.checkpoint_time = time;
    auto each = launch(spec, index);
    each.yield.on_preempt = sched::OnPreempt::checkpoint;
    executor_->start(each);
    run_until([&] { return kept(OutputStream::out, index) == "up\n"; });
  };
  start(0, 300ms);
  executor_->kill(task(0), 1, sched::Outcome::preempted);
  run_until([&] { return reports_.size() == 1; });
  EXPECT_EQ(reports_[0].outcome, sched::Outcome::preempted);
  EXPECT_GE(reports_[0].wall, 300ms);
  EXPECT_EQ(kept(OutputStream::out, 0), "up\nsaving\nasked\n");
  // One that has saved what it needs may end at once.
  start(1, 60s);
  executor_->kill(task(1), 1, sched::Outcome::preempted);
  run_until([&] { return reports_.size() == 2; });
  EXPECT_EQ(reports_[1].outcome, sched::Outcome::preempted);
  EXPECT_EQ(kept(OutputStream::out, 1), "up\nsaving\n");
  // Its user's word that it is not wanted comes before that time is over.
  start(2, 60s);
  executor_->kill(task(2), 1, sched::Outcome::preempted);
  run_until([&] { return kept(OutputStream::out, 2) == "up\nsaving\n"; });
  executor_->kill(task(2), 1, sched::Outcome::killed);
  run_until([&] { return reports_.size() == 3; });
  EXPECT_EQ(reports_[2].outcome, sched::Outcome::killed);
  // So does the end of its time limit, at which its worker says the same once more.
  start(3, 60s);
  executor_->kill(task(3), 1, sched::Outcome::preempted);
  run_until([&] { return kept(OutputStream::out, 3) == "up\nsaving\n"; });
  executor_->kill(task(3), 1, sched::Outcome::preempted);
  run_until([&] { return reports_.size() == 4; });
  EXPECT_EQ(reports_[3].outcome, sched::Outcome::preempted);
  EXPECT_LT(reports_[3].wall, 30s);
}

/// The state of a process, as the kernel shows it: T is stopped.
char state_of(const std::string& pid) {
  const std::string stat = file("/proc/" + pid + "/stat");
  const auto name_end = stat.rfind(')');
  return name_end == std::string::npos ? 'X' : stat[name_end + 2];
}

TEST_F(ExecutorPreempt, SuspendsAllProcessesOfATask) {
  for (const char* const limits : {"auto", "rlimit"}) {
    executor_.reset();
    reports_.clear();
    open({.limits = limits, .kill_grace = 5s});
    EXPECT_TRUE(executor_->suspends());
    const std::string children = directory_.path() + "/" + limits;
    executor_->start(launch(shell("(setsid sh -c 'echo $$ > " + children +
        "; while :; do date +%N > " + children + ".tick; sleep 0.01; done' &) ; sleep 2; exit 4")));
    run_until([&] { return !file(children + ".tick").empty(); });
    executor_->suspend(task(), 1);
    const auto pid = std::to_string(std::stoi(file(children)));
    const bool freezes = executor_->limits() == "v2";
    if (!freezes) run_until([&] { return state_of(pid) == 'T'; });
    ::usleep(50'000);
    const std::string before = file(children + ".tick");
    ::usleep(500'000);
    EXPECT_EQ(file(children + ".tick"), before);
    EXPECT_EQ(reports_.size(), 0u) << "it is not over";
    executor_->resume(task(), 1);
    run_until([&] { return reports_.size() == 1; });
    EXPECT_EQ(reports_[0].status, 4);
    EXPECT_LT(reports_[0].wall, 1700ms) << "the time that it stood does not count";
  }
}

TEST_F(ExecutorPreempt, WakesASuspendedTaskThatIsToEnd) {
  open({.kill_grace = 5s});
  executor_->start(
      launch(shell("trap 'echo asked; exit 9' TERM; echo up; while :; do sleep 0.02; done")));
  run_until([&] { return kept() == "up\n"; });
  executor_->suspend(task(), 1);
  executor_->kill(task(), 1, sched::Outcome::preempted);
  executor_->suspend(task(), 1);  // Too late.
  run_until([&] { return reports_.size() == 1; });
  EXPECT_EQ(reports_[0].outcome, sched::Outcome::preempted);
  EXPECT_EQ(kept(), "up\nasked\n");
}

}  // namespace
}  // namespace dunlin::node
