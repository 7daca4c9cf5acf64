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

// Each controller of v1 has a tree of its own, so a slot is a directory in two trees (more where
// `pids` and `blkio` are mounted), and a process joins all. Counters can be reset by writing 0, so
// a reused slot starts from nothing. The limit of memory with swap must never be below the limit of
// memory. It is opened before, and set after.
namespace dunlin::node {
namespace {

/// The places among a slot's directories; 0: there is none.
struct V1Places {
  std::size_t pids = 0;
  std::size_t blkio = 0;
};

/// One hierarchy for each controller: a slot is a directory in that of `memory`, in that of `cpu`,
/// and in others as `places` says.
class V1Limiter final : public Limiter {
 public:
  V1Limiter(std::vector<std::string> bases,
      const V1Places& places,
      bool cpu_counts,
      const LimiterOptions& options)
      : places_(places),
        cpu_counts_(cpu_counts),
        cpu_quota_(options.cpu_quota),
        pids_max_(options.pids_max),
        disk_(places.blkio != 0 ? options.disk : std::nullopt),
        counted_(options.disk),
        group_shares_(bases[1] + "/cpu.shares"),
        // A single-threaded process that writes itself to `tasks` is moved without the lock that
        // every fork on the machine takes; with `cgroup.procs` each task would stall all forks.
        slots_(std::move(bases), "tasks") {}

  std::string_view word() const override { return "v1"; }

  Result<void> prepare(std::uint32_t number, const Limits& limits) override {
    auto done = prepare_slot(number, limits);
    return done ? guard_net(slots_.at(number), number, limits) : done;
  }

  const std::vector<std::string>& join_files(std::uint32_t slot) const override {
    return slots_.at(slot).join_files;
  }

  std::vector<pid_t> processes(std::uint32_t slot, pid_t, std::span<const pid_t>) const override {
    // The file is opened each time, because an open file may show a list up to a second old.
    return parse_pids(read_kernel_file(memory(slots_.at(slot)) + "/cgroup.procs").value_or(""));
  }

  bool limits_disk() const override { return disk_.has_value(); }
  /// Forgets that it can: its files take no rate.
  void limit_no_disk() { disk_.reset(); }

  /// Tasks that demand rates of the network join a cgroup of version 2, too, below `base`. Others
  /// do not: each task that joins one holds up all forks of the machine.
  void use_net(std::string base) {
    net_slots_.emplace(std::vector<std::string>{std::move(base)}, "cgroup.procs");
  }
  void limit_no_net() { net_slots_.reset(); }
  bool limits_net() const override { return net_slots_.has_value(); }

  std::optional<NetBytes> net(std::uint32_t number) const override {
    if (!is_guarded(slots_.at(number))) return std::nullopt;
    return net_of(net_slots_->at(number));
  }

  Reading read(std::uint32_t number) override {
    auto& slot = slots_.at(number);
    Reading reading;
    if (cpu_counts_) {
      reading.group_cpu =
          leading_number(read_kernel_file(cpu(slot) + "/cpuacct.usage").value_or(""));
    }
    reading.memory =
        leading_number(read_kernel_file(memory(slot) + "/memory.usage_in_bytes").value_or(""));
    if (places_.blkio != 0) {
      reading.group_disk = since(slot.disk_before, disk_of(slot));
      slot.disk_used = true;
    }
    reading.group_net = net(number);
    return reading;
  }

