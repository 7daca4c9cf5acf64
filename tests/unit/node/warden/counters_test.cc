// SPDX-License-Identifier: MIT
#include "node/warden/use/counters.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace dunlin::node {
namespace {

const CountsDevice kAll = [](Device) { return true; };
const CountsDevice kFirstDisk = [](Device device) { return device == Device{8, 0}; };

TEST(CounterFiles, ReadsDevices) {
  EXPECT_EQ(parse_device("8:16"), (Device{8, 16}));
  EXPECT_EQ(parse_device("254:0\n"), (Device{254, 0}));
  for (const char* text : {"", "8", "8:", ":1", "x:1", "-8:0", "8;0"}) {
    EXPECT_FALSE(parse_device(text)) << text;
  }
}

TEST(CounterFiles, ReadsIoStatOfV2) {
  const auto text =
      "8:0 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0\n"
      "253:1 rbytes=10 wbytes=20 rios=1 wios=1 dbytes=50000 dios=3\n";
  EXPECT_EQ(parse_io_stat(text, kAll), (DiskBytes{.read = 1'459'210, .written = 314'773'524}));
  EXPECT_EQ(
      parse_io_stat(text, kFirstDisk), (DiskBytes{.read = 1'459'200, .written = 314'773'504}));
  // A device that was not used yet has a line without counters on some kernels.
  EXPECT_EQ(parse_io_stat("8:0 \n8:16\n", kAll), DiskBytes{});
  EXPECT_EQ(parse_io_stat("", kAll), DiskBytes{});
  EXPECT_EQ(parse_io_stat("8:0 rbytes= wbytes=x\nnonsense rbytes=7\n", kAll), DiskBytes{});
}

TEST(CounterFiles, ReadsBlkioOfV1) {
  const auto text =
      "8:0 Read 100\n8:0 Write 200\n8:0 Sync 300\n8:0 Async 0\n8:0 Discard 9\n8:0 Total 309\n"
      "8:16 Read 1\n8:16 Write 2\n8:16 Total 3\nTotal 312\n";
  EXPECT_EQ(parse_blkio_bytes(text, kAll), (DiskBytes{.read = 101, .written = 202}));
  EXPECT_EQ(parse_blkio_bytes(text, kFirstDisk), (DiskBytes{.read = 100, .written = 200}));
  EXPECT_EQ(parse_blkio_bytes("Total 0\n", kAll), DiskBytes{});
  EXPECT_EQ(parse_blkio_bytes("8:0 Read\n8:0 Write x\nx Read 1\n", kAll), DiskBytes{});
}

TEST(CounterFiles, ReadsTheIoOfAProcess) {
  const std::string text =
      "rchar: 7\nwchar: 8\nsyscr: 1\nsyscw: 1\nread_bytes: 4096\nwrite_bytes: 16384\n"
      "cancelled_write_bytes: 4096\n";
  EXPECT_EQ(parse_process_io(text), (DiskBytes{.read = 4096, .written = 12288}));
  EXPECT_EQ(parse_process_io("read_bytes: 1\nwrite_bytes: 2\ncancelled_write_bytes: 5\n"),
      (DiskBytes{.read = 1, .written = 0}))
      << "what another process wrote was deleted";
  EXPECT_FALSE(parse_process_io("rchar: 7\nwchar: 8\n")) << "the kernel does not count it";
  EXPECT_FALSE(parse_process_io(""));
}

TEST(CounterFiles, ReadsTheCpuTimeOfAProcess) {
  // utime 100, stime 20, cutime 3, cstime 4 ticks.
  const std::string text =
      "42 (a) b) c) S 1 42 42 0 -1 4194560 2 3 4 5 100 20 3 4 20 0 1 0 8 9 10\n";
  const auto tick = static_cast<std::uint64_t>(1'000'000'000 / ::sysconf(_SC_CLK_TCK));
  EXPECT_EQ(parse_process_cpu(text), 127 * tick);
  EXPECT_FALSE(parse_process_cpu("42 (cut) S 1 42 42 0 -1"));
  EXPECT_FALSE(parse_process_cpu("42 (x) S 1 42 42 0 -1 4194560 2 3 4 5 100 -20 3 4 20"));
  EXPECT_FALSE(parse_process_cpu(""));
}

TEST(CounterFiles, AProcessThatIsGoneHasNone) {
  EXPECT_TRUE(cpu_of(::getpid()));
  EXPECT_FALSE(cpu_of(1 << 30));
  EXPECT_FALSE(disk_bytes_of(1 << 30));
}

}  // namespace
}  // namespace dunlin::node
