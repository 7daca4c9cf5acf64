// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

#include "node/task/soft_limits.h"
#include "tests/node/executor_world.h"

// What tasks write, however they open their output, and the surroundings that they ask for.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class ExecutorOutput : public ExecutorWorld {};

// A file would be cut by ">".
TEST_F(ExecutorOutput, IsWholeWhereATaskOpensItAgain) {
  open();
  const auto report = run(
      shell("echo one; echo two > /dev/stdout; echo three; echo err > /dev/stderr; echo four | tee "
            "/dev/stderr; sh -c 'echo five > /proc/self/fd/1'; echo last >&2"));
  EXPECT_EQ(report.outcome, sched::Outcome::exited);
  EXPECT_EQ(report.status, 0);
  EXPECT_EQ(kept(), "one\ntwo\nthree\nfour\nfive\n");
  EXPECT_EQ(kept(OutputStream::err), "err\nfour\nlast\n");
  EXPECT_EQ(report.out_bytes, 24u);
  EXPECT_EQ(report.err_bytes, 14u);
}

TEST_F(ExecutorOutput, IsReadWhileATaskOpensItAgainAndAgain) {
  open();
  const auto go = directory_.path() + "/go";
  executor_->start(launch(shell("for i in 1 2 3; do echo $i > /dev/stdout; done; while ! test -e " +
      go + "; do sleep 0.02; done; for i in 4 5; do echo $i > /dev/stdout; done")));
  run_until([&] { return kept() == "1\n2\n3\n"; });
  std::ofstream(go) << "";
  run_until([&] { return reports_.size() == 1; });
  EXPECT_EQ(kept(), "1\n2\n3\n4\n5\n");
}

TEST_F(ExecutorOutput, IsWholeHoweverMuchItIs) {
  open();
  constexpr std::uint64_t kBytes = 100u << 20;
  const auto report = run(shell("head -c " + std::to_string(kBytes) + " /dev/zero; printf end"));
  EXPECT_EQ(report.status, 0);
  EXPECT_EQ(report.out_bytes, kBytes + 3);
  EXPECT_EQ(output_->read(task(), std::nullopt, OutputStream::out, kBytes, 100).data, "end");
}

TEST_F(ExecutorOutput, OfManyTasksAtOnceIsEachOnesOwn) {
  open();
  constexpr std::uint32_t kTasks = 20;
  for (std::uint32_t i = 0; i < kTasks; ++i) {
    executor_->start(
        launch(shell("for n in 1 2 3; do seq 2000; done; echo $DUNLIN_TASK_INDEX"), i));
  }
  run_until([&] { return reports_.size() == kTasks; });
  std::string expected;
  for (int n = 0; n < 3; ++n) {
    for (int i = 1; i <= 2000; ++i) expected += std::to_string(i) + "\n";
  }
  for (std::uint32_t i = 0; i < kTasks; ++i) {
    EXPECT_EQ(kept(OutputStream::out, i), expected + std::to_string(i) + "\n") << i;
  }
}

// A process that was left behind has the pipe open, and ends with its task.
TEST_F(ExecutorOutput, OfProcessesLeftBehindHoldsNothingUp) {
  open();
  const auto report =
      run(shell("(while :; do echo more; sleep 0.01; done) & sleep 0.1; echo done"));
  EXPECT_EQ(report.status, 0);
  EXPECT_THAT(kept(), HasSubstr("done\n"));
}

TEST_F(ExecutorOutput, ATaskHasTheUmaskAndTheLimitsThatItAsksFor) {
  open();
  auto spec = shell("umask; ulimit -Sn; ulimit -Sc; ulimit -Ss; ulimit -St");
  spec.umask = 077 + 1;
  spec.limits = {{.resource = *limit_number("nofile"), .max = 123},
      {.resource = *limit_number("core"), .max = 0},
      {.resource = *limit_number("stack"), .max = 1u << 20},
      {.resource = *limit_number("cpu"), .max = 3600}};
  run(spec);
  EXPECT_EQ(kept(), "0077\n123\n0\n1024\n3600\n");
}

TEST_F(ExecutorOutput, AFileOfTheUserBeginsEmptyIfThatIsAskedFor) {
  open();
  const std::string file_name = directory_.path() + "/out";
  std::ofstream(file_name) << "of an attempt before, and longer\n";
  auto spec = shell("echo more; echo alas >&2");
  spec.stdout_path = file_name;
  spec.stderr_path = file_name;
  run(launch(spec, 0));
  EXPECT_EQ(file(file_name), "of an attempt before, and longer\nmore\nalas\n");
  spec.truncate = true;
  EXPECT_EQ(run(launch(spec, 1)).status, 0);
  EXPECT_EQ(file(file_name), "more\nalas\n") << "of both streams, in one file";
  // A pipe cannot be cut.
  spec.stdout_path.clear();
  EXPECT_EQ(run(launch(spec, 2)).status, 0);
  EXPECT_EQ(kept(OutputStream::out, 2), "more\n");
  EXPECT_EQ(file(file_name), "alas\n");
}

// The warden raises its own limit of open files, and its tasks have the one from before.
TEST_F(ExecutorOutput, ATaskInheritsTheLimitOfOpenFiles) {
  rlimit own{};
  ::getrlimit(RLIMIT_NOFILE, &own);
  const rlimit fewer{.rlim_cur = 500, .rlim_max = own.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &fewer);
  open();
  run(shell("ulimit -Sn"));
  ::setrlimit(RLIMIT_NOFILE, &own);
  EXPECT_EQ(kept(), "500\n");
}

// A script that was just made is often closed a moment later.
TEST_F(ExecutorOutput, AScriptThatIsStillWrittenIsTriedAgain) {
  open();
  const std::string script = directory_.path() + "/script";
  const int writing = ::open(script.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
  ASSERT_GE(writing, 0);
  ASSERT_GT(::write(writing, "#!/bin/sh\necho ran\n", 19), 0);
  std::thread closing([&] {
    std::this_thread::sleep_for(300ms);
    ::close(writing);
  });
  const auto report = run(command({script}));
  closing.join();
  EXPECT_EQ(report.outcome, sched::Outcome::exited) << report.detail;
  EXPECT_EQ(kept(), "ran\n");
}

// Its program ran by the time that the warden looked again, and nothing else woke that one: what
// such a task wrote was seen half a minute later.
TEST_F(ExecutorOutput, OfATaskThatBeganLateIsSeenWhileItRuns) {
  open();
  const std::string script = directory_.path() + "/script";
  const int writing = ::open(script.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
  ASSERT_GE(writing, 0);
  ASSERT_GT(::write(writing, "#!/bin/sh\necho ran\nsleep 8\n", 27), 0);
  executor_->start(launch(command({script})));
  std::this_thread::sleep_for(300ms);
  ::close(writing);
  const auto begun = std::chrono::steady_clock::now();
  run_until([&] { return kept() == "ran\n" || !reports_.empty(); });
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
  run_until([&] { return !reports_.empty(); });
}

}  // namespace
}  // namespace dunlin::node
