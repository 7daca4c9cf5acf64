// SPDX-License-Identifier: MIT
#include "node/agent/tracking/node_counters.h"

#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

TEST(NodeCounters, CpuTimeIsAllThatIsNotIdle) {
  // user nice system idle iowait irq softirq steal guest; 100 to a second.
  EXPECT_EQ(parse_stat("cpu  100 10 50 9000 700 5 35 8 90 0\ncpu0 1 1 1 1 1 1 1 1\n"), 2s);
  EXPECT_FALSE(parse_stat("cpu 1 2 3"));
  EXPECT_FALSE(parse_stat("cpu0 100 10 50 9000 700 5 35"));
  EXPECT_FALSE(parse_stat(""));
}

TEST(NodeCounters, MemoryIsWhatIsNotAvailable) {
  EXPECT_EQ(parse_meminfo("MemTotal:  8192 kB\nMemFree: 10 kB\nMemAvailable:  6144 kB\n"), 2u);
  EXPECT_FALSE(parse_meminfo("MemTotal:  8192 kB\nMemFree: 10 kB\n")) << "an old kernel";
  EXPECT_FALSE(parse_meminfo("MemTotal: 10 kB\nMemAvailable: 20 kB\n"));
}

TEST(NodeCounters, ADiskIsKnownByItsNumbers) {
  const char* const text =
      "   7       0 loop0 1 2 3 4 5 6 7 8 9 10 11\n"
      " 254       1 vda1 100 0 2048 5 200 0 4096 9 0 1 1\n";
  EXPECT_EQ(parse_diskstats(text, 254, 1), (Flow{.in = 1 << 20, .out = 2 << 20}));
  EXPECT_FALSE(parse_diskstats(text, 254, 0));
  EXPECT_FALSE(parse_diskstats(" 254 1 vda1 100 0 2048\n", 254, 1)) << "cut off";
}

TEST(NodeCounters, ANetworkDeviceIsKnownByItsName) {
  const char* const text =
      "Inter-|   Receive                    |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes packets\n"
      "    lo: 77 1 0 0 0 0 0 0 77 1 0 0 0 0 0 0\n"
      "  eth0: 1000 9 0 0 0 0 0 0 500 3 0 0 0 0 0 0\n";
  EXPECT_EQ(parse_net_dev(text, "eth0"), (Flow{.in = 1000, .out = 500}));
  EXPECT_FALSE(parse_net_dev(text, "eth"));
  EXPECT_FALSE(parse_net_dev("eth0: 1 2 3\n", "eth0"));
}

TEST(NodeCounters, ThisMachineCountsItsCpuAndMemory) {
  const NodeCounters counters("/");
  const NodeReading reading = counters.read();
  ASSERT_TRUE(reading.cpu);
  EXPECT_GT(*reading.cpu, 0s);
  ASSERT_TRUE(reading.memory);
  EXPECT_GT(*reading.memory, 0u);
}

TEST(NodeCounters, OfABoundedAgentItsCgroupCounts) {
  const test::Scratch cgroup;
  test::write_file(cgroup / "cpu.stat", "usage_usec 2500000\nuser_usec 1\n");
  test::write_file(cgroup / "memory.current", std::to_string(30 << 20));
  test::write_file(
      cgroup / "memory.stat", "anon 1\ninactive_file " + std::to_string(10 << 20) + "\n");
  const NodeCounters counters("/",
      {.cpu = 1000,
          .memory = 1 << 30,
          .cpu_cgroup = cgroup.path(),
          .memory_cgroup = cgroup.path()});
  const NodeReading reading = counters.read();
  EXPECT_EQ(reading.cpu, 2500ms);
  EXPECT_EQ(reading.memory, 20u);
}

}  // namespace
}  // namespace dunlin::node
