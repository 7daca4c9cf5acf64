// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "node/kernel/kernel_file.h"
#include "node/warden/cgroup/cgroup_backends.h"
#include "node/warden/cgroup/cgroup_slots.h"
#include "node/warden/cgroup/cgroup_tree.h"
#include "node/warden/cgroup/group_weight.h"
#include "node/warden/use/disk_limits.h"
#include "node/warden/use/slot_net.h"

// v2 has one tree, but three rules of its own. A cgroup with children that are limited may hold no
// processes, so this process and the agent move to a leaf first. Peaks and counts cannot be reset,
// so a slot remembers their last values and reports differences. And one write to cgroup.kill kills
// all processes at once, even those that are forking.
namespace dunlin::node {
namespace {

/// The unified hierarchy: one directory per slot.
class V2Limiter final : public Limiter {
 public:
  V2Limiter(std::string base, const LimiterOptions& options)
      : cpu_quota_(options.cpu_quota),
        freezes_(::access((base + "/cgroup.freeze").c_str(), W_OK) == 0),
        pids_max_(options.pids_max),
        counts_disks_(options.counts_disks),
        disk_(options.disk),
        counted_(options.disk),
        net_(options.limits_net),
        group_weight_(base + "/cpu.weight"),
        slots_({std::move(base)}, "cgroup.procs") {}

  std::string_view word() const override { return "v2"; }

  Result<void> prepare(std::uint32_t number, const Limits& limits) override {
    auto done = prepare_slot(number, limits);
    if (!done || !net_) return done;
    auto& slot = slots_.at(number);
    return limit_net(slot, slot.directories[0], {.in = limits.net_in, .out = limits.net_out});
  }

  const std::vector<std::string>& join_files(std::uint32_t slot) const override {
    return slots_.at(slot).join_files;
  }

  std::vector<pid_t> processes(std::uint32_t slot, pid_t, std::span<const pid_t>) const override {
    return parse_pids(read_kernel_file(file(slots_.at(slot), "cgroup.procs")).value_or(""));
  }

  bool kill_all(std::uint32_t slot) override {
    return write_kernel_file(file(slots_.at(slot), "cgroup.kill"), "1") == 0;  // Linux >= 5.14
  }

  bool freeze(std::uint32_t slot, bool on) override {
    return write_kernel_file(file(slots_.at(slot), "cgroup.freeze"), on ? "1" : "0") == 0;
  }

  bool freezes() const override { return freezes_; }

  bool limits_disk() const override { return disk_.has_value(); }
  /// Forgets that it can: its files take no rate.
  void limit_no_disk() { disk_.reset(); }

  bool limits_net() const override { return net_; }
  void limit_no_net() { net_ = false; }
  void watch(std::uint32_t number) override {
    auto& slot = slots_.at(number);
    net_ = net_ && watch_net(slot, slot.directories[0]);
  }

  std::optional<NetBytes> net(std::uint32_t number) const override {
    return net_of(slots_.at(number));
  }

  // While the task runs. Counters of a slot go on from task to task, so what earlier ones used is
  // taken off.
  Reading read(std::uint32_t number) override {
    auto& slot = slots_.at(number);
    Reading reading{
        .memory = leading_number(read_kernel_file(file(slot, "memory.current")).value_or(""))};
    const auto cpu =
        keyed_number(read_kernel_file(file(slot, "cpu.stat")).value_or(""), "usage_usec");
    if (cpu) reading.group_cpu = (*cpu - std::min(*cpu, slot.cpu_before)) * 1000;
    if (counts_disks_) {
      reading.group_disk = since(slot.disk_before, disk_of(slot));
      slot.disk_used = true;
    }
    reading.group_net = net(number);
    return reading;
  }

