// SPDX-License-Identifier: MIT
#include "node/warden/use/use_meter.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMebibyte = 1u << 20;
constexpr std::uint64_t kCpuSecond = 1'000'000'000;

Reading group(std::uint64_t cpu, std::uint64_t read, std::uint64_t written) {
  return {.group_cpu = cpu, .group_disk = DiskBytes{.read = read, .written = written}};
}
Reading own(std::uint64_t read, std::uint64_t written) {
  return {.own_disk = DiskBytes{.read = read, .written = written}};
}

class UseMeterTest : public ::testing::Test {
 protected:
  /// Reads after `step`.
  void read(UseMeter::Span step, const Reading& reading) {
    now_ += step;
    meter_.read(now_, reading, 1s);
  }
  const UseMeter::Time begun_ = UseMeter::Time{} + 100s;
  UseMeter::Time now_ = begun_;
  UseMeter meter_{begun_};
};

TEST_F(UseMeterTest, FindsTheMostOfAPeriod) {
  read(1s, group(kCpuSecond / 2, 10 * kMebibyte, 0));
  read(1s, group(2 * kCpuSecond, 40 * kMebibyte, kMebibyte));
  read(1s, group(2 * kCpuSecond + kCpuSecond / 4, 40 * kMebibyte, 9 * kMebibyte));
  const auto use = meter_.summary(3s, 2 * kCpuSecond + kCpuSecond / 4);
  EXPECT_EQ(use.cpu_peak, 1500u);
  EXPECT_EQ(use.disk_read_peak, 30u * 1024);
  EXPECT_EQ(use.disk_write_peak, 8u * 1024);
  EXPECT_EQ(use.disk_read, 40 * kMebibyte);
  EXPECT_EQ(use.disk_written, 9 * kMebibyte);
  EXPECT_TRUE(use.has_disk);
}

TEST_F(UseMeterTest, AShortRunGivesItsMean) {
  meter_.close(own(0, 10 * kMebibyte));
  const auto use = meter_.summary(500ms, kCpuSecond / 4);
  EXPECT_EQ(use.cpu_peak, 500u);
  EXPECT_EQ(use.disk_write_peak, 20u * 1024);
  EXPECT_EQ(use.disk_written, 10 * kMebibyte);
  // No clock of the kernel is so fine that a run of a microsecond would be a measure.
  EXPECT_EQ(meter_.summary(1us, kCpuSecond / 1000).cpu_peak, 100u);
  EXPECT_EQ(meter_.summary(-5s, -7).cpu_peak, 0u);
}

TEST_F(UseMeterTest, NothingIsKnownWhereNothingCounts) {
  read(1s, {});
  const auto use = meter_.summary(1s, kCpuSecond);
  EXPECT_FALSE(use.has_disk);
  EXPECT_EQ(use.disk_read, 0u);
  EXPECT_EQ(use.cpu_peak, 1000u) << "the system always knows that";
}

TEST_F(UseMeterTest, CountsTheNetworkWhereACgroupDoes) {
  read(1s, {.group_net = NetBytes{.received = 2 * kMebibyte, .sent = 0}});
  read(1s, {});
  read(1s, {.group_net = NetBytes{.received = 3 * kMebibyte, .sent = 8 * kMebibyte}});
  EXPECT_EQ(meter_.net(), (NetBytes{.received = 3 * kMebibyte, .sent = 8 * kMebibyte}));
  const auto use = meter_.summary(3s, 0);
  EXPECT_TRUE(use.has_net);
  EXPECT_FALSE(use.has_disk);
  EXPECT_EQ(use.net_received, 3 * kMebibyte);
  EXPECT_EQ(use.net_in_peak, 2u * 1024);
  EXPECT_EQ(use.net_out_peak, 8u * 1024);
}

TEST_F(UseMeterTest, CountersThatGoBackHaveBegunAnew) {
  read(1s, group(kCpuSecond, 5 * kMebibyte, 100 * kMebibyte));
  read(1s, group(kCpuSecond / 10, 0, kMebibyte));
  EXPECT_EQ(meter_.cpu(), kCpuSecond) << "never less";
  EXPECT_EQ(meter_.disk().written, 100 * kMebibyte);
  read(1s, group(kCpuSecond / 2, kMebibyte, 3 * kMebibyte));
  EXPECT_EQ(meter_.cpu(), kCpuSecond + kCpuSecond * 4 / 10);
  EXPECT_EQ(meter_.disk().read, 6 * kMebibyte);
  EXPECT_EQ(meter_.disk().written, 102 * kMebibyte);
  EXPECT_EQ(meter_.summary(3s, 0).disk_write_peak, 100u * 1024) << "and never an absurd rate";
}

TEST_F(UseMeterTest, ACounterThatVanishesForAWhileKeepsItsSum) {
  read(1s, group(kCpuSecond, 0, 4 * kMebibyte));
  read(1s, {});
  EXPECT_EQ(meter_.disk().written, 4 * kMebibyte);
  read(1s, group(kCpuSecond, 0, 6 * kMebibyte));
  EXPECT_EQ(meter_.disk().written, 6 * kMebibyte);
  EXPECT_EQ(meter_.summary(3s, 0).disk_write_peak, 4u * 1024);
}

// A process that has ended is in no list until its parent has waited for it, and in the parent's
// own count after that.
TEST_F(UseMeterTest, WhatProcessesCountedIsNotCountedTwice) {
  read(1s, own(8 * kMebibyte, 0));
  read(1s, own(2 * kMebibyte, 0));
  read(1s, own(9 * kMebibyte, 0));
  EXPECT_EQ(meter_.disk().read, 9 * kMebibyte);
  EXPECT_EQ(meter_.summary(3s, 0).disk_read_peak, 8u * 1024);
}

TEST_F(UseMeterTest, TheLargerOfTwoSumsCounts) {
  Reading both = group(0, kMebibyte, 2 * kMebibyte);
  both.own_disk = DiskBytes{.read = 0, .written = 50 * kMebibyte};
  read(1s, both);
  EXPECT_EQ(meter_.disk(), (DiskBytes{.read = kMebibyte, .written = 50 * kMebibyte}));
  meter_.close(own(3 * kMebibyte, 0));
  EXPECT_EQ(meter_.disk(), (DiskBytes{.read = 3 * kMebibyte, .written = 50 * kMebibyte}));
}

TEST_F(UseMeterTest, AnEarlyReadingGivesNoRate) {
  read(1s, group(0, 0, 0));
  read(1ms, group(0, 10 * kMebibyte, 0));
  EXPECT_EQ(meter_.disk().read, 10 * kMebibyte);
  read(999ms, group(0, 10 * kMebibyte, 0));
  EXPECT_EQ(meter_.summary(2s, 0).disk_read_peak, 10u * 1024) << "10 MiB in this second";
  read(0s, group(0, 20 * kMebibyte, 0));
  EXPECT_EQ(meter_.summary(2s, 0).disk_read_peak, 10u * 1024);
}

}  // namespace
}  // namespace dunlin::node
