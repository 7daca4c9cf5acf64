// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <sys/types.h>

// The files in which the kernel counts what processes take. Each parser takes the text of one.
namespace dunlin::node {

/// Bytes that came from disks, and that went to them.
struct DiskBytes {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  DiskBytes& operator+=(const DiskBytes& more) {
    read += more.read;
    written += more.written;
    return *this;
  }
  friend bool operator==(const DiskBytes&, const DiskBytes&) = default;
};

/// The number of a block device.
struct Device {
  unsigned major = 0;
  unsigned minor = 0;
  friend auto operator<=>(const Device&, const Device&) = default;
};
/// "8:16"; empty if the text does not begin with one.
std::optional<Device> parse_device(std::string_view text);

/// True for a device of which bytes count.
using CountsDevice = std::function<bool(Device)>;

/// io.stat of cgroups v2: a line "8:0 rbytes=1 wbytes=2 ..." for each device.
DiskBytes parse_io_stat(std::string_view text, const CountsDevice& counts);
/// blkio.throttle.io_service_bytes_recursive of cgroups v1: lines "8:0 Read 1", "8:0 Write 2".
DiskBytes parse_blkio_bytes(std::string_view text, const CountsDevice& counts);
/// /proc/PID/io: what the process and its reaped children had read from disks and have written,
/// less what was deleted before it reached them. Empty if the kernel does not count that.
std::optional<DiskBytes> parse_process_io(std::string_view text);
/// /proc/PID/stat: the CPU time of the process and its reaped children in ns.
std::optional<std::uint64_t> parse_process_cpu(std::string_view text);

/// The same of a process, a zombie included; empty if it is gone, or another user's.
std::optional<DiskBytes> disk_bytes_of(pid_t process);
std::optional<std::uint64_t> cpu_of(pid_t process);

}  // namespace dunlin::node
