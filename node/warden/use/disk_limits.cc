// SPDX-License-Identifier: MIT
#include "node/warden/use/disk_limits.h"

#include "node/kernel/kernel_file.h"

// The kernel delays what would be more than the rate. v2 delays what it writes back for the cgroup,
// too; v1 delays only what the processes themselves wait for: reads, direct writes, fsync.
namespace dunlin::node {
namespace {

std::string number_of(Device disk) {
  return std::to_string(disk.major) + ":" + std::to_string(disk.minor);
}

std::string bytes_of(std::uint32_t rate, const char* none) {
  return rate == 0 ? none : std::to_string(std::uint64_t{rate} << 10);
}

Result<void> write(const std::string& path, const std::string& text) {
  if (const int error = write_kernel_file(path, text)) {
    return failure_of(error, "limits: cannot write " + path);
  }
  return {};
}

}  // namespace

Result<void> limit_disk_v2(const std::string& directory, Device disk, const DiskRates& rates) {
  return write(directory + "/io.max",
      number_of(disk) + " rbps=" + bytes_of(rates.read, "max") +
          " wbps=" + bytes_of(rates.write, "max"));
}

Result<void> limit_disk_v1(const std::string& directory, Device disk, const DiskRates& rates) {
  const std::string begin = directory + "/blkio.throttle.";
  auto done = write(begin + "read_bps_device", number_of(disk) + " " + bytes_of(rates.read, "0"));
  if (!done) return done;
  return write(begin + "write_bps_device", number_of(disk) + " " + bytes_of(rates.write, "0"));
}

}  // namespace dunlin::node
