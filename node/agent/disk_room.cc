// SPDX-License-Identifier: MIT
#include "node/agent/disk_room.h"

#include <algorithm>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "sched/resources.h"

// A full disk hurts an agent before its tasks notice: what it promises it must write down first. So
// a node says that it is sick, and takes no more tasks, while there is still room for the records
// of those that it has.
namespace dunlin::node {
namespace {

/// A node needs a twentieth of its disk, or this.
constexpr std::uint64_t kShare = 20;
constexpr std::uint64_t kFreeMost = 1 << 30;
constexpr std::uint64_t kFilesMost = 1000;

/// Sick below the least room, well again from 9/8 of it on; tasks write from 5/4 on, and output is
/// kept from 3/2 on: each step has some room of its own.
constexpr std::uint64_t kWellShare = 8;
constexpr std::uint64_t kWriteShare = 4;
constexpr std::uint64_t kKeepShare = 2;
/// Where all output is less than a quarter of that it is not what fills the disk.
constexpr std::uint64_t kInnocentShare = 4;

/// As statfs() names file systems. They free with their next commit.
constexpr std::uint64_t kBtrfs = 0x9123683e;
constexpr std::uint64_t kZfs = 0x2fc12fc1;

/// The least number of files that it must be able to take.
std::uint64_t files_min_of(const DiskRoom& room, FreeMin free_min) {
  return free_min == FreeMin(0) ? 0 : std::min(room.files / kShare, kFilesMost);
}

std::string amount(std::uint64_t bytes) {
  constexpr std::uint64_t kMega = 1'000'000;
  return bytes < 10 * kMega ? std::to_string(bytes / 1000) + " kB"
                            : std::to_string(bytes / kMega) + " MB";
}

}  // namespace

FreeMin free_min_of(const std::string& text) {
  if (text == "auto") return std::nullopt;
  return *sched::parse_size(text);
}

std::uint64_t room_min_of(const DiskRoom& room, FreeMin free_min) {
  return free_min.value_or(std::min(room.size / kShare, kFreeMost));
}

std::uint64_t room_to_write(const DiskRoom& room, FreeMin free_min) {
  const std::uint64_t room_min = room_min_of(room, free_min);
  return room_min + room_min / kWriteShare;
}

std::uint64_t room_to_write(const std::string& directory, const std::string& free_min) {
  const auto room = room_of(directory);
  return room ? room_to_write(*room, free_min_of(free_min)) : 0;
}

Shortage shortage_for_output(const DiskRoom& room, FreeMin free_min) {
  const std::uint64_t room_min = room_min_of(room, free_min);
  const std::uint64_t wanted = room_min + room_min / kKeepShare;
  const std::uint64_t files_min = files_min_of(room, free_min);
  return {.bytes = wanted - std::min(wanted, room.free),
      .bytes_min = room_min / kInnocentShare,
      .files = room.files_free < files_min + files_min / kKeepShare};
}

std::string disk_trouble(
    const std::string& directory, const DiskRoom& room, FreeMin free_min, bool sick) {
  if (room.read_only) return "disk read-only: " + directory;
  const std::uint64_t room_min = room_min_of(room, free_min);
  // A node that is sick needs an eighth more to be well: one at the edge would change with every
  // file.
  if (room.free < room_min + (sick ? room_min / kWellShare : 0)) {
    return "disk full: " + directory + ", " + amount(room.free) + " free";
  }
  const std::uint64_t files_min = files_min_of(room, free_min);
  if (room.files_free < files_min + (sick ? files_min / kWellShare : 0)) {
    return "disk full: " + directory + ", " + std::to_string(room.files_free) + " files free";
  }
  return "";
}

std::optional<DiskRoom> room_of(const std::string& directory) {
  struct statvfs found{};
  if (::statvfs(directory.c_str(), &found) != 0) return std::nullopt;
  struct statfs kind{};
  const bool known = ::statfs(directory.c_str(), &kind) == 0;
  const auto type = static_cast<std::uint64_t>(kind.f_type) & 0xffffffff;
  return DiskRoom{.size = std::uint64_t{found.f_blocks} * found.f_frsize,
      // Not f_bfree: what is set aside for root is of no use to an agent that is not.
      .free = std::uint64_t{found.f_bavail} * found.f_frsize,
      .files = found.f_files,
      .files_free = found.f_favail,
      .read_only = (found.f_flag & ST_RDONLY) != 0,
      .frees_late = known && (type == kBtrfs || type == kZfs)};
}

}  // namespace dunlin::node
