// SPDX-License-Identifier: MIT
#include <csignal>
#include <fstream>

#include "sched/task.h"
#include "tests/node/executor_world.h"

// What tasks read: files, what a client gives, and terminals.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

class ExecutorInput : public ExecutorWorld {
 protected:
  static TaskSpec fed(const std::string& script, TaskInput input = TaskInput::client) {
    TaskSpec spec = shell(script);
    spec.input = input;
    return spec;
  }
  void start(const TaskSpec& spec) {
    executor_->start(launch(spec));
    ASSERT_TRUE(executor_->inputs().attach(task(), 1));
  }
  void give(const std::string& data, bool end = false) {
    executor_->inputs().feed(task(), 1, data, end);
  }
  sched::Report ended() {
    run_until([&] { return !reports_.empty(); });
    return reports_.empty() ? sched::Report{} : reports_.back();
  }
};

TEST_F(ExecutorInput, ATaskReadsTheFileThatItNames) {
  open();
  std::ofstream(directory_.path() + "/in.3") << "of task 3\n";
  TaskSpec spec = shell("cat");
  spec.stdin_path = directory_.path() + "/in.%{TASK_INDEX}";
  executor_->start(launch(spec, 3));
  EXPECT_TRUE(sched::is_success(ended()));
  EXPECT_EQ(kept(OutputStream::out, 3), "of task 3\n");
}

// Until it executes its program the new process shares the warden's memory.
TEST_F(ExecutorInput, WhatTheKernelShowsOfAProcessIsNoInput) {
  open();
  for (const char* path : {"/proc/self/maps", "/proc/thread-self/smaps", "/proc/1/status"}) {
    TaskSpec spec = command({"cat"});
    spec.stdin_path = path;
    const auto report = run(spec);
    EXPECT_EQ(report.outcome, sched::Outcome::spawn_failed) << path;
    EXPECT_NE(report.detail.find(path), std::string::npos) << report.detail;
    EXPECT_EQ(kept(), "") << path;
  }
  TaskSpec spec = command({"head", "-c", "9"});
  spec.stdin_path = "/proc/cpuinfo";
  EXPECT_EQ(run(spec).outcome, sched::Outcome::exited);
}

TEST_F(ExecutorInput, AFileThatIsNotThereIsTheTasksFault) {
  open();
  TaskSpec spec = shell("cat");
  spec.stdin_path = "/nowhere/at/all";
  const auto report = run(spec);
  EXPECT_EQ(report.outcome, sched::Outcome::spawn_failed);
  EXPECT_EQ(report.cause, sched::Cause::task);
  EXPECT_EQ(report.detail, "cannot read input from '/nowhere/at/all': No such file or directory");
}

TEST_F(ExecutorInput, ReadsWhatAClientGivesUntilItsEnd) {
  open();
  start(fed("cat; echo over"));
  give("one\n");
  run_until([&] { return executor_->inputs().state(task(), 1).taken == 4; });
  EXPECT_TRUE(reports_.empty()) << "it waits for more";
  give("two\n", true);
  EXPECT_TRUE(sched::is_success(ended()));
  EXPECT_EQ(kept(), "one\ntwo\nover\n");
  EXPECT_FALSE(executor_->inputs().state(task(), 1).running);
}

// The pipe takes 64 KiB; what is beyond is taken only as the task reads.
TEST_F(ExecutorInput, TakesNoMoreThanTheTaskReads) {
  open();
  start(fed("read line; sleep 0.3; cat | wc -c"));
  const std::string block(128 << 10, 'x');
  give("go\n" + block);
  run_until([&] { return executor_->inputs().state(task(), 1).taken != 0; });
  EXPECT_LT(executor_->inputs().state(task(), 1).taken, block.size());
  give(block, true);
  EXPECT_TRUE(sched::is_success(ended()));
  EXPECT_EQ(kept(), std::to_string(2 * block.size()) + "\n");
}

TEST_F(ExecutorInput, ATaskThatReadsNothingHoldsNobodyUp) {
  open();
  const auto go = directory_.path() + "/go";
  start(fed("exec 0<&-; while ! test -e " + go + "; do sleep 0.02; done"));
  give(std::string(1 << 20, 'x'));
  // Not `taken`: a task that closes its input before any came is told of once, with nothing taken.
  run_until([&] { return executor_->inputs().state(task(), 1).closed || !reports_.empty(); });
  EXPECT_TRUE(reports_.empty()) << "it is known before the task ends";
  std::ofstream(go) << "";
  EXPECT_TRUE(sched::is_success(ended()));
}

