// SPDX-License-Identifier: MIT
#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <string>
#include <unistd.h>

#include "tests/node/executor_world.h"

// Tasks that are told that their time limit is near.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;

/// Long enough for a shell to set its traps, also on a busy machine.
constexpr auto kToldAfter = 3s;

class ExecutorLimitSignal : public ExecutorWorld {
 protected:
  /// `script` gets SIGUSR2 when it has run for kToldAfter.
  sched::Launch told(const std::string& script) const {
    TaskSpec spec = shell(script);
    spec.limit_signal = SIGUSR2;
    spec.limit_signal_time = 60s;
    auto launch = ExecutorWorld::launch(spec);
    launch.time_limit = 60s + kToldAfter;
    return launch;
  }
};

TEST_F(ExecutorLimitSignal, AllProcessesOfATaskGetItOnce) {
  open();
  const sched::Report report =
      run(told("trap 'echo near' USR2; (trap 'echo child' USR2; while :; do sleep 0.02; done) & "
               "i=0; while test $i -lt 250; do sleep 0.02; i=$((i + 1)); done; "
               "exit 3"));
  EXPECT_EQ(report.outcome, sched::Outcome::exited) << "its end is its own";
  EXPECT_EQ(report.status, 3);
  EXPECT_THAT(kept(), AnyOf("near\nchild\n", "child\nnear\n"));
}

TEST_F(ExecutorLimitSignal, TheTimeThatATaskStandsDoesNotCount) {
  open();
  ASSERT_TRUE(executor_->suspends());
  executor_->start(told("trap 'echo near; exit 3' USR2; echo up; while :; do sleep 0.02; done"));
  run_until([&] { return kept() == "up\n"; });
  executor_->suspend(task(), 1);
  // The loop must run, or the word does not leave for the warden.
  const auto stands_until = std::chrono::steady_clock::now() + kToldAfter + 500ms;
  run_until([&] { return std::chrono::steady_clock::now() >= stands_until; });
  EXPECT_EQ(reports_.size(), 0u);
  const auto resumed = std::chrono::steady_clock::now();
  executor_->resume(task(), 1);
  run_until([&] { return reports_.size() == 1; });
  EXPECT_GE(std::chrono::steady_clock::now() - resumed, 500ms) << "it had run for less";
  EXPECT_EQ(kept(), "up\nnear\n");
  EXPECT_EQ(reports_[0].status, 3);
  EXPECT_GE(reports_[0].wall, kToldAfter);
}

TEST_F(ExecutorLimitSignal, ATaskThatIsToEndGetsNone) {
  open({.kill_grace = 5s});
  executor_->start(
      told("trap 'echo near' USR2; trap 'echo asked' TERM; echo up; "
           "while :; do sleep 0.02; done"));
  run_until([&] { return kept() == "up\n"; });
  executor_->kill(task(), 1, sched::Outcome::killed);
  run_until([&] { return reports_.size() == 1; });
  EXPECT_EQ(reports_[0].outcome, sched::Outcome::killed);
  EXPECT_GE(reports_[0].wall, kToldAfter);
  EXPECT_EQ(kept(), "up\nasked\n");
}

// No process but the warden is there then.
TEST_F(ExecutorLimitSignal, ItComesWhileTheAgentIsAway) {
  ExecutorOptions options{.incarnation = 5, .reattach_within = 30s};
  open(options);
  const std::string heard = directory_.path() + "/heard";
  executor_->start(
      told("trap 'echo near >> " + heard + "' USR2; echo up; while :; do sleep 0.02; done"));
  run_until([&] { return kept() == "up\n"; });
  executor_->leave();
  executor_.reset();
  output_.reset();
  EXPECT_TRUE(eventually([&] { return file(heard) == "near\n"; }));
  options.incarnation = 6;
  open(options);
  EXPECT_EQ(executor_->take_kept().size(), 1u);
  ::usleep(500'000);
  executor_->kill(task(), 1, sched::Outcome::killed);
  run_until([&] { return reports_.size() == 1; });
  EXPECT_EQ(file(heard), "near\n") << "once";
}

}  // namespace
}  // namespace dunlin::node
