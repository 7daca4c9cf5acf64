// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

#include "node/warden/cgroup_backends.h"
#include "node/warden/cgroup_slots.h"
#include "node/warden/cgroup_tree.h"
#include "node/warden/kernel_file.h"

namespace dunlin::node {
namespace {

/// One hierarchy per controller: a slot is a directory in that of `memory` and in that of `cpu`.
class V1Limiter final : public Limiter {
 public:
  V1Limiter(std::string memory, std::string cpu, bool cpu_counts, bool cpu_quota)
      : cpu_counts_(cpu_counts),
        cpu_quota_(cpu_quota),
        // A single-threaded process that writes itself to `tasks` is moved without the lock that
        // every fork on the machine takes; with `cgroup.procs` each task would stall all forks.
        slots_({std::move(memory), std::move(cpu)}, "tasks") {}

  std::string_view word() const override { return "v1"; }

  Result<void> prepare(std::uint32_t number, const Limits& limits) override {
    auto slot = slots_.make(number);
    if (!slot) return tl::unexpected(slot.error());
    if ((*slot)->limited && (*slot)->limits == limits) return {};
    auto done = apply(**slot, limits);
    if (!done) {
      // The pages of the task before may be in the way, or somebody removed the directory.
      slots_.retire(number);
      slot = slots_.make(number);
      if (!slot) return tl::unexpected(slot.error());
      done = apply(**slot, limits);
    }
    return done;
  }

  const std::vector<std::string>& join_files(std::uint32_t slot) const override {
    return slots_.at(slot).join_files;
  }

  std::vector<pid_t> processes(std::uint32_t slot, pid_t, std::span<const pid_t>) const override {
    // Opened afresh each time: an open file may show a list up to a second old.
    return parse_pids(read_kernel_file(memory(slots_.at(slot)) + "/cgroup.procs").value_or(""));
  }

  Usage finish(std::uint32_t number, bool failed) override {
    const auto& slot = slots_.at(number);
    Usage usage;
    const auto peak_file = memory(slot) + "/memory.max_usage_in_bytes";
    usage.memory_peak = leading_number(read_kernel_file(peak_file).value_or("")).value_or(0);
    const std::uint64_t limit = std::uint64_t{slot.limits.memory} << 20;
    // Near its limit it may have been killed in; far below it can't have been.
    const bool near_limit = limit != 0 && usage.memory_peak >= limit / 2;
    if (failed && near_limit) {
      const auto control = read_kernel_file(memory(slot) + "/memory.oom_control").value_or("");
      usage.out_of_memory = keyed_number(control, "oom_kill").value_or(0) > 0;
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
  static const std::string& memory(const CgroupSlots::Slot& slot) { return slot.directories[0]; }
  static const std::string& cpu(const CgroupSlots::Slot& slot) { return slot.directories[1]; }

  Result<void> apply(CgroupSlots::Slot& slot, const Limits& limits) const {
    slot.limited = false;
    const auto bytes =
        limits.memory == 0 ? "-1" : std::to_string(std::uint64_t{limits.memory} << 20);
    // Memory plus swap may never be less than memory, so it goes out of the way first. It exists
    // only where swap is accounted for.
    const auto with_swap = memory(slot) + "/memory.memsw.limit_in_bytes";
    const bool swap = ::access(with_swap.c_str(), W_OK) == 0;
    if (swap) write_kernel_file(with_swap, "-1");
    const auto memory_file = memory(slot) + "/memory.limit_in_bytes";
    if (const int error = write_kernel_file(memory_file, bytes)) {
      return failure_of(error, "limits: cannot write " + memory_file);
    }
    if (swap) write_kernel_file(with_swap, bytes);

    // 1024 shares are one CPU's worth by custom. Who demands none gets the crumbs.
    const auto shares =
        std::clamp<std::uint64_t>(std::uint64_t{limits.cpu} * 1024 / 1000, 8, 262144);
    const auto shares_file = cpu(slot) + "/cpu.shares";
    if (const int error = write_kernel_file(shares_file, std::to_string(shares))) {
      return failure_of(error, "limits: cannot write " + shares_file);
    }
    if (cpu_quota_) {
      // Of a period of 100 ms; the kernel accepts no less than 1 ms.
      const auto quota = limits.cpu == 0
          ? "-1"
          : std::to_string(std::max<std::uint64_t>(std::uint64_t{limits.cpu} * 100, 1000));
      const auto quota_file = cpu(slot) + "/cpu.cfs_quota_us";
      if (const int error = write_kernel_file(quota_file, quota)) {
        return failure_of(error, "limits: cannot write " + quota_file);
      }
    }
    slot.limits = limits;
    slot.limited = true;
    return {};
  }

  bool cpu_counts_;  ///< cpuacct is mounted with cpu, so it costs nothing to ask.
  bool cpu_quota_;
  CgroupSlots slots_;
};

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
  const auto memory_base = memory->own + "/dunlin-" + options.label;
  const auto cpu_base = cpu->own + "/dunlin-" + options.label;
  for (const auto& base : {memory_base, cpu_base}) {
    clear_cgroup(base);
    if (::mkdir(base.c_str(), 0755) != 0 && errno != EEXIST) {
      return failure_of(errno, "cannot make the cgroup " + base);
    }
  }
  auto limiter =
      std::make_unique<V1Limiter>(memory_base, cpu_base, cpu->has("cpuacct"), options.cpu_quota);
  // The trial: a slot with a limit, and without.
  for (const Limits& limits : {Limits{.cpu = 1000, .memory = 64}, Limits{.cpu = 1000}}) {
    if (auto tried = limiter->prepare(0, limits); !tried) return tl::unexpected(tried.error());
  }
  return limiter;
}

}  // namespace dunlin::node
