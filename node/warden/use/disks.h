// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>

#include "node/warden/use/counters.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The whole disk of `device`: of a partition, the disk that has it. Fails for what the kernel does
/// not list as a block device. `sys` stands for /sys.
Result<Device> whole_disk(Device device, const std::string& sys = "/sys");

/// The whole disk that carries `path`. Fails, naming the kind of file system, where none does:
/// tmpfs, overlay, a network.
Result<Device> disk_below(const std::string& path);

/// Knows of which devices bytes count for the use of tasks, so that none count twice: what goes to
/// a device that others carry (LVM, RAID, loop) comes back as what goes to those.
class CountedDisks {
 public:
  /// `own` is the disk of the data directory, of which the node declares the rates. If others carry
  /// it, it alone counts.
  explicit CountedDisks(std::optional<Device> own = {}, std::string sys = "/sys");

  bool counts(Device device);

 private:
  bool is_carried(Device device) const;

  std::string sys_;
  std::optional<Device> alone_;
  std::map<Device, bool> known_;
};

}  // namespace dunlin::node
