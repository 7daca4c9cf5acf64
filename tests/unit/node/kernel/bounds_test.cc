// SPDX-License-Identifier: MIT
#include "node/kernel/bounds.h"

#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using test::write_file;

constexpr std::uint64_t kBoundGibibyte = 1 << 30;
const Bounds kWholeMachine{.cpu = 8000, .memory = 16 * kBoundGibibyte};

TEST(Bounds, CpuMaxIsAQuotaInAPeriod) {
  EXPECT_EQ(parse_cpu_max("max 100000\n"), 0u);
  EXPECT_EQ(parse_cpu_max("25000 100000\n"), 250u);
  EXPECT_EQ(parse_cpu_max("350000 100000"), 3500u);
  EXPECT_EQ(parse_cpu_max("1 100000"), 1u);
  EXPECT_EQ(parse_cpu_max(""), 0u);
  EXPECT_EQ(parse_cpu_max("5"), 0u);
}

TEST(Bounds, TheTightestCgroupOnTheWayUpBoundsAProcess) {
  const test::Scratch mounts;
  write_file(mounts / "a/cpu.max", "200000 100000\n");
  write_file(mounts / "a/memory.max", "max\n");
  write_file(mounts / "a/b/cpu.max", "max 100000\n");
  write_file(mounts / "a/b/memory.max", std::to_string(kBoundGibibyte) + "\n");
  const Bounds bounds = tightened(kWholeMachine, mounts.path(), "0::/a/b\n");
  EXPECT_EQ(bounds.cpu, 2000u);
  EXPECT_EQ(bounds.cpu_cgroup, mounts / "a");
  EXPECT_EQ(bounds.memory, kBoundGibibyte);
  EXPECT_EQ(bounds.memory_cgroup, mounts / "a/b");
}

TEST(Bounds, ALimitBeyondTheMachineIsNone) {
  const test::Scratch mounts;
  write_file(mounts / "cpu/x/cpu.cfs_quota_us", "-1\n");
  write_file(mounts / "cpu/x/cpu.cfs_period_us", "100000\n");
  write_file(mounts / "memory/y/memory.limit_in_bytes", "9223372036854771712\n");
  const Bounds bounds = tightened(kWholeMachine, mounts.path(), "4:memory:/y\n2:cpu,cpuacct:/x\n");
  EXPECT_EQ(bounds.cpu, kWholeMachine.cpu);
  EXPECT_EQ(bounds.memory, kWholeMachine.memory);
  EXPECT_TRUE(bounds.cpu_cgroup.empty());
  EXPECT_TRUE(bounds.memory_cgroup.empty());
}

TEST(Bounds, OfVersionOneEachControllerHasAPathOfItsOwn) {
  const test::Scratch mounts;
  write_file(mounts / "cpu/x/cpu.cfs_quota_us", "150000\n");
  write_file(mounts / "cpu/x/cpu.cfs_period_us", "100000\n");
  write_file(mounts / "memory/y/memory.limit_in_bytes", std::to_string(2 * kBoundGibibyte) + "\n");
  const Bounds bounds = tightened(kWholeMachine, mounts.path(), "4:memory:/y\n2:cpu,cpuacct:/x\n");
  EXPECT_EQ(bounds.cpu, 1500u);
  EXPECT_EQ(bounds.cpu_cgroup, mounts / "cpu/x");
  EXPECT_EQ(bounds.memory, 2 * kBoundGibibyte);
  EXPECT_EQ(bounds.memory_cgroup, mounts / "memory/y");
}

TEST(Bounds, ACgroupTellsWhatItsProcessesUse) {
  const test::Scratch two;
  write_file(two / "cpu.stat", "nr_periods 9\nusage_usec 2500000\nuser_usec 1\n");
  write_file(two / "memory.current", std::to_string(300 << 20) + "\n");
  write_file(two / "memory.stat", "anon 1\ninactive_file " + std::to_string(100 << 20) + "\n");
  EXPECT_EQ(cpu_time_of(two.path()), 2500ms);
  EXPECT_EQ(memory_of(two.path()), 200u) << "what the kernel frees at once is not used";

  const test::Scratch one;
  write_file(one / "cpu.stat", "nr_periods 0\nnr_throttled 0\n");
  write_file(one / "cpuacct.usage", "1500000000\n");
  write_file(one / "memory.usage_in_bytes", std::to_string(50 << 20) + "\n");
  write_file(one / "memory.stat", "inactive_file 7\ntotal_inactive_file 0\n");
  EXPECT_EQ(cpu_time_of(one.path()), 1500ms);
  EXPECT_EQ(memory_of(one.path()), 50u);
}

TEST(Bounds, ACgroupThatIsGoneTellsNothing) {
  const test::Scratch gone;
  EXPECT_FALSE(cpu_time_of(gone / "gone"));
  EXPECT_FALSE(memory_of(gone / "gone"));
}

TEST(Bounds, ThisProcessHasSome) {
  EXPECT_GT(own_bounds().cpu, 0u);
  EXPECT_GT(own_bounds().memory, 0u);
}

}  // namespace
}  // namespace dunlin::node
