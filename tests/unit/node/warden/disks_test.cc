// SPDX-License-Identifier: MIT
#include "node/warden/use/disks.h"

#include <filesystem>
#include <gmock/gmock.h>

#include "node/warden/use/disk_limits.h"
#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr Device kDisk{8, 0};
constexpr Device kPartition{8, 2};
constexpr Device kVolume{253, 0};
constexpr Device kLoop{7, 0};

// A tree as /sys has it: a disk with a partition, a volume on that, and a loop device.
class Disks : public ::testing::Test {
 protected:
  Disks() {
    const std::string devices = sys_ / "devices";
    test::write_file(devices + "/sda/dev", "8:0\n");
    fs::create_directories(devices + "/sda/slaves");
    test::write_file(devices + "/sda/sda2/dev", "8:2\n");
    test::write_file(devices + "/sda/sda2/partition", "2\n");
    test::write_file(devices + "/dm-0/dev", "253:0\n");
    test::write_file(devices + "/dm-0/slaves/sda2", "");
    test::write_file(devices + "/loop0/dev", "7:0\n");
    test::write_file(devices + "/loop0/loop/backing_file", "/disk.img\n");
    fs::create_directories(sys_ / "dev/block");
    link("8:0", "sda");
    link("8:2", "sda/sda2");
    link("253:0", "dm-0");
    link("7:0", "loop0");
  }
  void link(const std::string& number, const std::string& device) const {
    fs::create_symlink("../../devices/" + device, sys_ / ("dev/block/" + number));
  }
  test::Scratch sys_;
};

TEST_F(Disks, OfAPartitionItsDisk) {
  EXPECT_EQ(whole_disk(kPartition, sys_.path()), kDisk);
  EXPECT_EQ(whole_disk(kDisk, sys_.path()), kDisk);
  EXPECT_EQ(whole_disk(kVolume, sys_.path()), kVolume);
  EXPECT_EQ(whole_disk(kLoop, sys_.path()), kLoop);
  const auto none = whole_disk({0, 45}, sys_.path());
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text, HasSubstr("0:45"));
}

TEST_F(Disks, BytesThatComeBackOnAnotherDeviceCountThere) {
  CountedDisks counted(kDisk, sys_.path());
  EXPECT_TRUE(counted.counts(kDisk));
  EXPECT_TRUE(counted.counts({8, 16})) << "a disk of which nothing is known";
  EXPECT_FALSE(counted.counts(kVolume));
  EXPECT_FALSE(counted.counts(kLoop));
}

TEST_F(Disks, ADataDirectoryOnADeviceThatOthersCarryCountsAlone) {
  for (const Device own : {kVolume, kLoop}) {
    CountedDisks counted(own, sys_.path());
    EXPECT_TRUE(counted.counts(own));
    EXPECT_FALSE(counted.counts(kDisk));
  }
}

TEST_F(Disks, SaysWhereThereIsNoDisk) {
  const auto proc = disk_below("/proc");
  ASSERT_FALSE(proc);
  EXPECT_THAT(proc.error().text, HasSubstr("/proc is on proc"));
  EXPECT_FALSE(disk_below("/no/such/directory"));
}

TEST_F(Disks, WritesLimitsOfV2) {
  const std::string limits = sys_ / "slot/io.max";
  test::write_file(limits, "");
  ASSERT_TRUE(limit_disk_v2(sys_ / "slot", kDisk, {.read = 100, .write = 0}));
  EXPECT_EQ(test::file_text(limits), "8:0 rbps=102400 wbps=max");
  test::write_file(limits, "");
  ASSERT_TRUE(limit_disk_v2(sys_ / "slot", kDisk, {.read = 0, .write = 4'194'304}));
  EXPECT_EQ(test::file_text(limits), "8:0 rbps=max wbps=4294967296");
}

TEST_F(Disks, WritesLimitsOfV1) {
  const std::string begin = sys_ / "slot/blkio.throttle.";
  test::write_file(begin + "read_bps_device", "");
  const auto half = limit_disk_v1(sys_ / "slot", kDisk, {.read = 1, .write = 2});
  ASSERT_FALSE(half);
  EXPECT_THAT(half.error().text, HasSubstr("blkio.throttle.write_bps_device"));
  test::write_file(begin + "read_bps_device", "");
  test::write_file(begin + "write_bps_device", "");
  ASSERT_TRUE(limit_disk_v1(sys_ / "slot", kDisk, {.read = 1, .write = 0}));
  EXPECT_EQ(test::file_text(begin + "read_bps_device"), "8:0 1024");
  EXPECT_EQ(test::file_text(begin + "write_bps_device"), "8:0 0") << "0 lifts it";
}

}  // namespace
}  // namespace dunlin::node
