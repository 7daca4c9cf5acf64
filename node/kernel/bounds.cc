// SPDX-License-Identifier: MIT
#include "node/kernel/bounds.h"

#include <algorithm>
#include <sched.h>
#include <sstream>
#include <unistd.h>

#include "node/kernel/kernel_file.h"

// The part of the machine that this process may use. Several things bound it at once: the machine
// itself, the CPUs that it may run on, and each cgroup from its own up to the root. The least
// counts, and of a cgroup that bounds it is kept which one it is.
namespace dunlin::node {
namespace {

constexpr std::uint64_t kMebibyte = 1 << 20;

std::uint32_t affinity_milli() {
  // Machines with more CPUs than a cpu_set_t holds make the plain call fail: grow the mask.
  for (int count = 1024; count <= 1 << 20; count *= 2) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(count));
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(count));
    const bool known = sched_getaffinity(0, size, set) == 0;
    const int cpus = known ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (known && cpus > 0) return static_cast<std::uint32_t>(cpus) * 1000;
  }
  return static_cast<std::uint32_t>(std::max(1l, sysconf(_SC_NPROCESSORS_ONLN))) * 1000;
}

std::uint64_t total_memory() {
  const auto pages = static_cast<std::uint64_t>(std::max(0l, sysconf(_SC_PHYS_PAGES)));
  return pages * static_cast<std::uint64_t>(std::max(0l, sysconf(_SC_PAGESIZE)));
}

using Path = std::filesystem::path;

/// A file that is not there reads as empty, and an empty file as no limit: the root cgroup has none
/// of these files, and a controller that is off leaves them out.
std::string text_of(const Path& file) {
  return read_kernel_file(file.string()).value_or("");
}

/// Besides the limit the cgroup that sets it is kept: what else runs in it shares the amount, so
/// its use is read there and not for the machine.
void cap_cpu(Bounds& bounds, const Path& cgroup, std::uint32_t limit) {
  if (limit == 0 || limit >= bounds.cpu) return;
  bounds.cpu = limit;
  bounds.cpu_cgroup = cgroup;
}

void cap_memory(Bounds& bounds, const Path& cgroup, std::uint64_t limit) {
  if (limit == 0 || limit >= bounds.memory) return;
  bounds.memory = limit;
  bounds.memory_cgroup = cgroup;
}

/// "max" has no leading number and so is no limit.
void read_v2(Bounds& bounds, const Path& cgroup) {
  cap_cpu(bounds, cgroup, parse_cpu_max(text_of(cgroup / "cpu.max")));
  cap_memory(bounds, cgroup, leading_number(text_of(cgroup / "memory.max")).value_or(0));
}

void read_v1_cpu(Bounds& bounds, const Path& cgroup) {
  const auto quota = leading_number(text_of(cgroup / "cpu.cfs_quota_us"));
  if (!quota) return;  // "-1" is no limit.
  const std::string period = text_of(cgroup / "cpu.cfs_period_us");
  cap_cpu(bounds, cgroup, parse_cpu_max(std::to_string(*quota) + " " + period));
}

void read_v1_memory(Bounds& bounds, const Path& cgroup) {
  cap_memory(bounds, cgroup, leading_number(text_of(cgroup / "memory.limit_in_bytes")).value_or(0));
}

/// Calls `read` for `root``path` and each directory above it down to `root`.
void for_each_above(const Path& root, std::string path, auto&& read) {
  while (true) {
    read(root / Path(path).relative_path());
    if (path.empty() || path == "/") return;
    path = Path(path).parent_path().string();
  }
}

}  // namespace

Bounds own_bounds() {
  return tightened({.cpu = affinity_milli(), .memory = total_memory()}, "/sys/fs/cgroup",
      text_of("/proc/self/cgroup"));
}

// Lines of /proc/self/cgroup are "number:controllers:path". v2 has one without controllers; on a
// machine with both kinds each controller counts where it is, so all lines are read.
Bounds tightened(Bounds machine, const Path& mounts, const std::string& membership) {
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    // Commas on both sides: "cpu" must not be found in "cpuset" or "cpuacct".
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    const auto look = [&](const Path& root, void (*read)(Bounds&, const Path&)) {
      for_each_above(root, path, [&](const Path& cgroup) { read(machine, cgroup); });
    };
    if (controllers == ",,") look(mounts, read_v2);
    if (controllers.find(",cpu,") != std::string::npos) look(mounts / "cpu", read_v1_cpu);
    if (controllers.find(",memory,") != std::string::npos) look(mounts / "memory", read_v1_memory);
  }
  return machine;
}

std::optional<std::chrono::nanoseconds> cpu_time_of(const Path& cgroup) {
  if (const auto spent = keyed_number(text_of(cgroup / "cpu.stat"), "usage_usec")) {
    return std::chrono::microseconds(*spent);
  }
  const auto spent = leading_number(text_of(cgroup / "cpuacct.usage"));
  return spent ? std::optional(std::chrono::nanoseconds(*spent)) : std::nullopt;
}

std::optional<std::uint64_t> memory_of(const Path& cgroup) {
  auto used = leading_number(text_of(cgroup / "memory.current"));
  const bool is_v2 = used.has_value();
  if (!is_v2) used = leading_number(text_of(cgroup / "memory.usage_in_bytes"));
  // Pages of files that nobody used lately are given back before anything is killed. A container
  // that has read a large file would else look full. v1 counts them per cgroup, and with its
  // children only under "total_".
  const auto freed = keyed_number(
      text_of(cgroup / "memory.stat"), is_v2 ? "inactive_file" : "total_inactive_file");
  // The two are not read at one moment, so the second may be larger.
  if (!used || !freed) return std::nullopt;
  return (*used - std::min(*used, *freed)) / kMebibyte;
}

std::uint32_t parse_cpu_max(const std::string& text) {
  const std::uint64_t quota = leading_number(text).value_or(0);
  const std::size_t space = text.find(' ');
  if (quota == 0 || space == std::string::npos) return 0;
  const auto period = leading_number(std::string_view(text).substr(space + 1)).value_or(0);
  // Zero would read as unlimited: the smallest quota counts as a thousandth of a CPU.
  return period == 0
      ? 0
      : static_cast<std::uint32_t>(std::max<std::uint64_t>(quota * 1000 / period, 1));
}

}  // namespace dunlin::node
