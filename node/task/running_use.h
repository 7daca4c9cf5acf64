// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "node/warden/protocol.h"
#include "sched/turn.h"

namespace dunlin::node {

/// What a task that runs has taken since its start, as its warden last told.
struct RunningUse {
  sched::TaskId task;
  std::uint32_t attempt = 0;
  sched::Resources demand;
  sched::Duration age{0};  ///< Since its start.
  /// False until the first sample: all that follows is 0 then.
  bool sampled = false;
  sched::Duration sampled_ago{0};
  sched::Duration cpu{0};          ///< CPU time; never falls.
  std::uint64_t memory = 0;        ///< Bytes then; 0: not known.
  std::uint64_t disk_read = 0;     ///< Bytes; never falls.
  std::uint64_t disk_written = 0;  ///< Likewise.
  bool has_disk = false;           ///< Bytes of disks are counted.
  std::uint64_t net_received = 0;  ///< Bytes; never falls.
  std::uint64_t net_sent = 0;      ///< Likewise.
  bool has_net = false;            ///< Bytes of the network are counted.
  /// Thousandths of a CPU between its last two samples; empty: there are no two.
  std::optional<std::uint32_t> cpu_lately{};
};

/// What a task used, as its warden summed it up.
sched::TaskUse task_use_of(const UseSummary& summary);

/// The last sample of each running task. A rate is the difference of two.
class RunningUses {
 public:
  /// A task that the warden knows by `id` has begun, and its end comes after.
  void begin(std::uint64_t id,
      const sched::TaskId& task,
      std::uint32_t attempt,
      const sched::Resources& demand,
      sched::Time begun);
  void on_used(const warden::Used& used, sched::Time now);
  void end(std::uint64_t id) { tasks_.erase(id); }
  void clear() { tasks_.clear(); }

  /// In the order of their starts.
  std::vector<RunningUse> list(sched::Time now) const;
  /// Of the task that the warden knows by `id`; empty if there is none.
  std::optional<RunningUse> find(std::uint64_t id, sched::Time now) const;

 private:
  struct Task {
    RunningUse use;
    sched::Time begun;
    sched::Time sampled_at{};
  };
  static RunningUse told(const Task& task, sched::Time now);
  std::map<std::uint64_t, Task> tasks_;
};

}  // namespace dunlin::node
