// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "node/warden/process_tree.h"
#include "node/warden/supervisor.h"
#include "node/warden/use/counters.h"

// The use of tasks is read for two reasons: a node wants to know what its tasks leave free, and
// what a task took at most tells what the next one like it demands. A task that ends before its
// first period is over is never read; its totals are, once it has ended, because that costs no more
// than one file. So thousands of short tasks pay next to nothing.
namespace dunlin::node::warden {
namespace {

/// Adds what one of several processes has counted.
template <typename Count>
void add(std::optional<Count>& sum, const std::optional<Count>& count) {
  if (!count) return;
  if (!sum) sum.emplace();
  *sum += *count;
}

}  // namespace

void Supervisor::sample(Tasks::iterator entry, Clock::time_point now) {
  Task& task = entry->second;
  limiter_->watch(task.slot);
  Reading reading = limiter_->read(task.slot);
  // What no cgroup counts its processes tell, unless they are another user's.
  if (!reading.group_cpu || !reading.group_disk) {
    for (const pid_t process : processes(entry)) {
      add(reading.own_cpu, cpu_of(process));
      add(reading.own_disk, disk_bytes_of(process));
      if (!limiter_->polls_memory()) continue;
      reading.memory = reading.memory.value_or(0) + resident_bytes(process);
    }
  }
  task.use.read(now, reading, sample_period_);
  // A late one does not make the next one early.
  task.sample_due = std::max(task.sample_due + sample_period_, now + sample_period_ / 2);
  const DiskBytes disk = task.use.disk();
  const NetBytes net = task.use.net();
  record_.tell(Used{.id = task.id,
      .cpu = task.use.cpu(),
      .memory = task.use.memory(),
      .disk_read = disk.read,
      .disk_written = disk.written,
      .has_disk = task.use.has_disk(),
      .net_received = net.received,
      .net_sent = net.sent,
      .has_net = task.use.has_net()});
}

void Supervisor::close_use(Task& task) {
  if (!samples()) return;
  // Most short tasks touch no disk, and then neither did their cgroups.
  const bool idle = task.use.has_disk() && task.use.disk() == DiskBytes{};
  task.use.close(task.use.sampled() || !idle ? limiter_->read(task.slot)
                                             : Reading{.group_net = limiter_->net(task.slot)});
}

}  // namespace dunlin::node::warden
