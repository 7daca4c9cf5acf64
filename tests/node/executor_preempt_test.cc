// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <signal.h>
#include <string>

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
}

}  // namespace
}  // namespace dunlin::node
