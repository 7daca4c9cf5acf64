// SPDX-License-Identifier: MIT
#include "node/machine.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>

#include "node/kernel/bounds.h"
#include "node/kernel/kernel_file.h"
#include "node/task/devices.h"
#include "sched/constraints.h"
#include "sched/resources.h"

// What a node offers: first what is found out about the machine, then what the operator says
// instead. Found out are the bounds of this process (cgroup, affinity), not the machine's size: an
// agent in a container must not offer what it cannot use.
namespace dunlin::node {
namespace {

constexpr std::uint64_t kBytesPerMebibyte = 1 << 20;

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
  const std::string device = default_route_device();
  if (device.empty()) return 0;
  return link_rate(read_kernel_file("/sys/class/net/" + device + "/speed").value_or(""));
}

/// `ID` of /etc/os-release: "debian".
std::string distribution() {
  std::istringstream lines(read_kernel_file("/etc/os-release").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("ID=")) continue;
    std::string id = line.substr(3);
    std::erase(id, '"');
    return id;
  }
  return "unknown";
}

// Kept in the order of keys, which is how they are told and compared.
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
    // Of disks there is no such figure to read: they are measured by `dunlin measure-disk`, or
    // declared.
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

std::string default_route_device() {
  return default_device(read_kernel_file("/proc/net/route").value_or(""));
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
  const std::uint64_t rate = leading_number(megabits).value_or(0) * 1'000'000 / 8 / 1024;
  return rate > sched::kRateMax ? 0 : static_cast<std::uint32_t>(rate);
}

std::uint32_t memory_reserve(std::uint32_t memory_mib) {
  // Small machines (a container of 256 MiB) must be left with something to offer.
  return std::min(std::clamp(memory_mib / 16, 128u, 2048u), memory_mib / 2);
}

Machine detect_machine() {
  Machine machine;
  const Bounds bounds = own_bounds();
  machine.cpu = bounds.cpu;
  machine.memory_mib = static_cast<std::uint32_t>(bounds.memory / kBytesPerMebibyte);
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
  // Beside tasks there are the system, this agent and the page cache.
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
  // A message to other nodes carries them, and has this bound.
  if (offer.attributes.size() > 64) {
    return failure(ErrorKind::usage, "agent.attributes: more than 64 attributes");
  }
  return offer;
}

}  // namespace dunlin::node
