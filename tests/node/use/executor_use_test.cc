// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "node/task/executor.h"
#include "node/warden/cgroup/cgroup.h"
#include "node/warden/use/disks.h"
#include "tests/node/executor_world.h"

// What tasks use, and the rates that they are held to, under every way of limiting that a machine
// may offer.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMiB = 1u << 20;

class ExecutorUse : public ExecutorWorld, public ::testing::WithParamInterface<const char*> {
 protected:
  /// Empty, or why this machine cannot show it.
  std::string open_uses(sched::Duration period = 200ms) {
    std::vector<std::string> notes;
    const auto probe = Limiter::open(
        {.label = "probe-" + std::to_string(::getpid()), .wanted = GetParam()}, notes);
    if (!probe) return std::string("no writable cgroup ") + GetParam() + " here";
    if (auto disk = disk_below(directory_.path()); !disk) return disk.error().text;
    open({.limits = GetParam(), .sample_period = period});
    const auto tried = run(shell("dd if=/dev/zero of=direct bs=4096 count=1 oflag=direct"));
    return tried.status == 0 ? "" : "no direct writes in " + directory_.path();
  }
  /// `mib` are copied between /dev/zero, or /dev/null, and a file.
  TaskSpec writes(int mib, const std::string& how) const {
    return shell(
        "dd if=/dev/zero of=" + data() + " bs=1M count=" + std::to_string(mib) + " " + how);
  }
  TaskSpec reads(const std::string& how) const {
    return shell("dd if=" + data() + " of=/dev/null bs=1M " + how);
  }
  std::string data() const { return directory_.path() + "/data"; }

  static void expect_near(std::uint64_t value, std::uint64_t wanted, double part) {
    const auto exact = static_cast<double>(wanted);
    EXPECT_NEAR(static_cast<double>(value), exact, exact * part);
  }
};

TEST_P(ExecutorUse, BytesOfDisksAreCounted) {
  if (const std::string why = open_uses(); !why.empty()) GTEST_SKIP() << "SKIPPED: " << why;
  for (const char* how : {"oflag=direct", "conv=fsync"}) {
    SCOPED_TRACE(how);
    const auto written = run(writes(64, how));
    ASSERT_EQ(written.status, 0) << kept(OutputStream::err);
    EXPECT_TRUE(written.use.has_disk);
    expect_near(written.use.disk_written, 64 * kMiB, .1);
    EXPECT_GT(written.use.disk_write_peak, 0u);
  }
  const auto read = run(reads("iflag=direct"));
  ASSERT_EQ(read.status, 0);
  expect_near(read.use.disk_read, 64 * kMiB, .1);
  EXPECT_LT(read.use.disk_written, kMiB);
  EXPECT_FALSE(read.use.has_net);
}

TEST_P(ExecutorUse, OfATaskThatTouchesNoDiskItIsKnown) {
  if (const std::string why = open_uses(); !why.empty()) GTEST_SKIP() << "SKIPPED: " << why;
  const auto report = run(command({"true"}));
  EXPECT_TRUE(report.use.has_disk);
  EXPECT_LT(report.use.disk_read + report.use.disk_written, kMiB);
}

TEST_P(ExecutorUse, RunningTasksAreSampled) {
  if (const std::string why = open_uses(); !why.empty()) GTEST_SKIP() << "SKIPPED: " << why;
  auto busy = launch(shell("while :; do :; done"), 3);
  busy.demand.disk_write = 7;
  executor_->start(busy);
  ASSERT_EQ(executor_->uses().size(), 1u);
  EXPECT_FALSE(executor_->uses()[0].sampled) << "it has just begun";
  run_until([&] { return executor_->uses()[0].cpu >= 500ms; });
  const RunningUse first = executor_->uses()[0];
  EXPECT_TRUE(first.sampled);
  EXPECT_EQ(first.task, task(3));
  EXPECT_EQ(first.demand, busy.demand);
  EXPECT_LE(first.cpu, first.age + 50ms);
  EXPECT_GT(first.memory, 0u);
  EXPECT_LT(first.sampled_ago, 10s);
  run_until([&] { return executor_->uses()[0].cpu > first.cpu; });
  executor_->kill(task(3), 1, sched::Outcome::killed);
  run_until([&] { return !reports_.empty() && reports_.back().index == 3; });
  EXPECT_TRUE(executor_->uses().empty());
  EXPECT_GT(reports_.back().use.cpu_peak, 100u) << "beside other work, too";
  EXPECT_LT(reports_.back().use.cpu_peak, 1500u);
}

