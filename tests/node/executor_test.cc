// SPDX-License-Identifier: MIT
#include "node/task/executor.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "node/task/warden_process.h"
#include "tests/node/executor_world.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class Executor : public ExecutorWorld {};

TEST_F(Executor, ReportsExitStatusAndMeasures) {
  open();
  const auto report = run(shell("head -c 20000000 /dev/zero | tail >/dev/null; exit 3"));
  EXPECT_EQ(report.outcome, sched::Outcome::exited);
  EXPECT_EQ(report.status, 3);
  EXPECT_EQ(report.attempt, 1);
  EXPECT_GT(report.wall, 0ns);
  EXPECT_GT(report.cpu, 0ns);
  EXPECT_GT(report.memory_peak, 10u << 20) << "tail holds 20 MB";
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::system_clock::now().time_since_epoch())
                       .count();
  EXPECT_NEAR(static_cast<double>(report.started_at), static_cast<double>(now), 60e9);
}

TEST_F(Executor, ReportsSignals) {
  open();
  const auto report = run(shell("kill -SEGV $$"));
  EXPECT_EQ(report.outcome, sched::Outcome::signalled);
  EXPECT_EQ(report.status, SIGSEGV);
}

TEST_F(Executor, TellsWhyACommandCannotRun) {
  open();
  auto report = run(command({"no-such-command", "x"}));
  EXPECT_EQ(report.outcome, sched::Outcome::not_found);
  EXPECT_THAT(report.detail, HasSubstr("no-such-command"));

  const auto plain = directory_.path() + "/plain";
  std::ofstream(plain) << "just text\n";
  report = run(command({plain}));
  EXPECT_EQ(report.outcome, sched::Outcome::not_executable) << "not marked executable";
  EXPECT_THAT(report.detail, HasSubstr(plain));

  ::chmod(plain.c_str(), 0755);
  report = run(command({plain}));
  EXPECT_EQ(report.outcome, sched::Outcome::not_executable) << "no format of a program";
  EXPECT_THAT(report.detail, HasSubstr("#!"));

  std::ofstream(plain) << "#!/no/such/interpreter\n";
  report = run(command({plain}));
  EXPECT_EQ(report.outcome, sched::Outcome::not_executable);
  EXPECT_THAT(report.detail, HasSubstr("interpreter"));
}

TEST_F(Executor, SearchesThePathOfTheTask) {
  open();
  const auto tool = directory_.path() + "/tool-of-this-test";
  std::ofstream(tool) << "#!/bin/sh\nexit 42\n";
  ::chmod(tool.c_str(), 0755);
  EXPECT_EQ(run(command({"tool-of-this-test"})).outcome, sched::Outcome::not_found);
  auto spec = command({"tool-of-this-test"});
  spec.environment.push_back({"PATH", "/nowhere:" + directory_.path() + ":/usr/bin:/bin"});
  EXPECT_EQ(run(spec).status, 42);
}

TEST_F(Executor, TellsThatTheDirectoryOrOutputFileCannotBeOpened) {
  open();
  auto spec = command({"true"});
  spec.directory = "/no/such/directory";
  auto report = run(spec);
  EXPECT_EQ(report.outcome, sched::Outcome::spawn_failed);
  EXPECT_EQ(report.cause, sched::Cause::task) << "it named the directory";
  EXPECT_THAT(report.detail, HasSubstr("working directory '/no/such/directory'"));

  spec.directory = "/";
  spec.stdout_path = "/no/such/file";
  report = run(spec);
  EXPECT_EQ(report.outcome, sched::Outcome::spawn_failed);
  EXPECT_EQ(report.cause, sched::Cause::task);
  EXPECT_THAT(report.detail, HasSubstr("/no/such/file"));
}

TEST_F(Executor, WhatIsWrongWithTheNodeIsNotTheTasksFault) {
  open();
  const auto live = directory_.path() + "/output/live";
  std::filesystem::remove_all(live);
  auto report = run(command({"true"}));
  EXPECT_EQ(report.outcome, sched::Outcome::spawn_failed);
  EXPECT_EQ(report.cause, sched::Cause::start);
  EXPECT_THAT(report.detail, HasSubstr(live));
  executor_->try_start();
  run_until([&] { return trials_.size() == 1; });
  EXPECT_THAT(trials_[0], HasSubstr(live));
  std::filesystem::create_directory(live);
  executor_->try_start();
  run_until([&] { return trials_.size() == 2; });
  EXPECT_EQ(trials_[1], "");
  EXPECT_EQ(reports_.size(), 1u) << "a trial is nobody's task";
}

TEST_F(Executor, APipeNobodyReadsDoesNotStopTheWarden) {
  open();
  const auto pipe = directory_.path() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  auto spec = command({"true"});
  spec.stdout_path = pipe;
  EXPECT_EQ(run(spec).outcome, sched::Outcome::spawn_failed);
  EXPECT_EQ(run(command({"true"})).status, 0);
}

