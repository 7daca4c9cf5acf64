// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "node/task/executor.h"
#include "tests/node/executor_world.h"

// The executor of one agent after the other, with the warden that outlives them.
namespace dunlin::node {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

class Reattach : public ExecutorWorld {
 protected:
  /// The executor of agent `incarnation`; tasks run on without an agent for half a minute.
  void begin(std::uint32_t incarnation, ExecutorOptions options = {}) {
    options.incarnation = incarnation;
    if (options.reattach_within == 0s) options.reattach_within = 30s;
    open(options);
  }
  /// The agent ends, and its tasks do not. What the warden tells meanwhile is lost.
  void end() {
    executor_->leave();
    executor_.reset();
    output_.reset();
  }
  static bool lives(const std::string& pid) {
    return !pid.empty() && ::kill(std::stoi(pid), 0) == 0;
  }
};

TEST_F(Reattach, TasksRunOnAndAreTakenBack) {
  begin(5);
  const auto go = directory_.path() + "/go";
  auto spec = shell("echo $$; while ! test -e " + go + "; do sleep 0.02; done; echo late; exit 7");
  auto first = launch(spec);
  first.frontend = {.id = {0xabcd}, .address = overlay::Address::v4(0x7f000001, 7700)};
  first.time_limit = 90s;
  executor_->start(first);
  run_until([&] { return !kept().empty(); });
  const auto pid = kept();
  end();

  begin(6);
  EXPECT_EQ(executor_->since(), 5u);
  EXPECT_EQ(executor_->running(), 1u);
  const auto back = executor_->take_kept();
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].task, task());
  EXPECT_EQ(back[0].frontend, first.frontend);
  EXPECT_EQ(back[0].demand, first.demand);
  EXPECT_EQ(back[0].time_limit, 90s);
  EXPECT_GT(back[0].ran, 0s);
  EXPECT_FALSE(back[0].ended);
  EXPECT_TRUE(lives(pid));
  EXPECT_EQ(kept(), pid) << "its output is shown as before";
  std::ofstream(go) << "";
  run_until([&] { return reports_.size() == 1; });
  EXPECT_EQ(reports_[0].status, 7);
  EXPECT_EQ(kept(), pid + "late\n");
}

// A later build names a node's cgroups in another way. Those of tasks that run keep their names,
// and serve tasks that start meanwhile.
TEST_F(Reattach, TasksRunOnBelowCgroupsOfAnOlderName) {
  ExecutorOptions older;
  older.label = "older" + std::to_string(::getpid());
  begin(5, older);
  const auto go = directory_.path() + "/go";
  const auto waits = shell("echo up; while ! test -e " + go + "; do sleep 0.02; done; exit 7");
  executor_->start(launch(waits, 0));
  run_until([&] { return kept() == "up\n"; });
  end();

  ExecutorOptions newer;
  newer.label = older.label + "-0123456789abcdef";
  begin(6, newer);
  EXPECT_EQ(executor_->running(), 1u);
  EXPECT_EQ(executor_->take_kept().size(), 1u);
  executor_->start(launch(waits, 1));
  run_until([&] { return kept(OutputStream::out, 1) == "up\n"; });
  EXPECT_TRUE(reports_.empty()) << "the first one runs on";
  std::ofstream(go) << "";
  run_until([&] { return reports_.size() == 2; });
  for (const sched::Report& report : reports_) EXPECT_EQ(report.status, 7);
}

TEST_F(Reattach, ATaskThatWasTakenBackCanBeKilled) {
  begin(1);
  executor_->start(launch(shell("echo up; sleep 60")));
  run_until([&] { return kept() == "up\n"; });
  end();
  begin(2);
  executor_->kill(task(), 1, sched::Outcome::time_limit);
  run_until([&] { return reports_.size() == 1; });
  EXPECT_EQ(reports_[0].outcome, sched::Outcome::time_limit);
}

