// SPDX-License-Identifier: MIT
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/node/executor_world.h"
#include "tests/node/hanging_file_system.h"

// A start may hang, on a dead network disk as a rule. It must not hold up the other tasks of its
// node, it must end, and what cannot be ended must be seen.
namespace dunlin::node {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// A copy of `true`, of which another process holds a write lease: its execution waits until
/// that process answers (which it does not), or for /proc/sys/fs/lease-break-time.
class LeasedProgram {
 public:
  explicit LeasedProgram(const std::string& path) {
    std::filesystem::copy_file("/bin/true", path);
    int told[2];
    if (::pipe(told) != 0) return;
    holder_ = ::fork();
    if (holder_ == 0) {
      ::signal(SIGIO, SIG_IGN);
      const int file = ::open(path.c_str(), O_RDWR);
      const char held = ::fcntl(file, F_SETLEASE, F_WRLCK) == 0 ? 1 : 0;
      if (::write(told[1], &held, 1) == 1) ::pause();
      ::_exit(0);
    }
    char held = 0;
    held_ = ::read(told[0], &held, 1) == 1 && held == 1;
    ::close(told[0]);
    ::close(told[1]);
  }
  ~LeasedProgram() { release(); }
  LeasedProgram(const LeasedProgram&) = delete;
  LeasedProgram& operator=(const LeasedProgram&) = delete;

  bool held() const { return held_; }
  void release() {
    if (holder_ <= 0) return;
    ::kill(holder_, SIGKILL);
    ::waitpid(std::exchange(holder_, 0), nullptr, 0);
  }

 private:
  pid_t holder_ = 0;
  bool held_ = false;
};

class ExecutorHang : public ExecutorWorld {
 protected:
  std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
  /// Runs `count` tasks of `true`, from index 100 on, to their ends.
  void run_others(std::uint32_t count) {
    const std::size_t before = reports_.size();
    for (std::uint32_t i = 0; i < count; ++i) {
      executor_->start(launch(command({"true"}), 100 + i));
    }
    run_until([&] { return reports_.size() >= before + count; });
    for (std::size_t i = before; i < reports_.size(); ++i) {
      EXPECT_EQ(reports_[i].outcome, sched::Outcome::exited) << reports_[i].detail;
    }
  }
};

TEST_F(ExecutorHang, OneHangingStartHoldsUpNoOther) {
  open();
  LeasedProgram leased(path("leased"));
  if (!leased.held()) GTEST_SKIP() << "SKIPPED: no lease can be had here";
  executor_->start(launch(command({path("leased")}), 0));
  const auto begin = std::chrono::steady_clock::now();
  run_others(50);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s) << "the lease is broken after 45 s";
  EXPECT_EQ(reports_.size(), 50u) << "the leased one hangs";
  leased.release();
  run_until([&] { return reports_.size() == 51; });
  EXPECT_EQ(reports_.back().index, 0u);
  EXPECT_EQ(reports_.back().outcome, sched::Outcome::exited);
}

TEST_F(ExecutorHang, MoreHangingStartsThanThreadsHoldUpNoOther) {
  open();
  LeasedProgram leased(path("leased"));
  if (!leased.held()) GTEST_SKIP() << "SKIPPED: no lease can be had here";
  for (std::uint32_t i = 0; i < 6; ++i) executor_->start(launch(command({path("leased")}), i));
  run_others(20);
  EXPECT_EQ(reports_.size(), 20u);
  for (std::uint32_t i = 0; i < 6; ++i) {
    executor_->kill(task(i), 1, sched::Outcome::killed);
  }
}

// More than there are places, too: what hangs gives its place up.
TEST_F(ExecutorHang, AsManyHangingStartsAsOneLikesHoldUpNoOther) {
  open();
  LeasedProgram leased(path("leased"));
  if (!leased.held()) GTEST_SKIP() << "SKIPPED: no lease can be had here";
  for (std::uint32_t i = 0; i < 60; ++i) executor_->start(launch(command({path("leased")}), i));
  run_others(20);
  EXPECT_EQ(reports_.size(), 20u) << "the leased ones hang";
  for (std::uint32_t i = 0; i < 60; ++i) executor_->kill(task(i), 1, sched::Outcome::killed);
}

TEST_F(ExecutorHang, AStartThatHangsIsNotTheTasksFault) {
  open({.start_max = 300ms});
  LeasedProgram leased(path("leased"));
  if (!leased.held()) GTEST_SKIP() << "SKIPPED: no lease can be had here";
  const auto report = run(command({path("leased")}));
  EXPECT_EQ(report.outcome, sched::Outcome::spawn_failed);
  EXPECT_THAT(report.detail, HasSubstr("executing '" + path("leased") + "' hangs"));
  EXPECT_EQ(executor_->stuck(), 0u) << "SIGKILL ends it";
  run_others(3);
}

TEST_F(ExecutorHang, AHangingStartCanBeCancelled) {
  open({.kill_grace = 100ms});
  LeasedProgram leased(path("leased"));
  if (!leased.held()) GTEST_SKIP() << "SKIPPED: no lease can be had here";
  executor_->start(launch(command({path("leased")})));
  run_others(1);
  executor_->kill(task(), 1, sched::Outcome::killed);
  run_until([&] { return reports_.size() == 2; });
  EXPECT_EQ(reports_.back().outcome, sched::Outcome::killed);
}

TEST_F(ExecutorHang, ASlotWhoseProcessSurvivesSigkillIsStuckAndShown) {
  open({.start_max = 200ms, .kill_max = 300ms});
  HangingFileSystem mute(path("mute"));
  if (!mute.mounted()) GTEST_SKIP() << "SKIPPED: this user may not mount FUSE here";
  auto spec = command({"true"});
  spec.directory = path("mute") + "/below";
  const auto report = run(spec);
  EXPECT_GT(mute.held(), 0);
  EXPECT_EQ(report.outcome, sched::Outcome::spawn_failed);
  EXPECT_THAT(report.detail, HasSubstr("entering the directory '" + spec.directory + "' hangs"));
  EXPECT_THAT(report.detail, HasSubstr("survives SIGKILL"));
  EXPECT_EQ(executor_->stuck(), 1u);
  EXPECT_THAT(notes_, Contains(HasSubstr("slot 0 is stuck")));
  const auto other = run(shell("echo $DUNLIN_SLOT"));
  EXPECT_EQ(other.status, 0);
  EXPECT_EQ(kept(), "1\n") << "the stuck slot is not used again";
  mute.answer();
  run_until([&] { return executor_->stuck() == 0; });
  EXPECT_THAT(notes_, Contains(HasSubstr("is free again")));
}

TEST_F(ExecutorHang, ATaskWhoseProcessSurvivesSigkillIsReported) {
  open({.kill_grace = 100ms, .kill_max = 300ms});
  HangingFileSystem mute(path("mute"));
  if (!mute.mounted()) GTEST_SKIP() << "SKIPPED: this user may not mount FUSE here";
  executor_->start(launch(command({"ls", path("mute") + "/below"})));
  run_until([&] { return mute.held() > 0; });
  executor_->kill(task(), 1, sched::Outcome::time_limit);
  run_until([&] { return !reports_.empty(); });
  EXPECT_EQ(reports_.back().outcome, sched::Outcome::time_limit);
  EXPECT_EQ(executor_->stuck(), 1u);
  mute.answer();
  run_until([&] { return executor_->stuck() == 0; });
}

}  // namespace
}  // namespace dunlin::node