TEST_F(Executor, GivesTasksTheirVariablesAndPlaceholders) {
  open();
  auto spec = shell(
      "echo \"%{TASK_INDEX}/%{TASK_COUNT} of %{JOB_ID}.%{ATTEMPT} on %{NODE}: "
      "%{ENTRY} {} $DUNLIN_JOB_ID $DUNLIN_TASK_INDEX $DUNLIN_TASK_COUNT "
      "$DUNLIN_ATTEMPT $DUNLIN_NODE $DUNLIN_CPUS $DUNLIN_MEMORY_MIB $DUNLIN_ENTRY "
      "$DUNLIN_SUBMIT_DIR $DUNLIN_JOB_NAME $MINE\"");
  spec.submit_directory = "/from/here";
  spec.environment.push_back({"MINE", "100%{ENTRY}"});
  auto one = launch(spec, 5);
  one.demand = {.cpu = 1500, .memory = 300};
  one.attempt = 2;
  const auto report = run(one);
  EXPECT_EQ(kept(OutputStream::out, 5),
      "5/7 of 12.2 on kestrel: a line {} 12 5 7 2 kestrel 1.5 300 a line /from/here train "
      "100%{ENTRY}\n");
  EXPECT_EQ(report.out_bytes, kept(OutputStream::out, 5).size());
}

TEST_F(Executor, RefusesAnUnknownPlaceholder) {
  open();
  const auto report = run(command({"echo", "%{TASK_NUMBER}"}));
  EXPECT_EQ(report.outcome, sched::Outcome::not_executable);
  EXPECT_THAT(report.detail, HasSubstr("%{TASK_NUMBER}"));
}

TEST_F(Executor, KeepsOutputAndLeavesNothingOfSilentTasks) {
  open();
  run(launch(shell("echo out; echo err >&2"), 0));
  run(launch(command({"true"}), 1));
  EXPECT_EQ(kept(OutputStream::out), "out\n");
  EXPECT_EQ(kept(OutputStream::err), "err\n");
  EXPECT_FALSE(output_->read(task(1), std::nullopt, OutputStream::out, 0, 10).found);
}

TEST_F(Executor, ShowsOutputWhileItIsWritten) {
  open();
  executor_->start(launch(shell("echo first; sleep 60")));
  run_until([&] { return kept() == "first\n"; });
  EXPECT_FALSE(output_->read(task(), std::nullopt, OutputStream::out, 0, 10).ended);
  executor_->kill(task(), 1, sched::Outcome::killed);
  run_until([&] { return reports_.size() == 1; });
  EXPECT_TRUE(output_->read(task(), std::nullopt, OutputStream::out, 0, 10).ended);
  EXPECT_EQ(kept(), "first\n");
}

TEST_F(Executor, WritesToTheFilesATaskNames) {
  open();
  auto spec = shell("echo out; echo err >&2; exit 0");
  spec.stdout_path = directory_.path() + "/%{JOB_ID}-%{TASK_INDEX}.txt";
  spec.stderr_path = "none";
  const auto report = run(spec);
  EXPECT_EQ(file(directory_.path() + "/12-0.txt"), "out\n");
  EXPECT_EQ(report.err_bytes, 0u);
  EXPECT_EQ(kept(), "");
}

TEST_F(Executor, GivesAnEmptyScratchDirectory) {
  open();
  for (std::uint32_t i = 0; i < 3; ++i) {
    run(launch(shell("ls -A; touch left behind; mkdir more"), i));
    EXPECT_EQ(kept(OutputStream::out, i), "") << "task " << i << " found something";
  }
}

TEST_F(Executor, StartsTasksCleanly) {
  open();
  // stdin is empty, no descriptors but 0-2 are open (3 is ls' own), no signal is blocked or
  // ignored, no core is dumped, and the session is the task's own.
  run(command({"sh", "-c",
      "cat; ls /proc/self/fd | tr '\\n' ' '; ulimit -c; "
      "grep -E 'Sig(Blk|Ign)' /proc/self/status | cut -f2; "
      "test $(cut -d' ' -f6 /proc/$$/stat) = $$ && echo own"}));
  EXPECT_EQ(kept(), "0 1 2 3 0\n0000000000000000\n0000000000000000\nown\n");
}

TEST_F(Executor, KillsWithGrace) {
  open({.kill_grace = 5s});
  executor_->start(
      launch(shell("trap 'echo saved; exit 9' TERM; echo up; while :; do sleep 0.02; done")));
  run_until([&] { return kept() == "up\n"; });
  executor_->kill(task(), 1, sched::Outcome::time_limit);
  run_until([&] { return !reports_.empty(); });
  EXPECT_EQ(reports_[0].outcome, sched::Outcome::time_limit);
  EXPECT_EQ(kept(), "up\nsaved\n");
  EXPECT_LT(reports_[0].wall, 5s);
}