// An agent that dies while a task yields its room does not know any more why it was stopped.
TEST_F(Reattach, ATaskEndsAsItsAgentOfBeforeSaid) {
  begin(1, {.kill_grace = 5s});
  const auto script = shell("trap 'sleep 0.3; exit 4' TERM; echo up; while :; do sleep 0.02; done");
  for (const std::uint32_t index : {0u, 1u}) {
    executor_->start(launch(script, index));
    run_until([&] { return kept(OutputStream::out, index) == "up\n"; });
  }
  executor_->kill(task(0), 1, sched::Outcome::preempted);
  executor_->kill(task(1), 1, sched::Outcome::time_limit);
  end();
  begin(2);
  const auto back = executor_->take_kept();
  ASSERT_EQ(back.size(), 2u);
  const auto told = [&] {
    return reports_.size() ==
        static_cast<std::size_t>(
            std::ranges::count_if(back, [](const sched::KeptTask& task) { return !task.ended; }));
  };
  run_until(told);
  std::vector<sched::Report> all = reports_;
  for (const sched::KeptTask& task : back) {
    if (task.ended) all.push_back(*task.ended);
  }
  std::ranges::sort(all, {}, &sched::Report::index);
  EXPECT_EQ(all[0].outcome, sched::Outcome::preempted);
  EXPECT_EQ(all[1].outcome, sched::Outcome::time_limit);
}

TEST_F(Reattach, DevicesStayWithTheTasksThatLiveOn) {
  const auto go = directory_.path() + "/go";
  const auto script = shell("echo $DUNLIN_GPUS; while ! test -e " + go + "; do sleep 0.02; done");
  const auto with_gpus = [&](const TaskSpec& spec, std::uint32_t index, std::uint32_t count) {
    auto each = launch(spec, index);
    each.demand.custom.push_back({"gpu", count});
    return each;
  };
  begin(1, {.devices = {{"gpu", 3}}});
  executor_->start(with_gpus(script, 0, 1));
  executor_->start(with_gpus(script, 1, 1));
  run_until(
      [&] { return kept(OutputStream::out, 0) == "0\n" && kept(OutputStream::out, 1) == "1\n"; });
  executor_->kill(task(0), 1, sched::Outcome::killed);
  run_until([&] { return reports_.size() == 1; });
  end();

  begin(2, {.devices = {{"gpu", 3}}});
  run(with_gpus(shell("echo $DUNLIN_GPUS $CUDA_VISIBLE_DEVICES"), 2, 2));
  EXPECT_EQ(kept(OutputStream::out, 2), "0,2 0,2\n") << "task 1 still has the device 1";
  EXPECT_EQ(run(with_gpus(script, 3, 3)).outcome, sched::Outcome::spawn_failed);
  std::ofstream(go) << "";
  run_until([&] { return reports_.size() == 4; });
  run(with_gpus(shell("echo $DUNLIN_GPUS"), 4, 3));
  EXPECT_EQ(kept(OutputStream::out, 4), "0,1,2\n");
}

