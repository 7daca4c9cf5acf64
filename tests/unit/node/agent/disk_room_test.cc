// SPDX-License-Identifier: MIT
#include "node/agent/disk_room.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

constexpr std::uint64_t kMega = 1'000'000;
constexpr std::uint64_t kGiga = 1000 * kMega;

DiskRoom disk(std::uint64_t size, std::uint64_t free) {
  return {.size = size, .free = free};
}

TEST(DiskRoom, ATwentiethOfASmallDiskAndAGibibyteOfALargeOneStayFree) {
  EXPECT_EQ(disk_trouble("/d", disk(1000 * kMega, 51 * kMega), {}, false), "");
  EXPECT_EQ(
      disk_trouble("/d", disk(1000 * kMega, 49 * kMega), {}, false), "disk full: /d, 49 MB free");
  EXPECT_EQ(disk_trouble("/d", disk(4000 * kGiga, 2 * kGiga), {}, false), "");
  EXPECT_EQ(
      disk_trouble("/d", disk(4000 * kGiga, kGiga), {}, false), "disk full: /d, 1000 MB free");
}

TEST(DiskRoom, ASickNodeNeedsALittleMoreToBeWell) {
  EXPECT_NE(disk_trouble("/d", disk(1000 * kMega, 51 * kMega), {}, true), "");
  EXPECT_EQ(disk_trouble("/d", disk(1000 * kMega, 57 * kMega), {}, true), "");
}

TEST(DiskRoom, AnOperatorMaySayHowMuch) {
  EXPECT_EQ(
      disk_trouble("/d", disk(kGiga, kMega), 2 * kMega, false), "disk full: /d, 1000 kB free");
  EXPECT_EQ(disk_trouble("/d", disk(kGiga, 0), 0, false), "");
}

TEST(DiskRoom, OutputLeavesMoreThanMakesANodeSick) {
  const DiskRoom room = disk(1000 * kMega, 60 * kMega);
  EXPECT_EQ(room_min_of(room, {}), 50 * kMega);
  EXPECT_EQ(shortage_for_output(room, {}).bytes, 15 * kMega) << "sick below 50, well from 57";
  EXPECT_EQ(shortage_for_output(disk(1000 * kMega, 75 * kMega), {}).bytes, 0u);
  EXPECT_EQ(shortage_for_output(room, {}).bytes_min, 12'500'000u) << "so little is not to blame";
  EXPECT_GT(room_to_write(room, {}), room_min_of(room, {}));
  EXPECT_EQ(disk_trouble("/d", disk(1000 * kMega, room_to_write(room, {})), {}, true), "");
  EXPECT_EQ(shortage_for_output(disk(kGiga, 0), 0).bytes, 0u) << "an operator who wants it full";
}

TEST(DiskRoom, OutputGivesWayWhereFilesAreFew) {
  DiskRoom room = disk(kGiga, kGiga);
  room.files = 1000;
  room.files_free = 75;
  EXPECT_FALSE(shortage_for_output(room, {}).files);
  room.files_free = 74;
  EXPECT_TRUE(shortage_for_output(room, {}).files);
}

TEST(DiskRoom, FilesAreRoom) {
  DiskRoom room = disk(kGiga, kGiga);
  room.files = 1000;
  room.files_free = 49;
  EXPECT_EQ(disk_trouble("/d", room, {}, false), "disk full: /d, 49 files free");
  room.files_free = 50;
  EXPECT_EQ(disk_trouble("/d", room, {}, false), "");
  room.files = room.files_free = 0;
  EXPECT_EQ(disk_trouble("/d", room, {}, false), "") << "some file systems have no such limit";
}

TEST(DiskRoom, AReadOnlyDiskHasNone) {
  DiskRoom room = disk(kGiga, kGiga);
  room.read_only = true;
  EXPECT_EQ(disk_trouble("/d", room, 0, false), "disk read-only: /d");
}

TEST(DiskRoom, IsMeasured) {
  const auto room = room_of("/");
  ASSERT_TRUE(room);
  EXPECT_GT(room->size, 0u);
  EXPECT_FALSE(room_of("/no/such/directory"));
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace dunlin::node