  Usage finish(std::uint32_t number, bool failed) override {
    const auto& slot = slots_.at(number);
    weigh(weight_.release(number));
    Usage usage;
    const auto peak_file = memory(slot) + "/memory.max_usage_in_bytes";
    usage.memory_peak = leading_number(read_kernel_file(peak_file).value_or("")).value_or(0);
    const std::uint64_t limit = std::uint64_t{slot.limits.memory} << 20;
    // A task near its limit may have been killed in; a task far below it cannot have been.
    const bool near_limit = limit != 0 && usage.memory_peak >= limit / 2;
    if (near_limit) {
      const auto control = read_kernel_file(memory(slot) + "/memory.oom_control").value_or("");
      usage.oom_kills = keyed_number(control, "oom_kill").value_or(0);
      usage.out_of_memory = failed && usage.oom_kills > 0;
    }
    if (cpu_counts_) {
      const auto file = cpu(slot) + "/cpuacct.usage";
      usage.cpu = static_cast<std::int64_t>(
          leading_number(read_kernel_file(file).value_or("")).value_or(0));
      write_kernel_file(file, "0");
    }
    if (near_limit || usage.memory_peak > kReusablePeak) {
      slots_.retire(number);
    } else {
      write_kernel_file(peak_file, "0");
    }
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

  static const std::string& memory(const CgroupSlots::Slot& slot) { return slot.directories[0]; }
  static const std::string& cpu(const CgroupSlots::Slot& slot) { return slot.directories[1]; }

  static bool is_guarded(const CgroupSlots::Slot& slot) {
    return slot.join_files.size() > slot.directories.size();
  }

  /// Has the slot's task join a cgroup that holds it to its rates of the network, if it has some.
  Result<void> guard_net(CgroupSlots::Slot& slot, std::uint32_t number, const Limits& limits) {
    slot.join_files.resize(slot.directories.size());
    const NetRates rates{.in = limits.net_in, .out = limits.net_out};
    if (!net_slots_ || rates == NetRates{}) return {};
    auto net = net_slots_->make(number);
    if (!net) return tl::unexpected(net.error());
    slot.join_files.push_back((*net)->join_files[0]);
    return limit_net(**net, (*net)->directories[0], rates);
  }

  std::optional<DiskBytes> disk_of(const CgroupSlots::Slot& slot) {
    const auto text = read_kernel_file(
        slot.directories[places_.blkio] + "/blkio.throttle.io_service_bytes_recursive");
    if (!text) return std::nullopt;
    return parse_blkio_bytes(*text, [this](Device device) { return counted_.counts(device); });
  }

  /// By custom, 1024 shares are worth one CPU.
  static std::string shares_of(std::uint64_t milli_cpu) {
    return std::to_string(std::clamp<std::uint64_t>(milli_cpu * 1024 / 1000, 8, 262144));
  }

  /// A group that cannot be weighed anew keeps its weight: tasks are limited all the same.
  void weigh(const std::optional<std::uint64_t>& milli_cpu) const {
    if (milli_cpu) write_kernel_file(group_shares_, shares_of(*milli_cpu));
  }

  Result<void> apply(CgroupSlots::Slot& slot, const Limits& limits) const {
    slot.limited = false;
    const auto bytes =
        limits.memory == 0 ? "-1" : std::to_string(std::uint64_t{limits.memory} << 20);
    // Memory plus swap may never be less than memory, so it is lifted first. The file exists only
    // with swap accounting.
    const auto with_swap = memory(slot) + "/memory.memsw.limit_in_bytes";
    const bool swap = ::access(with_swap.c_str(), W_OK) == 0;
    if (swap) write_kernel_file(with_swap, "-1");
    const auto memory_file = memory(slot) + "/memory.limit_in_bytes";
    if (const int error = write_kernel_file(memory_file, bytes)) {
      return failure_of(error, "limits: cannot write " + memory_file);
    }
    if (swap) write_kernel_file(with_swap, bytes);

    // A task that demands no CPU gets the crumbs.
    const auto shares_file = cpu(slot) + "/cpu.shares";
    if (const int error = write_kernel_file(shares_file, shares_of(limits.cpu))) {
      return failure_of(error, "limits: cannot write " + shares_file);
    }
    if (cpu_quota_) {
      // The quota for a period of 100 ms; the kernel accepts no less than 1 ms.
      const auto quota = limits.cpu == 0
          ? "-1"
          : std::to_string(std::max<std::uint64_t>(std::uint64_t{limits.cpu} * 100, 1000));
      const auto quota_file = cpu(slot) + "/cpu.cfs_quota_us";
      if (const int error = write_kernel_file(quota_file, quota)) {
        return failure_of(error, "limits: cannot write " + quota_file);
      }
    }
    if (places_.pids != 0) {
      const auto pids_file = slot.directories[places_.pids] + "/pids.max";
      if (const int error = write_kernel_file(pids_file, std::to_string(pids_max_))) {
        return failure_of(error, "limits: cannot write " + pids_file);
      }
    }
    const bool rated = limits.disk_read != 0 || limits.disk_write != 0 ||
        slot.limits.disk_read != 0 || slot.limits.disk_write != 0;
    if (disk_ && rated) {
      auto done = limit_disk_v1(
          slot.directories[places_.blkio], *disk_, {limits.disk_read, limits.disk_write});
      if (!done) return done;
    }
    slot.limits = limits;
    slot.limited = true;
    return {};
  }

  V1Places places_;
  bool cpu_counts_;  ///< cpuacct is mounted with cpu, so asking costs nothing.
  bool cpu_quota_;
  std::uint32_t pids_max_;
  std::optional<Device> disk_;  ///< Empty: tasks are not held to its rates.
  CountedDisks counted_;
  std::optional<CgroupSlots> net_slots_;
  std::string group_shares_;
  GroupWeight weight_;
  CgroupSlots slots_;
};

/// Makes the directory of this agent's slots, empty. False, with the errno, if it cannot.
bool make_base(const std::string& base) {
  clear_cgroup(base);
  return ::mkdir(base.c_str(), 0755) == 0 || errno == EEXIST;
}

}  // namespace

Result<std::unique_ptr<Limiter>> open_v1(const LimiterOptions& options) {
  const auto hierarchies = find_hierarchies(options.proc);
  const auto with = [&](std::string_view controller) {
    return std::ranges::find_if(
        hierarchies, [&](const Hierarchy& h) { return !h.v2 && h.has(controller); });
  };
  const auto memory = with("memory");
  const auto cpu = with("cpu");
  if (memory == hierarchies.end() || cpu == hierarchies.end()) {
    return failure(ErrorKind::refused, "no cgroup v1 hierarchies of memory and cpu are mounted");
  }
  const std::string name = "/dunlin-" + options.label;
  std::vector<std::string> bases{memory->own + name, cpu->own + name};
  for (const auto& base : bases) {
    if (!make_base(base)) return failure_of(errno, "cannot make the cgroup " + base);
  }
  // Without it tasks are limited all the same, but for their number of processes.
  const auto pids = with("pids");
  V1Places places;
  if (options.pids_max > 0 && pids != hierarchies.end() && make_base(pids->own + name)) {
    places.pids = bases.size();
    bases.push_back(pids->own + name);
  }
  // Likewise, but for their disks.
  const auto blkio = with("blkio");
  if (options.counts_disks && blkio != hierarchies.end() && make_base(blkio->own + name)) {
    places.blkio = bases.size();
    bases.push_back(blkio->own + name);
  }
  auto limiter =
      std::make_unique<V1Limiter>(std::move(bases), places, cpu->has("cpuacct"), options);
  // The trial: a slot with a memory limit, and without.
  for (const Limits& limits : {Limits{.cpu = 1000, .memory = 64}, Limits{.cpu = 1000}}) {
    if (auto tried = limiter->prepare(0, limits); !tried) return tl::unexpected(tried.error());
  }
  if (limiter->limits_disk() && !limiter->prepare(0, kDiskTrial)) limiter->limit_no_disk();
  const auto unified = std::ranges::find_if(hierarchies, &Hierarchy::v2);
  if (options.limits_net && unified != hierarchies.end() && make_base(unified->own + name)) {
    limiter->use_net(unified->own + name);
    if (!limiter->prepare(0, kNetTrial)) limiter->limit_no_net();
  }
  if (auto tried = limiter->prepare(0, {.cpu = 1000}); !tried) return tl::unexpected(tried.error());
  limiter->finish(0, false);
  return limiter;
}

}  // namespace dunlin::node
