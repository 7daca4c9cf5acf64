// SPDX-License-Identifier: MIT
#include "node/warden/use/disks.h"

#include <cerrno>
#include <filesystem>
#include <sstream>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <utility>

#include "node/kernel/kernel_file.h"

// Which disk a limit is for, and which disks to count. The kernel counts a write at each block
// device that it passes: at an encrypted one and at the disk below. Only what no other device
// carries is counted, or one write would count twice. Limits are of whole disks: the kernel takes
// no partition there.
namespace dunlin::node {
namespace {

namespace fs = std::filesystem;

std::string directory_of(Device device, const std::string& sys) {
  return sys + "/dev/block/" + std::to_string(device.major) + ":" + std::to_string(device.minor);
}

struct Mount {
  std::string type;
  std::string source;
};

/// The mount that has `device`, if /proc/self/mountinfo lists one.
std::optional<Mount> mount_of(Device device) {
  std::istringstream lines(read_kernel_file("/proc/self/mountinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    // 36 35 98:0 <root> <mount point> <options> ... - <type> <source> <super options>
    std::istringstream words(line);
    std::string word;
    words >> word >> word >> word;
    // By its number, not by a path: mounts may lie above each other.
    if (parse_device(word) != device) continue;
    while (words >> word && word != "-") {
    }
    Mount mount;
    if (words >> mount.type >> mount.source) return mount;
  }
  return std::nullopt;
}

}  // namespace

Result<Device> whole_disk(Device device, const std::string& sys) {
  const std::string directory = directory_of(device, sys);
  std::error_code error;
  if (!fs::exists(directory, error)) {
    return failure(ErrorKind::refused,
        "no block device has the number " + std::to_string(device.major) + ":" +
            std::to_string(device.minor));
  }
  if (!fs::exists(directory + "/partition", error)) return device;
  // The entry is a link: into the directory of the partition, which is in that of its disk.
  const fs::path partition = fs::canonical(directory, error);
  const auto text = read_kernel_file(partition.parent_path().string() + "/dev");
  const auto disk = text ? parse_device(*text) : std::nullopt;
  return disk ? *disk : device;
}

Result<Device> disk_below(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return failure_of(errno, "cannot look at " + path);
  Device device{.major = major(found.st_dev), .minor = minor(found.st_dev)};
  if (auto disk = whole_disk(device)) return disk;
  // Some file systems, such as btrfs, have a number of their own; the mount names the device.
  const auto mount = mount_of(device);
  if (mount && ::stat(mount->source.c_str(), &found) == 0 && S_ISBLK(found.st_mode)) {
    device = {.major = major(found.st_rdev), .minor = minor(found.st_rdev)};
    if (auto disk = whole_disk(device)) return disk;
  }
  return failure(ErrorKind::refused,
      path + " is on " + (mount ? mount->type : "a file system") + " without a disk of its own");
}

// If the node's own device is itself carried by others, it is the one that its users mean, and the
// only one counted.
CountedDisks::CountedDisks(std::optional<Device> own, std::string sys) : sys_(std::move(sys)) {
  if (own && is_carried(*own)) alone_ = own;
}

bool CountedDisks::counts(Device device) {
  if (alone_) return device == *alone_;
  const auto [entry, is_new] = known_.try_emplace(device);
  // Kept: looking takes several calls, for each device of each task.
  if (is_new) entry->second = !is_carried(device);
  return entry->second;
}

bool CountedDisks::is_carried(Device device) const {
  std::error_code error;
  const std::string directory = directory_of(device, sys_);
  // A loop device names its file here, and the others what carries them there.
  if (fs::exists(directory + "/loop/backing_file", error)) return true;
  const fs::directory_iterator carriers(directory + "/slaves", error);
  return !error && carriers != fs::directory_iterator{};
}

}  // namespace dunlin::node
