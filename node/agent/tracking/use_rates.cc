// SPDX-License-Identifier: MIT
#include "node/agent/tracking/use_rates.h"

#include <algorithm>
#include <limits>
#include <utility>

// Rates from counters. Samples come when the warden takes them and looks when the tracker wants
// them, so a rate is of the time between two samples, and the last one holds for some looks. The
// use of tasks between their last sample and their end is taken off once, or it would count as use
// by others than tasks.
namespace dunlin::node {
namespace {

using sched::Duration;
using sched::Resources;

constexpr double kRateUnit = 1024;
constexpr double kMemoryUnit = 1 << 20;
/// CPU time is counted in hundredths of a second, so that of a shorter time would be noise.
constexpr Duration kShort = std::chrono::milliseconds(20);
/// A sample holds for so many looks.
constexpr int kLooks = 5;

std::uint32_t whole(double amount) {
  return static_cast<std::uint32_t>(
      std::clamp(amount, 0.0, static_cast<double>(std::numeric_limits<std::uint32_t>::max())));
}

/// KiB/s.
std::uint32_t rate_of(std::uint64_t before, std::uint64_t after, Duration passed) {
  // The counter began anew, as after a new cgroup or a reboot: a difference would be huge.
  if (after < before) return 0;
  const double seconds = std::chrono::duration<double>(passed).count();
  return whole(static_cast<double>(after - before) / kRateUnit / seconds);
}

/// milli-CPU.
std::uint32_t cpus_of(Duration before, Duration after, Duration passed) {
  if (after < before) return 0;
  return whole(
      1000.0 * static_cast<double>((after - before).count()) / static_cast<double>(passed.count()));
}

void subtract(std::uint32_t& from, std::uint32_t amount) {
  from -= std::min(from, amount);
}

}  // namespace

std::optional<sched::MeasuredTask> UseRates::measure(sched::Time now, const RunningUse& task) {
  TaskBefore& before = tasks_[sched::key_of(task.task, task.attempt)];
  before.seen = true;
  before.told.task = task.task;
  before.told.attempt = task.attempt;
  if (!task.sampled) return std::nullopt;
  const sched::Time at = now - task.sampled_ago;
  const Flow disk{.in = task.disk_read, .out = task.disk_written};
  const bool first = before.at == sched::Time{};
  // The first sample tells of the time since its start.
  const Duration passed = first ? task.age - task.sampled_ago : at - before.at;
  // No new sample: the last one is told for some looks, or tasks would seem idle between samples.
  if (passed < kShort) {
    return ++before.looks < kLooks ? std::optional(before.told) : std::nullopt;
  }
  Resources use;
  use.cpu = cpus_of(before.cpu, task.cpu, passed);
  use.memory = whole(static_cast<double>(task.memory) / kMemoryUnit);
  use.disk_read = rate_of(before.disk.in, disk.in, passed);
  use.disk_write = rate_of(before.disk.out, disk.out, passed);
  const Flow net{.in = task.net_received, .out = task.net_sent};
  use.net_in = rate_of(before.net.in, net.in, passed);
  use.net_out = rate_of(before.net.out, net.out, passed);
  before.looks = 0;
  before.at = at;
  before.cpu = task.cpu;
  before.disk = disk;
  before.net = net;
  before.told.use = std::move(use);
  before.told.has_disk = task.has_disk;
  before.told.has_net = task.has_net;
  return before.told;
}

// What it used since its last sample. It is in the node's counters, but no running task will
// account for it, so look() takes it off; else it would count as used by others than tasks.
void UseRates::on_end(const sched::JobId& job, const sched::Report& report) {
  const auto known = tasks_.find(sched::key_of({job, report.index}, report.attempt));
  const TaskBefore before = known == tasks_.end() ? TaskBefore{} : known->second;
  // 0 * after: 0 of its type, which may be a duration.
  const auto more = [](auto after, auto sampled) {
    return after > sampled ? after - sampled : 0 * after;
  };
  ended_cpu_ += more(report.cpu, before.cpu);
  ended_disk_.in += more(report.use.disk_read, before.disk.in);
  ended_disk_.out += more(report.use.disk_written, before.disk.out);
  ended_net_.in += more(report.use.net_received, before.net.in);
  ended_net_.out += more(report.use.net_sent, before.net.out);
}

std::optional<sched::Measured> UseRates::look(
    sched::Time now, const NodeReading& node, const std::vector<RunningUse>& tasks) {
  for (auto& [key, task] : tasks_) task.seen = false;
  sched::Measured measured;
  for (const RunningUse& task : tasks) {
    if (auto told = measure(now, task)) measured.tasks.push_back(*std::move(told));
  }
  std::erase_if(tasks_, [](const auto& each) { return !each.second.seen; });
  const NodeReading before = std::exchange(before_, node);
  const std::optional<sched::Time> looked = std::exchange(looked_, now);
  const Duration ended_cpu = std::exchange(ended_cpu_, Duration{0});
  const Flow ended_disk = std::exchange(ended_disk_, {});
  const Flow ended_net = std::exchange(ended_net_, {});
  // After all was taken over: the next look measures from here.
  if (!looked || now - *looked < kShort) return std::nullopt;
  const Duration passed = now - *looked;
  Resources& use = measured.node;
  if (node.cpu && before.cpu) use.cpu = cpus_of(*before.cpu, *node.cpu, passed);
  if (node.memory) use.memory = whole(static_cast<double>(*node.memory));
  if (node.disk && before.disk) {
    use.disk_read = rate_of(before.disk->in, node.disk->in, passed);
    use.disk_write = rate_of(before.disk->out, node.disk->out, passed);
  }
  if (node.net && before.net) {
    use.net_in = rate_of(before.net->in, node.net->in, passed);
    use.net_out = rate_of(before.net->out, node.net->out, passed);
  }
  subtract(use.cpu, cpus_of(Duration{0}, ended_cpu, passed));
  subtract(use.disk_read, rate_of(0, ended_disk.in, passed));
  subtract(use.disk_write, rate_of(0, ended_disk.out, passed));
  subtract(use.net_in, rate_of(0, ended_net.in, passed));
  subtract(use.net_out, rate_of(0, ended_net.out, passed));
  // What the machine has beyond what is offered may be used by others: no task lacks it.
  subtract(use.cpu, spare_.cpu);
  subtract(use.memory, spare_.memory);
  return measured;
}

}  // namespace dunlin::node