  Usage finish(std::uint32_t number, bool failed) override {
    auto& slot = slots_.at(number);
    weigh(weight_.release(number));
    Usage usage;
    // The peak of a cgroup cannot be reset. If it did not rise, this task used less than an earlier
    // one, and wait4() knows best.
    const auto peak =
        leading_number(read_kernel_file(file(slot, "memory.peak")).value_or("")).value_or(0);
    if (peak > slot.peak_before) usage.memory_peak = slot.peak_before = peak;
    const auto cpu =
        keyed_number(read_kernel_file(file(slot, "cpu.stat")).value_or(""), "usage_usec")
            .value_or(0);
    usage.cpu = static_cast<std::int64_t>((cpu - std::min(cpu, slot.cpu_before)) * 1000);
    slot.cpu_before = cpu;
    const std::uint64_t limit = std::uint64_t{slot.limits.memory} << 20;
    // memory.events is read only where a kill is likely: each file costs a system call, and short
    // tasks end by the thousand per second.
    const bool near_limit = limit != 0 && peak >= limit / 2;
    if (failed || near_limit) {
      const auto kills =
          keyed_number(read_kernel_file(file(slot, "memory.events")).value_or(""), "oom_kill")
              .value_or(0);
      usage.oom_kills = kills - std::min(kills, slot.oom_before);
      usage.out_of_memory = failed && usage.oom_kills > 0;
      slot.oom_before = kills;
    }
    // A high peak would hide those of all tasks to come; a new directory starts from 0.
    if (peak > kReusablePeak || near_limit) slots_.retire(number);
    return usage;
  }

 private:
  Result<void> prepare_slot(std::uint32_t number, const Limits& limits) {
    const auto made = slots_.make(number);
    if (!made) return tl::unexpected(made.error());
    weigh(weight_.take(number, limits.cpu));
    // Most tasks touch no disk; only after one that did the counters have to be read again.
    if (std::exchange((*made)->disk_used, false)) {
      (*made)->disk_before = disk_of(**made).value_or(DiskBytes{});
    }
    return slots_.limit(
        number, limits, [&](CgroupSlots::Slot& slot) { return apply(slot, limits); });
  }

  static std::string file(const CgroupSlots::Slot& slot, std::string_view name) {
    return slot.directories[0] + "/" + std::string(name);
  }

  std::optional<DiskBytes> disk_of(const CgroupSlots::Slot& slot) {
    const auto text = read_kernel_file(file(slot, "io.stat"));
    if (!text) return std::nullopt;
    return parse_io_stat(*text, [this](Device device) { return counted_.counts(device); });
  }

  /// The default weight of 100 stands for one CPU here.
  static std::string weight_of(std::uint64_t milli_cpu) {
    return std::to_string(std::clamp<std::uint64_t>(milli_cpu / 10, 1, 10000));
  }

  /// A group that cannot be weighed anew keeps its weight: tasks are limited all the same.
  void weigh(const std::optional<std::uint64_t>& milli_cpu) const {
    if (milli_cpu) write_kernel_file(group_weight_, weight_of(*milli_cpu));
  }

  Result<void> apply(CgroupSlots::Slot& slot, const Limits& limits) const {
    // False until all is written: after a failure halfway the slot has limits of two tasks, and the
    // next one must write them all, even if they are the same as before.
    slot.limited = false;
    const auto write = [&](std::string_view name, const std::string& text) -> Result<void> {
      const auto path = file(slot, name);
      if (const int error = write_kernel_file(path, text)) {
        return failure_of(error, "limits: cannot write " + path);
      }
      return {};
    };
    const auto bytes =
        limits.memory == 0 ? "max" : std::to_string(std::uint64_t{limits.memory} << 20);
    if (auto done = write("memory.max", bytes); !done) return done;
    // The file is missing without swap accounting, and on kernels before 4.19, which matters
    // little.
    write_kernel_file(file(slot, "memory.swap.max"), limits.memory == 0 ? "max" : "0");
    // All of the task or nothing: with one process killed the others might wait for it for ever.
    write_kernel_file(file(slot, "memory.oom.group"), "1");
    if (auto done = write("cpu.weight", weight_of(limits.cpu)); !done) return done;
    if (cpu_quota_) {
      // Microseconds of each 100 ms. Less than 1 ms is refused by the kernel.
      const auto quota = limits.cpu == 0
          ? "max"
          : std::to_string(std::max<std::uint64_t>(std::uint64_t{limits.cpu} * 100, 1000));
      if (auto done = write("cpu.max", quota + " 100000"); !done) return done;
    }
    // The file is missing where the controller was not delegated to us.
    if (pids_max_ > 0) write_kernel_file(file(slot, "pids.max"), std::to_string(pids_max_));
    // Written also if only the last task had rates, which else would hold for this one.
    const bool rated = limits.disk_read != 0 || limits.disk_write != 0 ||
        slot.limits.disk_read != 0 || slot.limits.disk_write != 0;
    if (disk_ && rated) {
      auto done = limit_disk_v2(slot.directories[0], *disk_, {limits.disk_read, limits.disk_write});
      if (!done) return done;
    }
    slot.limits = limits;
    slot.limited = true;
    return {};
  }