TEST_P(ExecutorUse, NothingIsMeasuredIfNobodyAsksForIt) {
  if (const std::string why = open_uses(0ms); !why.empty()) GTEST_SKIP() << "SKIPPED: " << why;
  EXPECT_EQ(run(writes(1, "oflag=direct")).use, sched::TaskUse{});
}

TEST_P(ExecutorUse, ADemandedRateOfTheDiskIsALimit) {
  if (const std::string why = open_uses(); !why.empty()) GTEST_SKIP() << "SKIPPED: " << why;
  constexpr std::uint32_t kRate = 8 * 1024;  // KiB/s
  auto write = launch(writes(32, "oflag=direct"), 1);
  write.demand.disk_write = kRate;
  if (!executor_->limits_disk()) {
    run(write);
    write.task.index = 2;
    run(write);
    std::size_t told = 0;
    for (const std::string& note : notes_) {
      if (note.find("not held to the rates of disks") != std::string::npos) ++told;
    }
    EXPECT_EQ(told, 1u) << "the operator is told, once";
    GTEST_SKIP() << "SKIPPED: " << GetParam() << " does not hold tasks to rates of disks here";
  }
  const auto rate_of = [](const sched::Report& report, std::uint64_t bytes) {
    return static_cast<std::uint64_t>(
        static_cast<double>(bytes) / 1024 / std::chrono::duration<double>(report.wall).count());
  };
  const auto written = run(write);
  ASSERT_EQ(written.status, 0);
  expect_near(rate_of(written, 32 * kMiB), kRate, .15);
  EXPECT_LT(written.use.disk_write_peak, 2 * kRate) << "1 MiB more or less in 200 ms";

  auto read = launch(reads("iflag=direct"), 2);
  read.demand.disk_read = 2 * kRate;
  expect_near(rate_of(run(read), 32 * kMiB), 2 * kRate, .15);

  // Its slot is free of the limit again.
  const auto free = run(launch(writes(32, "oflag=direct"), 3));
  EXPECT_GT(rate_of(free, 32 * kMiB), 2 * kRate);
}

TEST_P(ExecutorUse, ATaskThatDemandsARateOfTheNetworkIsGuarded) {
  if (const std::string why = open_uses(); !why.empty()) GTEST_SKIP() << "SKIPPED: " << why;
  auto quiet = launch(shell("grep ^0: /proc/self/cgroup"), 1);
  quiet.demand.net_out = 1000;
  const auto report = run(quiet);
  if (!executor_->limits_net()) {
    std::size_t told = 0;
    for (const std::string& note : notes_) {
      if (note.find("not held to the rates of the network") != std::string::npos) ++told;
    }
    EXPECT_EQ(told, 1u) << "the operator is told, once";
    EXPECT_FALSE(report.use.has_net);
    GTEST_SKIP() << "SKIPPED: " << GetParam() << " does not hold tasks to rates of networks here";
  }
  EXPECT_NE(kept(OutputStream::out, 1).find("/slot-"), std::string::npos);
  EXPECT_TRUE(report.use.has_net);
  EXPECT_EQ(report.use.net_sent, 0u);
  EXPECT_EQ(run(launch(command({"true"}), 2)).status, 0);
}

INSTANTIATE_TEST_SUITE_P(
    , ExecutorUse, ::testing::Values("v2", "v1", "rlimit"), [](const auto& limits) {
      return std::string(limits.param);
    });

}  // namespace
}  // namespace dunlin::node