TEST_F(Reattach, AnEndMeanwhileIsToldUntilItIsForgotten) {
  begin(1);
  executor_->start(
      launch(shell("echo out; echo err >&2; sleep 0.2; head -c 300000 /dev/zero; exit 3")));
  run_until([&] { return kept(OutputStream::err) == "err\n"; });
  end();
  const auto live = directory_.path() + "/output/live/0.out";
  ASSERT_TRUE(eventually([&] { return fs::exists(live) && fs::file_size(live) == 300'004; }));
  ::usleep(200'000);
  for (const std::uint32_t incarnation : {2u, 3u}) {
    begin(incarnation);
    const auto back = executor_->take_kept();
    ASSERT_EQ(back.size(), 1u) << incarnation;
    ASSERT_TRUE(back[0].ended) << incarnation;
    EXPECT_EQ(back[0].ended->status, 3);
    EXPECT_EQ(back[0].ended->out_bytes, 300'004u);
    EXPECT_EQ(kept().size(), 300'004u) << "whole, and kept once";
    EXPECT_EQ(kept(OutputStream::err), "err\n");
    EXPECT_EQ(executor_->running(), 0u);
    if (incarnation == 3) executor_->forget(task(), 1);
    run_until([stop = std::chrono::steady_clock::now() + 1200ms] {
      return std::chrono::steady_clock::now() > stop;
    });
    end();
  }
  begin(4);
  EXPECT_TRUE(executor_->take_kept().empty());
  EXPECT_TRUE(reports_.empty());
}

TEST_F(Reattach, TheSlotOfATaskThatRunsIsNotGivenTwice) {
  const auto go = directory_.path() + "/go";
  begin(1);
  executor_->start(launch(
      shell("touch mine; echo one; while ! test -e " + go + "; do sleep 0.02; done; ls"), 0));
  run_until([&] { return kept() == "one\n"; });
  end();
  begin(2);
  EXPECT_EQ(run(launch(shell("pwd; ls"), 1)).status, 0);
  std::ofstream(go) << "";
  run_until([&] { return reports_.size() == 2; });
  EXPECT_EQ(kept(), "one\nmine\n") << "its scratch directory was left alone";
  EXPECT_EQ(kept(OutputStream::out, 1), directory_.path() + "/scratch/1\n");
}

TEST_F(Reattach, AnEndWhoseSlotWasPassedOnLeavesTheLiveOutputAlone) {
  const auto go = directory_.path() + "/go";
  begin(1);
  EXPECT_EQ(run(launch(shell("echo first"), 0)).status, 0);
  executor_->start(
      launch(shell("echo second; while ! test -e " + go + "; do sleep 0.02; done; echo end"), 1));
  run_until([&] { return kept(OutputStream::out, 1) == "second\n"; });
  end();
  begin(2);
  EXPECT_EQ(executor_->take_kept().size(), 2u);
  std::ofstream(go) << "";
  run_until([&] { return reports_.size() == 2; });
  EXPECT_EQ(kept(), "first\n");
  EXPECT_EQ(kept(OutputStream::out, 1), "second\nend\n");
}

TEST_F(Reattach, TasksEndIfNoAgentComesBack) {
  begin(1, {.reattach_within = 300ms, .kill_grace = 10s});
  executor_->start(
      launch(shell("trap 'echo saved; exit' TERM; echo $$; while :; do sleep 0.02; done")));
  run_until([&] { return !kept().empty(); });
  const auto pid = kept();
  end();
  EXPECT_TRUE(lives(pid));
  EXPECT_TRUE(eventually([&] { return !lives(pid); }));
  EXPECT_EQ(file(directory_.path() + "/output/live/0.out"), pid + "saved\n") << "it had its grace";
  begin(2);
  EXPECT_EQ(executor_->since(), 2u);
  EXPECT_TRUE(executor_->take_kept().empty());
  EXPECT_EQ(kept(), "") << "what it wrote went with it";
}

TEST_F(Reattach, AnEarlierAgentIsTurnedAway) {
  begin(7);
  executor_->start(launch(shell("sleep 60")));
  auto other = OutputStore::open({.directory = directory_.path() + "/other"});
  const auto early = ProcessExecutor::open(loop_, *other,
      {.directory = directory_.path() + "/s",
          .warden = *find_warden(),
          .warden_directory = directory_.path() + "/warden",
          .incarnation = 6,
          .label = "x"},
      {.exited = [](const sched::JobId&, const sched::Report&) {}});
  ASSERT_FALSE(early);
  EXPECT_THAT(early.error().text, HasSubstr("later agent"));
  executor_->kill(task(), 1, sched::Outcome::killed);
  run_until([&] { return reports_.size() == 1; });
}

TEST_F(Reattach, AnExecutorThatStopsEndsItsTasks) {
  begin(1);
  executor_->start(launch(shell("echo $$; sleep 60")));
  run_until([&] { return !kept().empty(); });
  const auto pid = kept();
  executor_.reset();
  EXPECT_FALSE(lives(pid));
}

TEST_F(Reattach, TellsThatNewSettingsMustWait) {
  begin(1);
  executor_->start(launch(shell("sleep 60")));
  end();
  begin(2, {.pids_max = 77});
  run_until([&] { return !notes_.empty(); });
  EXPECT_THAT(notes_, Contains(HasSubstr("settings of limits")));
}

}  // namespace
}  // namespace dunlin::node
