// SPDX-License-Identifier: MIT
#include "node/task/devices.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "overlay/ensure.h"

// Devices are numbers: a resource with a count, of which a task gets some that no other task has.
// Where it is not known after a restart of the agent which of them a task holds, none are given
// away while it runs.
namespace dunlin::node {

// Names of resources may have letters that the name of a variable cannot: "fpga-card" is
// DUNLIN_FPGA_CARDS.
std::string device_variable(std::string_view resource) {
  std::string name = "DUNLIN_";
  for (const char c : resource) {
    const auto byte = static_cast<unsigned char>(c);
    name += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return name + "S";
}

Result<std::map<std::string, std::uint32_t>> device_counts(
    const std::vector<std::string>& names, const sched::Resources& total) {
  std::map<std::string, std::uint32_t> counts;
  std::map<std::string, std::string> variables;
  for (const std::string& name : names) {
    sched::Resources probe;
    // parse_amount() takes NAME=COUNT, too. Here the count is that of agent.resources, and only a
    // name is wanted.
    if (name.find('=') != std::string::npos || !sched::parse_amount(name, probe)) {
      return failure(ErrorKind::usage,
          "'" + name + "' is no name of a custom resource; list names, such as gpu,fpga, and say " +
              "how many there are in agent.resources");
    }
    const std::uint32_t count = sched::amount_of(total, name);
    if (count > kDevicesMax) {
      return failure(ErrorKind::usage,
          "'" + name + "' has " + std::to_string(count) + " devices; at most " +
              std::to_string(kDevicesMax) + " are numbered");
    }
    // Two names may differ only in what the name of a variable cannot hold.
    const auto [other, added] = variables.emplace(device_variable(name), name);
    if (!added && other->second != name) {
      return failure(ErrorKind::usage,
          "'" + name + "' and '" + other->second + "' would both be told to tasks as " +
              other->first + "; rename one");
    }
    counts[name] = count;
  }
  return counts;
}

Result<std::vector<TaskDevices>> DevicePool::take(const sched::Resources& demand) {
  std::vector<TaskDevices> taken;
  for (const auto& [resource, count] : counts_) {
    // Also without any number: the task is told that it has none, lest its programs take all they
    // find.
    TaskDevices& mine = taken.emplace_back(TaskDevices{resource, {}});
    const std::uint32_t wanted = sched::amount_of(demand, resource);
    const auto held = held_.find(resource);
    for (std::uint32_t number = 0; number < count && mine.numbers.size() < wanted; ++number) {
      if (held == held_.end() || !held->second.contains(number)) mine.numbers.push_back(number);
    }
    // A task of an earlier agent may hold any device, so while there is one none can be given.
    if (mine.numbers.size() < wanted || (wanted > 0 && unknown_ > 0)) {
      return failure(ErrorKind::refused,
          "a task that was reported as ended still has a device of '" + resource +
              "': its processes have not ended");
    }
  }
  // Only when all kinds were found: a start that is refused holds nothing.
  hold(taken);
  return taken;
}

void DevicePool::hold(const std::vector<TaskDevices>& devices) {
  for (const TaskDevices& each : devices) {
    held_[each.resource].insert(each.numbers.begin(), each.numbers.end());
  }
}

void DevicePool::release(const std::vector<TaskDevices>& devices) {
  for (const TaskDevices& each : devices) {
    for (const std::uint32_t number : each.numbers) held_[each.resource].erase(number);
  }
}

void DevicePool::release_unknown() {
  ensure(unknown_ > 0, "a task of unknown devices ended twice");
  --unknown_;
}

bool DevicePool::offers(const std::string& resource) const {
  const auto found = counts_.find(resource);
  return found != counts_.end() && found->second > 0;
}

}  // namespace dunlin::node
