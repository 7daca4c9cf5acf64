// SPDX-License-Identifier: MIT
#include "node/agent/tracking/node_counters.h"

#include <sstream>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "node/kernel/kernel_file.h"
#include "node/machine.h"

// The use of the whole machine so far, as the kernel counts it: tasks, agent and everything else.
// Where the agent is confined by cgroups, their counters stand for the machine. All but memory only
// grow, so a rate takes two readings; what cannot be read is empty, and never 0.
namespace dunlin::node {
namespace {

constexpr std::uint64_t kSector = 512;  ///< Bytes of one in /proc/diskstats, whatever the disk has.
constexpr std::uint64_t kPerMebibyte = 1024;

/// Calls `look(line)` with each line until it returns true.
void for_each_line(std::string_view text, auto&& look) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (look(line)) return;
  }
}

std::string text_of(const char* file) {
  return read_kernel_file(file).value_or("");
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_stat(std::string_view text) {
  std::istringstream words{std::string(text.substr(0, text.find('\n')))};
  std::string label;
  if (!(words >> label) || label != "cpu") return std::nullopt;
  // user nice system idle iowait irq softirq steal; guests are in user and nice.
  std::vector<std::uint64_t> ticks;
  for (std::uint64_t each = 0; ticks.size() < 8 && words >> each;) ticks.push_back(each);
  if (ticks.size() < 7) return std::nullopt;
  // Neither idle nor iowait, in which others may run, nor steal, which is another machine's.
  const std::uint64_t busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
  const auto per_second = static_cast<std::uint64_t>(std::max(1l, sysconf(_SC_CLK_TCK)));
  return std::chrono::milliseconds(busy * 1000 / per_second);
}

std::optional<std::uint64_t> parse_meminfo(std::string_view text) {
  const auto total = keyed_number(text, "MemTotal:");
  const auto available = keyed_number(text, "MemAvailable:");
  // Available, not free: the kernel gives caches back at once.
  if (!total || !available || *available > *total) return std::nullopt;
  return (*total - *available) / kPerMebibyte;
}

std::optional<Flow> parse_diskstats(std::string_view text, unsigned major, unsigned minor) {
  std::optional<Flow> found;
  for_each_line(text, [&](const std::string& line) {
    std::istringstream words(line);
    unsigned numbers[2] = {};
    std::string name;
    if (!(words >> numbers[0] >> numbers[1] >> name)) return false;
    if (numbers[0] != major || numbers[1] != minor) return false;
    // reads, merged, sectors, ms; writes, merged, sectors.
    std::uint64_t fields[7] = {};
    for (std::uint64_t& each : fields) {
      if (!(words >> each)) return true;
    }
    found = Flow{.in = fields[2] * kSector, .out = fields[6] * kSector};
    return true;
  });
  return found;
}

std::optional<Flow> parse_net_dev(std::string_view text, std::string_view device) {
  std::optional<Flow> found;
  for_each_line(text, [&](const std::string& line) {
    const std::size_t begin = line.find_first_not_of(' ');
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || begin > colon) return false;
    if (std::string_view(line).substr(begin, colon - begin) != device) return false;
    // Eight numbers of what was received, then those of what was sent; bytes come first.
    std::istringstream words(line.substr(colon + 1));
    std::uint64_t fields[9] = {};
    for (std::uint64_t& each : fields) {
      if (!(words >> each)) return true;
    }
    found = Flow{.in = fields[0], .out = fields[8]};
    return true;
  });
  return found;
}

NodeCounters::NodeCounters(const std::string& directory, Bounds bounds)
    : bounds_(std::move(bounds)),
      device_(default_route_device()) {
  struct stat about{};
  if (stat(directory.c_str(), &about) == 0) {
    major_ = major(about.st_dev);
    minor_ = minor(about.st_dev);
  }
  disk_text_ = std::to_string(major_) + ":" + std::to_string(minor_);
}

NodeReading NodeCounters::read() const {
  return {.cpu = bounds_.cpu_cgroup.empty() ? parse_stat(text_of("/proc/stat"))
                                            : cpu_time_of(bounds_.cpu_cgroup),
      .memory = bounds_.memory_cgroup.empty() ? parse_meminfo(text_of("/proc/meminfo"))
                                              : memory_of(bounds_.memory_cgroup),
      .disk = parse_diskstats(text_of("/proc/diskstats"), major_, minor_),
      .net = device_.empty() ? std::nullopt : parse_net_dev(text_of("/proc/net/dev"), device_)};
}

}  // namespace dunlin::node
