// SPDX-License-Identifier: MIT
#include "node/task/running_use.h"

#include <algorithm>

// The use of running tasks, as the warden samples it. The processor time is a sum, so how busy a
// task is lately is the difference of two samples; before the second one it is not known, and that
// is said.
namespace dunlin::node {
namespace {

/// Thousandths of a CPU, of so much CPU time in so much time.
std::uint32_t cpu_rate(sched::Duration used, sched::Duration passed) {
  // No machine has more CPUs; a clock that leaps must not make one of it.
  constexpr double kRateMax = 1e9;
  const double rate = 1000.0 * static_cast<double>(std::max(used, sched::Duration{0}).count()) /
      static_cast<double>(passed.count());
  return static_cast<std::uint32_t>(std::min(rate, kRateMax));
}

}  // namespace

// Member by member: the warden's own words stay as they are when those of the peer change, since an
// old warden may outlive its agent.
sched::TaskUse task_use_of(const UseSummary& summary) {
  return {.cpu_peak = summary.cpu_peak,
      .disk_read = summary.disk_read,
      .disk_written = summary.disk_written,
      .net_received = summary.net_received,
      .net_sent = summary.net_sent,
      .disk_read_peak = summary.disk_read_peak,
      .disk_write_peak = summary.disk_write_peak,
      .net_in_peak = summary.net_in_peak,
      .net_out_peak = summary.net_out_peak,
      .has_disk = summary.has_disk,
      .has_net = summary.has_net};
}

void RunningUses::begin(std::uint64_t id,
    const sched::TaskId& task,
    std::uint32_t attempt,
    const sched::Resources& demand,
    sched::Time begun) {
  Task& entry = tasks_[id];
  entry = {.use = {}, .begun = begun};
  entry.use.task = task;
  entry.use.attempt = attempt;
  entry.use.demand = demand;
}

void RunningUses::on_used(const warden::Used& used, sched::Time now) {
  const auto task = tasks_.find(used.id);
  if (task == tasks_.end()) return;  // Its end came first.
  RunningUse& use = task->second.use;
  const sched::Duration cpu{static_cast<std::int64_t>(used.cpu)};
  const sched::Duration passed = now - task->second.sampled_at;
  if (use.sampled && passed > sched::Duration{0}) use.cpu_lately = cpu_rate(cpu - use.cpu, passed);
  // Before the first sample nothing is known, and zeros would look like a task that is idle.
  use.sampled = true;
  use.cpu = cpu;
  use.memory = used.memory;
  use.disk_read = used.disk_read;
  use.disk_written = used.disk_written;
  use.has_disk = used.has_disk;
  use.net_received = used.net_received;
  use.net_sent = used.net_sent;
  use.has_net = used.has_net;
  task->second.sampled_at = now;
}

std::vector<RunningUse> RunningUses::list(sched::Time now) const {
  std::vector<RunningUse> all;
  all.reserve(tasks_.size());
  for (const auto& [id, task] : tasks_) all.push_back(told(task, now));
  return all;
}

std::optional<RunningUse> RunningUses::find(std::uint64_t id, sched::Time now) const {
  const auto task = tasks_.find(id);
  return task == tasks_.end() ? std::nullopt : std::optional(told(task->second, now));
}

RunningUse RunningUses::told(const Task& task, sched::Time now) {
  RunningUse use = task.use;
  use.age = now - task.begun;
  if (use.sampled) use.sampled_ago = now - task.sampled_at;
  return use;
}

}  // namespace dunlin::node