TEST_F(ExecutorInput, AClientThatLeavesTooEarlyEndsTheTask) {
  open();
  start(fed("cat > /dev/null"));
  give("half of it");
  executor_->inputs().detach(task(), 1);
  const auto report = ended();
  EXPECT_EQ(report.outcome, sched::Outcome::signalled);
  EXPECT_EQ(report.status, SIGHUP);
  EXPECT_EQ(report.detail, "its client left before the end of its input");
}

TEST_F(ExecutorInput, AClientMayLeaveAfterTheEnd) {
  open();
  start(fed("cat; sleep 0.3"));
  give("all of it", true);
  executor_->inputs().detach(task(), 1);
  EXPECT_TRUE(sched::is_success(ended()));
  EXPECT_EQ(kept(), "all of it");
}

TEST_F(ExecutorInput, OneClientAtATimeAndOnlyWhereATaskReads) {
  open();
  start(fed("cat"));
  EXPECT_EQ(executor_->inputs().attach(task(), 1).error().text, "task 0 has a client already");
  EXPECT_EQ(executor_->inputs().attach(task(), 2).error().kind, ErrorKind::not_found);
  executor_->start(launch(shell("sleep 0.1"), 1));
  EXPECT_EQ(executor_->inputs().attach(task(1), 1).error().text,
      "task 1 does not read what a client gives");
  give("", true);
  run_until([&] { return reports_.size() == 2; });
}

TEST_F(ExecutorInput, ATerminalIsWhatTheTaskReadsAndWrites) {
  open();
  TaskSpec spec =
      fed("tty -s && stty size; read word; echo \"got $word\" >&2; stty size", TaskInput::terminal);
  spec.rows = 24;
  spec.columns = 80;
  start(spec);
  run_until([&] { return kept().find("24 80") != std::string::npos; });
  executor_->inputs().resize(task(), 1, 50, 132);
  give("salt\r");
  const auto report = ended();
  EXPECT_TRUE(sched::is_success(report)) << report.detail;
  EXPECT_EQ(kept(), "24 80\r\nsalt\r\ngot salt\r\n50 132\r\n");
  EXPECT_EQ(report.out_bytes, kept().size());
}

TEST_F(ExecutorInput, ATerminalTellsItsTaskOfANewSizeAndOfCtrlC) {
  open();
  start(
      fed("trap 'echo resized' WINCH; trap 'echo interrupted; exit 3' INT; echo ready;"
          "while :; do sleep 0.05; done",
          TaskInput::terminal));
  run_until([&] { return kept().find("ready") != std::string::npos; });
  executor_->inputs().resize(task(), 1, 50, 132);
  run_until([&] { return kept().find("resized") != std::string::npos; });
  give("\x03");
  EXPECT_EQ(ended().status, 3);
  EXPECT_NE(kept().find("interrupted"), std::string::npos) << kept();
}

// The last words are in the terminal's buffer when the task ends.
TEST_F(ExecutorInput, NothingThatATerminalShowedIsLost) {
  open();
  start(fed("seq 1 20000", TaskInput::terminal));
  EXPECT_TRUE(sched::is_success(ended()));
  const std::string shown = output_->read(task(), std::nullopt, OutputStream::out, 0, 1 << 20).data;
  EXPECT_TRUE(shown.ends_with("\r\n20000\r\n")) << shown.size();
}

// The warden keeps the pipe, so an agent that is replaced is no end of the input; but nobody knows
// what was on its way.
TEST_F(ExecutorInput, InputOutlivesTheAgentAndIsNotGoneOnWith) {
  ExecutorOptions options;
  options.reattach_within = 30s;
  open(options);
  start(fed("cat; echo over"));
  give("one\n");
  run_until([&] { return executor_->inputs().state(task(), 1).taken == 4; });
  executor_->leave();
  executor_.reset();
  options.incarnation = 2;
  open(options);
  ASSERT_EQ(executor_->take_kept().size(), 1u);
  EXPECT_TRUE(executor_->inputs().state(task(), 1).running);
  const auto attached = executor_->inputs().attach(task(), 1);
  EXPECT_EQ(attached.error().kind, ErrorKind::conflict);
  EXPECT_NE(attached.error().text.find("began anew"), std::string::npos) << attached.error().text;
  EXPECT_TRUE(reports_.empty());
  executor_->kill(task(), 1, sched::Outcome::killed);
  EXPECT_EQ(ended().outcome, sched::Outcome::killed);
}

}  // namespace
}  // namespace dunlin::node
