// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "node/warden/use/disks.h"
#include "node/warden/use/use_meter.h"
#include "overlay/result.h"

namespace dunlin::node {

struct LimiterOptions {
  std::string label = "agent";  ///< Names the directory of this agent's tasks: dunlin-<label>.
  /// "auto": v2, otherwise v1, otherwise rlimit. Or one of them; or "none".
  std::string wanted = "auto";
  bool cpu_quota = false;  ///< A hard cap instead of shares in proportion.
  /// Processes and threads of one task, where cgroups can hold it to that; 0 is no limit.
  std::uint32_t pids_max = 0;
  /// The disk of which tasks demand rates; empty: there is none.
  std::optional<Device> disk{};
  bool limits_net = false;     ///< Rates of the network are to be limits, if possible.
  bool counts_disks = false;   ///< The bytes of disks that tasks take are to be counted.
  std::string proc = "/proc";  ///< The place of mountinfo and cgroup of this process.
};

/// The resources that one task may use.
struct Limits {
  std::uint32_t cpu = 0;        ///< milli-CPU
  std::uint32_t memory = 0;     ///< MiB; 0 is no limit.
  std::uint32_t disk_read = 0;  ///< KiB/s; 0 is no limit. Without limits_disk() it means nothing.
  std::uint32_t disk_write = 0;
  std::uint32_t net_in = 0;  ///< KiB/s; 0 is no limit. Without limits_net() it means nothing.
  std::uint32_t net_out = 0;
  friend bool operator==(const Limits&, const Limits&) = default;
};

/// The resources that one task has used, as far as the limiter knows better than wait4().
struct Usage {
  std::uint64_t memory_peak = 0;  ///< Bytes; 0: unknown.
  std::int64_t cpu = 0;           ///< ns; 0: unknown.
  bool out_of_memory = false;     ///< The kernel killed in this task for lack of memory.
  std::uint64_t oom_kills = 0;    ///< So many processes of it, whether or not it ended well.
};

/// Holds tasks to their demand, and knows which processes are theirs. A *slot* belongs to one task
/// at a time. Its directories are made once and reused; no descriptor stays open.
class Limiter {
 public:
  /// Tries the mechanisms that `options.wanted` allows, by making, writing and removing cgroups: a
  /// mount or a document proves nothing. Appends to `notes` texts for the operator. Fails with
  /// `refused` only if one mechanism was demanded and does not work.
  static Result<std::unique_ptr<Limiter>> open(
      const LimiterOptions& options, std::vector<std::string>& notes);
  virtual ~Limiter() = default;

  /// "v2", "v1", "rlimit" or "none".
  virtual std::string_view word() const = 0;

  /// Makes the slot ready for a task. An error names the file.
  virtual Result<void> prepare(std::uint32_t slot, const Limits& limits) = 0;
  /// The files to which a new process writes "0" to put itself under the slot's limits.
  virtual const std::vector<std::string>& join_files(std::uint32_t slot) const = 0;
  /// The processes of the slot's task, with `main` (its session and group) if it lives. `others`
  /// are children of this process that belong to other tasks.
  virtual std::vector<pid_t> processes(
      std::uint32_t slot, pid_t main, std::span<const pid_t> others) const = 0;
  /// True if it sent SIGKILL to all of them at once. If false, the caller must, one by one.
  virtual bool kill_all(std::uint32_t) { return false; }
  /// Has all of them stand still, or go on. False if the caller must do it, one by one.
  virtual bool freeze(std::uint32_t, bool) { return false; }
  /// True if freeze() works.
  virtual bool freezes() const { return false; }
  /// True if the caller must watch the memory of this slot's task, because the kernel does not.
  virtual bool polls_memory() const { return false; }
  /// True if tasks are held to the rates of the disk.
  virtual bool limits_disk() const { return false; }
  /// True if tasks are held to rates of the network.
  virtual bool limits_net() const { return false; }
  /// Counts more of the slot's task, if that is possible and was not worth it before.
  virtual void watch(std::uint32_t) {}
  /// What the cgroup of the slot has counted for its task so far, but for its processes' own sums.
  virtual Reading read(std::uint32_t) { return {}; }
  /// What the slot's task has sent and received so far; empty if nothing counts it.
  virtual std::optional<NetBytes> net(std::uint32_t) const { return std::nullopt; }
  /// The use of the task. Call it once, when all its processes are gone; the slot may be prepared
  /// again after. `failed`: the task did not end with 0, so look if it ran out of memory.
  virtual Usage finish(std::uint32_t slot, bool failed) = 0;
};

}  // namespace dunlin::node
