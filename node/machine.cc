// SPDX-License-Identifier: MIT
#include "node/machine.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>

#include "node/task/devices.h"
#include "sched/constraints.h"
#include "sched/resources.h"

namespace dunlin::node {
namespace {

constexpr std::uint64_t kBytesPerMebibyte = 1 << 20;

/// The number at the start of `text`, or 0: "max" and an absent file alike are no limit.
std::uint64_t leading_number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

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

/// Limits of a process' cgroups, itself and all above it. 0: none.
struct CgroupLimits {
  std::uint32_t cpu = 0;
  std::uint64_t memory = 0;

  void cap_cpu(std::uint32_t limit) {
    if (limit != 0 && (cpu == 0 || limit < cpu)) cpu = limit;
  }
  void cap_memory(std::uint64_t limit) {
    if (limit != 0 && (memory == 0 || limit < memory)) memory = limit;
  }
};

void read_v2(const std::filesystem::path& directory, CgroupLimits& limits) {
  limits.cap_cpu(parse_cpu_max(read_text(directory / "cpu.max")));
  limits.cap_memory(leading_number(read_text(directory / "memory.max")));
}

void read_v1_cpu(const std::filesystem::path& directory, CgroupLimits& limits) {
  const std::string quota = read_text(directory / "cpu.cfs_quota_us");
  if (quota.starts_with('-')) return;
  limits.cap_cpu(parse_cpu_max(
      std::to_string(leading_number(quota)) + " " + read_text(directory / "cpu.cfs_period_us")));
}

void read_v1_memory(const std::filesystem::path& directory, CgroupLimits& limits) {
  limits.cap_memory(leading_number(read_text(directory / "memory.limit_in_bytes")));
}

/// Calls `read` for `root``path` and each directory above it down to `root`.
void for_each_above(const std::filesystem::path& root, std::string path, auto&& read) {
  while (true) {
    read(root / std::filesystem::path(path).relative_path());
    if (path.empty() || path == "/") return;
    path = std::filesystem::path(path).parent_path().string();
  }
}

CgroupLimits own_cgroup_limits() {
  CgroupLimits limits;
  std::istringstream lines(read_text("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") {
      for_each_above("/sys/fs/cgroup", path, [&](const auto& at) { read_v2(at, limits); });
    }
    if (controllers.find(",cpu,") != std::string::npos) {
      for_each_above("/sys/fs/cgroup/cpu", path, [&](const auto& at) { read_v1_cpu(at, limits); });
    }
    if (controllers.find(",memory,") != std::string::npos) {
      for_each_above(
          "/sys/fs/cgroup/memory", path, [&](const auto& at) { read_v1_memory(at, limits); });
    }
  }
  return limits;
}

std::uint64_t total_memory() {
  const auto pages = static_cast<std::uint64_t>(std::max(0l, sysconf(_SC_PHYS_PAGES)));
  return pages * static_cast<std::uint64_t>(std::max(0l, sysconf(_SC_PAGESIZE)));
}

std::uint32_t count_gpus() {
  std::uint32_t count = 0;
  std::error_code error;
  while (count < 64 && std::filesystem::exists("/dev/nvidia" + std::to_string(count), error)) {
    ++count;
  }
  return count;
}

/// That of the link through which most of the network is reached.
std::uint32_t detect_link() {
  const std::string device = default_device(read_text("/proc/net/route"));
  if (device.empty()) return 0;
  return link_rate(read_text(std::filesystem::path("/sys/class/net") / device / "speed"));
}

/// `ID` of /etc/os-release: "debian".
std::string distribution() {
  std::istringstream lines(read_text("/etc/os-release"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("ID=")) continue;
    std::string id = line.substr(3);
    std::erase(id, '"');
    return id;
  }
  return "unknown";
}

void set_attribute(std::vector<sched::Attribute>& attributes, sched::Attribute attribute) {
  const auto at = std::ranges::lower_bound(attributes, attribute.key, {}, &sched::Attribute::key);
  if (at != attributes.end() && at->key == attribute.key) {
    at->value = std::move(attribute.value);
  } else {
    attributes.insert(at, std::move(attribute));
  }
}

tl::unexpected<Error> bad_option(const char* key, const Error& error) {
  return failure(ErrorKind::usage, std::string(key) + ": " + error.text);
}

/// Sets the rates that the options declare.
Result<void> offer_rates(
    const Machine& machine, const AgentOptions& options, sched::Resources& total) {
  const std::string* const texts[] = {
      &options.disk_read, &options.disk_write, &options.net_in, &options.net_out};
  static_assert(std::size(texts) == sched::kRates.size());
  for (std::size_t i = 0; i < sched::kRates.size(); ++i) {
    const sched::Rate& rate = sched::kRates[i];
    if (texts[i]->empty()) continue;
    const bool of_network = texts[i] == &options.net_in || texts[i] == &options.net_out;
    if (of_network && *texts[i] == "auto") {
      total.*rate.amount = machine.link;
      continue;
    }
    const auto declared = sched::parse_rate(*texts[i]);
    const std::string key = "agent." + std::string(rate.key);
    if (!declared) return bad_option(key.c_str(), declared.error());
    if (*declared == 0) {
      return failure(ErrorKind::usage, key + ": must be more than 0; leave it out for no limit");
    }
    total.*rate.amount = *declared;
  }
  return {};
}

}  // namespace

std::uint32_t parse_cpu_max(const std::string& text) {
  const std::uint64_t quota = leading_number(text);
  const std::size_t space = text.find(' ');
  if (quota == 0 || space == std::string::npos) return 0;
  const std::uint64_t period = leading_number(std::string_view(text).substr(space + 1));
  return period == 0
      ? 0
      : static_cast<std::uint32_t>(std::max<std::uint64_t>(quota * 1000 / period, 1));
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::string default_device(const std::string& routes) {
  std::istringstream lines(routes);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string device;
    std::string destination;
    if (words >> device >> destination && destination == "00000000") return device;
  }
  return {};
}

std::uint32_t link_rate(const std::string& megabits) {
  // Decimal bits to binary bytes; a kernel that does not know says -1.
  const std::uint64_t rate = leading_number(megabits) * 1'000'000 / 8 / 1024;
  return rate > sched::kRateMax ? 0 : static_cast<std::uint32_t>(rate);
}

std::uint32_t memory_reserve(std::uint32_t memory_mib) {
  // Small machines (a container of 256 MiB) must be left with something to offer.
  return std::min(std::clamp(memory_mib / 16, 128u, 2048u), memory_mib / 2);
}

Machine detect_machine() {
  Machine machine;
  const CgroupLimits limits = own_cgroup_limits();
  machine.cpu = affinity_milli();
  if (limits.cpu != 0) machine.cpu = std::min(machine.cpu, limits.cpu);
  std::uint64_t memory = total_memory();
  if (limits.memory != 0) memory = std::min(memory, limits.memory);
  machine.memory_mib = static_cast<std::uint32_t>(memory / kBytesPerMebibyte);
  machine.link = detect_link();
  machine.gpus = count_gpus();

  utsname names{};
  uname(&names);
  machine.hostname = names.nodename;
  std::string os = names.sysname;
  std::ranges::transform(os, os.begin(), [](unsigned char c) { return std::tolower(c); });
  set_attribute(machine.attributes, {"os", os});
  set_attribute(machine.attributes, {"arch", names.machine});
  set_attribute(machine.attributes, {"kernel", names.release});
  set_attribute(machine.attributes, {"distro", distribution()});
  set_attribute(machine.attributes, {"hostname", machine.hostname});
  return machine;
}

Result<void> check_offer_option(std::string_view key, const std::string& text) {
  // The machine does not matter: the options say the rest.
  AgentOptions options;
  const std::pair<std::string_view, std::string*> texts[] = {{"agent.cpus", &options.cpus},
      {"agent.memory", &options.memory}, {"agent.disk_read", &options.disk_read},
      {"agent.disk_write", &options.disk_write}, {"agent.net_in", &options.net_in},
      {"agent.net_out", &options.net_out}, {"agent.resources", &options.resources},
      {"agent.devices", &options.devices}, {"agent.attributes", &options.attributes}};
  const auto* const found =
      std::ranges::find(texts, key, [](const auto& each) { return each.first; });
  if (found == std::end(texts)) return {};
  *found->second = text;
  if (const auto offer = make_offer({}, options); !offer) return tl::unexpected(offer.error());
  return {};
}

Result<Offer> make_offer(const Machine& machine, const AgentOptions& options) {
  Offer offer;
  offer.total.cpu = machine.cpu;
  offer.total.memory = machine.memory_mib - memory_reserve(machine.memory_mib);
  if (options.cpus != "auto") {
    const auto cpu = sched::parse_cpu(options.cpus);
    if (!cpu) return bad_option("agent.cpus", cpu.error());
    offer.total.cpu = *cpu;
  }
  if (options.memory != "auto") {
    const auto memory = sched::parse_memory(options.memory);
    if (!memory) return bad_option("agent.memory", memory.error());
    offer.total.memory = *memory;
  }
  if (auto fine = offer_rates(machine, options, offer.total); !fine) {
    return tl::unexpected(fine.error());
  }
  if (machine.gpus > 0) sched::set_amount(offer.total, "gpu", machine.gpus);
  for (const std::string& item : split_list(options.resources)) {
    if (const auto parsed = sched::parse_amount(item, offer.total); !parsed) {
      return bad_option("agent.resources", parsed.error());
    }
  }
  auto devices = device_counts(split_list(options.devices), offer.total);
  if (!devices) return bad_option("agent.devices", devices.error());
  offer.devices = std::move(*devices);

  offer.attributes = machine.attributes;
  set_attribute(offer.attributes, {"cpus", sched::cpu_text(offer.total.cpu)});
  set_attribute(offer.attributes, {"memory_mib", std::to_string(offer.total.memory)});
  for (const std::string& item : split_list(options.attributes)) {
    auto attribute = sched::parse_attribute(item);
    if (!attribute) return bad_option("agent.attributes", attribute.error());
    set_attribute(offer.attributes, std::move(*attribute));
  }
  if (offer.attributes.size() > 64) {
    return failure(ErrorKind::usage, "agent.attributes: more than 64 attributes");
  }
  return offer;
}

}  // namespace dunlin::node
