// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "node/warden/cgroup/cgroup.h"
#include "node/warden/use/counters.h"
#include "node/warden/use/net_guard.h"

namespace dunlin::node {

/// A slot's cgroup with a higher peak is made anew for the next task. Pages that the task left in
/// the cache are still charged to the cgroup, and would count against its successor.
inline constexpr std::uint64_t kReusablePeak = 16u << 20;

/// The directories of slots below one or several bases, for the limiters that use cgroups. Making
/// and removing one costs as much as a quarter of a short task, so they are kept from task to task.
class CgroupSlots {
 public:
  struct Slot {
    bool made = false;
    bool limited = false;  ///< `limits` stands in the files.
    Limits limits{};
    std::uint32_t generation = 0;
    std::vector<std::string> directories{};  ///< One below each base, in their order.
    std::vector<std::string> join_files{};
    std::uint64_t peak_before = 0;  ///< Counters that cannot be reset, at the end of
    std::uint64_t cpu_before = 0;   ///< the task before.
    std::uint64_t oom_before = 0;
    DiskBytes disk_before{};
    /// The task before may have left something for the kernel to write back.
    bool disk_used = false;
    std::optional<NetGuard> net{};  ///< Once a task needed it.
    NetBytes net_before{};
  };

  /// `join_file` is the name, within a slot's directory, of the file to write pids to.
  CgroupSlots(std::vector<std::string> bases, std::string join_file)
      : bases_(std::move(bases)),
        join_file_(std::move(join_file)) {}
  /// Removes all directories, and the bases.
  ~CgroupSlots();
  CgroupSlots(const CgroupSlots&) = delete;
  CgroupSlots& operator=(const CgroupSlots&) = delete;

  /// The slot, with its directories made.
  Result<Slot*> make(std::uint32_t slot);
  /// Requires that it was made.
  Slot& at(std::uint32_t slot) { return slots_.at(slot); }
  const Slot& at(std::uint32_t slot) const { return slots_.at(slot); }
  /// Has `apply` put the limits of a task on the slot, unless they stand there. If that fails, once
  /// more in new directories: the old ones may have been removed, or pages of the task before may
  /// be in the way.
  Result<void> limit(
      std::uint32_t slot, const Limits& limits, const std::function<Result<void>(Slot&)>& apply);
  /// Removes the slot's directories. Those still in use are left for later, under their old name.
  void retire(std::uint32_t slot);

 private:
  void clear_leftovers();

  std::vector<std::string> bases_;
  std::string join_file_;
  std::vector<Slot> slots_;
  std::vector<std::string> tombstones_;
};

}  // namespace dunlin::node