  bool cpu_quota_;
  bool freezes_;            ///< Linux >= 5.2
  std::uint32_t pids_max_;  ///< 0: not limited.
  bool counts_disks_;
  std::optional<Device> disk_;  ///< Empty: tasks are not held to its rates.
  CountedDisks counted_;
  bool net_;  ///< Until the kernel says no.
  std::string group_weight_;
  GroupWeight weight_;
  CgroupSlots slots_;
};

bool offers(const std::string& directory, const char* file) {
  const auto text = " " + read_kernel_file(directory + "/" + file).value_or("");
  const auto has = [&](const std::string& word) {
    return text.find(" " + word + " ") != std::string::npos ||
        text.find(" " + word + "\n") != std::string::npos;
  };
  return has("cpu") && has("memory");
}

/// Adds what is wanted, too, but not needed: a limit of processes, counts and limits of disks.
void delegate_more(const std::string& control) {
  for (const char* controller : {"+pids", "+io"}) write_kernel_file(control, controller);
}

/// Lets the children of `directory` be limited. A cgroup with such children may hold no processes
/// itself (but for the root), so this process and the agent move to a leaf first, if need be.
Result<void> delegate(const std::string& directory, const std::string& leaf) {
  const auto control = directory + "/cgroup.subtree_control";
  if (offers(directory, "cgroup.subtree_control")) {
    delegate_more(control);
    return {};
  }
  int error = write_kernel_file(control, "+cpu +memory");
  if (error == EBUSY) {
    ::mkdir(leaf.c_str(), 0755);
    // The parent may also be a service manager, which is elsewhere and must stay there.
    const auto here = parse_pids(read_kernel_file(directory + "/cgroup.procs").value_or(""));
    for (const pid_t process : {::getppid(), ::getpid()}) {
      if (std::ranges::count(here, process) == 0) continue;
      write_kernel_file(leaf + "/cgroup.procs", std::to_string(process));
    }
    error = write_kernel_file(control, "+cpu +memory");
  }
  if (error != 0) return failure_of(error, "cannot write " + control);
  delegate_more(control);
  return {};
}

}  // namespace

Result<std::unique_ptr<Limiter>> open_v2(const LimiterOptions& options) {
  const auto hierarchies = find_hierarchies(options.proc);
  const auto found = std::ranges::find_if(hierarchies, &Hierarchy::v2);
  if (found == hierarchies.end()) {
    return failure(ErrorKind::refused, "no cgroup v2 hierarchy is mounted");
  }
  const std::string leaf_name = "/dunlin-" + options.label + "-agent";
  auto own = found->own;
  // Moved by an earlier incarnation.
  if (own.ends_with(leaf_name)) own.resize(own.size() - leaf_name.size());
  if (!offers(own, "cgroup.controllers")) {
    return failure(ErrorKind::refused, own + "/cgroup.controllers lacks cpu or memory");
  }
  if (auto done = delegate(own, own + leaf_name); !done) return tl::unexpected(done.error());
  const auto base = own + "/dunlin-" + options.label;
  clear_cgroup(base);
  if (::mkdir(base.c_str(), 0755) != 0 && errno != EEXIST) {
    return failure_of(errno, "cannot make the cgroup " + base);
  }
  auto limiter = std::make_unique<V2Limiter>(base, options);
  if (auto done = delegate(base, {}); !done) return tl::unexpected(done.error());
  // A trial of each kind of write, here rather than at the first task: if the machine does not let
  // us, another mechanism can still be taken. Without rates of disk and network tasks are limited
  // all the same, so their failure only turns them off.
  for (const Limits& limits : {Limits{.cpu = 1000, .memory = 64}, Limits{.cpu = 1000}}) {
    if (auto tried = limiter->prepare(0, limits); !tried) return tl::unexpected(tried.error());
  }
  if (limiter->limits_disk() && !limiter->prepare(0, kDiskTrial)) limiter->limit_no_disk();
  if (!limiter->prepare(0, kNetTrial)) limiter->limit_no_net();
  if (auto tried = limiter->prepare(0, {.cpu = 1000}); !tried) return tl::unexpected(tried.error());
  limiter->finish(0, false);
  return limiter;
}

}  // namespace dunlin::node
