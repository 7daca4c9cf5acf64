// SPDX-License-Identifier: MIT
#include "node/agent/disk_room.h"

#include <algorithm>
#include <sys/statvfs.h>

// A full disk hurts an agent before its tasks notice: what it promises it must write down first. So
// a node says that it is sick, and takes no more tasks, while there is still room for the records
// of those that it has.
namespace dunlin::node {
namespace {

/// A node needs a twentieth of its disk, or this.
constexpr std::uint64_t kShare = 20;
constexpr std::uint64_t kFreeMost = 1 << 30;
constexpr std::uint64_t kFilesMost = 1000;

std::string amount(std::uint64_t bytes) {
  constexpr std::uint64_t kMega = 1'000'000;
  return bytes < 10 * kMega ? std::to_string(bytes / 1000) + " kB"
                            : std::to_string(bytes / kMega) + " MB";
}

}  // namespace

std::string disk_trouble(
    const std::string& directory, const DiskRoom& room, FreeMin free_min, bool sick) {
  if (room.read_only) return "disk read-only: " + directory;
  const std::uint64_t room_min = free_min.value_or(std::min(room.size / kShare, kFreeMost));
  // A node that is sick needs an eighth more to be well: one at the edge would change with every
  // file.
  if (room.free < room_min + (sick ? room_min / 8 : 0)) {
    return "disk full: " + directory + ", " + amount(room.free) + " free";
  }
  const std::uint64_t files = std::min(room.files / kShare, kFilesMost);
  if (free_min != FreeMin(0) && room.files_free < files + (sick ? files / 8 : 0)) {
    return "disk full: " + directory + ", " + std::to_string(room.files_free) + " files free";
  }
  return "";
}

std::optional<DiskRoom> room_of(const std::string& directory) {
  struct statvfs found{};
  if (::statvfs(directory.c_str(), &found) != 0) return std::nullopt;
  return DiskRoom{.size = std::uint64_t{found.f_blocks} * found.f_frsize,
      // Not f_bfree: what is set aside for root is of no use to an agent that is not.
      .free = std::uint64_t{found.f_bavail} * found.f_frsize,
      .files = found.f_files,
      .files_free = found.f_favail,
      .read_only = (found.f_flag & ST_RDONLY) != 0};
}

}  // namespace dunlin::node
