// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"
#include "sched/resources.h"

namespace dunlin::node {

/// Devices that one task has: those of a custom resource, such as "gpu".
struct TaskDevices {
  std::string resource;
  std::vector<std::uint32_t> numbers;  ///< Ascending; empty if it has none of them.
  friend bool operator==(const TaskDevices&, const TaskDevices&) = default;
};

/// The devices of one resource at most.
inline constexpr std::uint32_t kDevicesMax = 1024;

/// The variable that tells a task its devices of a resource: DUNLIN_GPUS for "gpu".
std::string device_variable(std::string_view resource);

/// The custom resources of a node whose units are devices with numbers, each from `names`, with how
/// many of it are in `total`. Fails with `usage` if two of them have one variable, one has more
/// than kDevicesMax, or a name is none.
Result<std::map<std::string, std::uint32_t>> device_counts(
    const std::vector<std::string>& names, const sched::Resources& total);

/// Which task has which device of this node. The worker counts how many are free; this hands out
/// their numbers, and none to two tasks at once. They are numbered from 0.
class DevicePool {
 public:
  /// How many devices each resource has.
  explicit DevicePool(std::map<std::string, std::uint32_t> counts) : counts_(std::move(counts)) {}

  /// The lowest free devices for `demand`: an entry for each resource of devices, also where the
  /// demand has none of it. Fails with `refused`, taking none, if too few are free: then a task
  /// that was reported still has one, because a process of it cannot be killed.
  Result<std::vector<TaskDevices>> take(const sched::Resources& demand);
  /// A task of an earlier agent has these. They may be of other resources, or beyond the counts.
  void hold(const std::vector<TaskDevices>& devices);
  void release(const std::vector<TaskDevices>& devices);

  /// A task of an earlier agent runs, and which devices it has is not known: until it has ended,
  /// none is handed out.
  void hold_unknown() { ++unknown_; }
  void release_unknown();

  /// True if this node has devices of `resource`.
  bool offers(const std::string& resource) const;

 private:
  std::map<std::string, std::uint32_t> counts_;
  std::map<std::string, std::set<std::uint32_t>> held_;
  std::uint32_t unknown_ = 0;
};

}  // namespace dunlin::node