TEST_F(Executor, KillsForGoodWhenTheGraceIsOver) {
  open({.kill_grace = 300ms});
  executor_->start(launch(shell("trap '' TERM; echo up; while :; do sleep 0.02; done")));
  run_until([&] { return kept() == "up\n"; });
  executor_->kill(task(), 1, sched::Outcome::killed);
  run_until([&] { return !reports_.empty(); });
  EXPECT_EQ(reports_[0].outcome, sched::Outcome::killed);
  EXPECT_EQ(reports_[0].status, SIGKILL);
  EXPECT_GE(reports_[0].wall, 300ms);
}

TEST_F(Executor, ChildrenOfAKilledShellMayUseTheGraceToo) {
  open({.kill_grace = 10s});
  const auto saved = directory_.path() + "/saved";
  executor_->start(launch(shell("(trap 'sleep 0.3; echo 1 > " + saved +
      "; exit' TERM; echo up; while :; do sleep 0.02; done) & "
      "wait")));
  run_until([&] { return kept() == "up\n"; });
  executor_->kill(task(), 1, sched::Outcome::killed);
  run_until([&] { return !reports_.empty(); });
  EXPECT_EQ(file(saved), "1\n");
}

TEST_F(Executor, KillOfATaskThatEndedIsIgnored) {
  open();
  EXPECT_EQ(run(command({"true"})).outcome, sched::Outcome::exited);
  executor_->kill(task(), 1, sched::Outcome::killed);
  executor_->kill(task(99), 1, sched::Outcome::killed);
  EXPECT_EQ(run(launch(command({"true"}), 1)).outcome, sched::Outcome::exited);
  EXPECT_EQ(reports_.size(), 2u);
}

TEST_F(Executor, SaysOnceThatThereAreNoLimits) {
  open({.limits = "rlimit"});
  EXPECT_EQ(executor_->limits(), "rlimit");
  EXPECT_TRUE(notes_.empty()) << "it was asked for";
}

TEST_F(Executor, RefusesLimitsThereAreNone) {
  open();
  auto output = OutputStore::open({.directory = directory_.path() + "/other"});
  auto wrong = ProcessExecutor::open(loop_, *output,
      {.directory = directory_.path() + "/s",
          .warden = *find_warden(),
          .warden_directory = directory_.path() + "/other-warden",
          .label = "x",
          .limits = "v3"},
      {.exited = [](const sched::JobId&, const sched::Report&) {}});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().text, HasSubstr("'v3'"));
  uv_run(&loop_, UV_RUN_NOWAIT);
}

TEST_F(Executor, NamesAWardenThatIsNotThere) {
  auto output = OutputStore::open({.directory = directory_.path() + "/other"});
  auto wrong = ProcessExecutor::open(loop_, *output,
      {.directory = directory_.path() + "/s",
          .warden = "/no/such/warden",
          .warden_directory = directory_.path() + "/other-warden",
          .label = "x"},
      {.exited = [](const sched::JobId&, const sched::Report&) {}});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().text, HasSubstr("/no/such/warden"));
  uv_run(&loop_, UV_RUN_NOWAIT);
}

// Real schedulers die under `ulimit -n 512`: no slot may keep descriptors.
TEST_F(Executor, RunsManyAtOnceWithFewDescriptors) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{.rlim_cur = 64, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &few);
  open();
  constexpr std::uint32_t kTasks = 150;
  for (std::uint32_t i = 0; i < kTasks; ++i) {
    executor_->start(launch(shell("echo %{TASK_INDEX}; sleep 0.2"), i));
  }
  run_until([&] { return reports_.size() == kTasks; });
  ::setrlimit(RLIMIT_NOFILE, &before);
  for (const auto& report : reports_) {
    EXPECT_EQ(report.outcome, sched::Outcome::exited) << report.detail;
  }
  for (std::uint32_t i = 0; i < kTasks; ++i) {
    EXPECT_EQ(kept(OutputStream::out, i), std::to_string(i) + "\n");
  }
}

// 600 KB of words and variables arrive whole, whatever the socket holds at once.
TEST_F(Executor, CarriesLargeCommands) {
  open();
  auto spec = command({"sh", "-c", "echo $#; printf '%s' \"$9\" | wc -c", "sh"});
  for (int i = 0; i < 9; ++i) spec.command.push_back({std::string(60'000, 'x')});
  for (std::uint32_t i = 0; i < 8; ++i) executor_->start(launch(spec, i));
  run_until([&] { return reports_.size() == 8; });
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(kept(OutputStream::out, i), "9\n60000\n");
}

TEST_F(Executor, TellsThatACommandIsTooLong) {
  open();
  auto spec = command({"true"});
  for (int i = 0; i < 60; ++i) spec.command.push_back({"%{ENTRY}"});
  auto long_line = launch(spec);
  long_line.entry = std::string(65'000, 'x');
  const auto report = run(long_line);
  EXPECT_EQ(report.outcome, sched::Outcome::not_executable);
  EXPECT_THAT(report.detail, HasSubstr("too long"));
}

}  // namespace
}  // namespace dunlin::node
