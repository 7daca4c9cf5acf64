// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "node/warden/use/counters.h"
#include "node/warden/use/net_guard.h"

namespace dunlin::node {

/// The counters of one task at one moment, from its start on; empty where nothing tells.
struct Reading {
  // As its cgroup counts them:
  std::optional<std::uint64_t> group_cpu{};  ///< ns
  std::optional<std::uint64_t> memory{};     ///< Bytes at this moment.
  std::optional<DiskBytes> group_disk{};
  std::optional<NetBytes> group_net{};
  // The sums over its processes, each with the children that it has waited for:
  std::optional<std::uint64_t> own_cpu{};  ///< ns
  std::optional<DiskBytes> own_disk{};
};

/// A counter of the kernel that may be reset, or vanish for a while. Its sum never falls: what is
/// lower than before has begun anew.
class Counter {
 public:
  void read(std::uint64_t value) {
    sum_ += value - std::min(value, last_);
    last_ = value;
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t last_ = 0;
  std::uint64_t sum_ = 0;
};

/// A sum over processes. It falls when one ends, and rises again when its parent has waited for it:
/// so the most that was seen is what they took.
class HighMark {
 public:
  void read(std::uint64_t value) { sum_ = std::max(sum_, value); }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

/// All that a task took, and the most in a period.
struct UseSummary {
  std::uint32_t cpu_peak = 0;  ///< milli-CPU
  std::uint64_t disk_read = 0;
  std::uint64_t disk_written = 0;
  std::uint32_t disk_read_peak = 0;  ///< KiB/s
  std::uint32_t disk_write_peak = 0;
  bool has_disk = false;
  std::uint64_t net_received = 0;
  std::uint64_t net_sent = 0;
  std::uint32_t net_in_peak = 0;  ///< KiB/s
  std::uint32_t net_out_peak = 0;
  bool has_net = false;
  friend bool operator==(const UseSummary&, const UseSummary&) = default;
};
template <typename Summary>
  requires std::is_same_v<std::remove_const_t<Summary>, UseSummary>
void fields(auto& archive, Summary& m) {
  archive(m.cpu_peak, m.disk_read, m.disk_written, m.disk_read_peak, m.disk_write_peak, m.has_disk,
      m.net_received, m.net_sent, m.net_in_peak, m.net_out_peak, m.has_net);
}

/// Adds up the readings of one task.
class UseMeter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Span = std::chrono::steady_clock::duration;

  explicit UseMeter(Time begun = {}) : mark_(begun) {}

  /// Takes a reading that comes about each `period`. An earlier one gives no rate of its own.
  void read(Time now, const Reading& reading, Span period);
  /// Takes the last reading: it gives no rate.
  void close(const Reading& reading) { take(reading); }
  /// The summary of a task that ran for `wall` and took `cpu` ns. Rates of a task that was never
  /// read are means over its run, and of no less than 10 ms.
  UseSummary summary(Span wall, std::int64_t cpu) const;

  /// True once a reading gave rates.
  bool sampled() const { return sampled_; }
  /// ns of CPU. A cgroup may be missing, or vanish with the task, and processes are seen only while
  /// they live: each sees what the other misses, so the greater one counts.
  std::uint64_t cpu() const { return std::max(group_cpu_.sum(), own_cpu_.sum()); }
  /// Bytes at the last reading.
  std::uint64_t memory() const { return memory_; }
  /// Since its start; without meaning unless has_disk().
  DiskBytes disk() const;
  bool has_disk() const { return has_disk_; }
  /// Likewise, unless has_net().
  NetBytes net() const { return {.received = received_.sum(), .sent = sent_.sum()}; }
  bool has_net() const { return has_net_; }

 private:
  void take(const Reading& reading);

  Time mark_;  ///< Of the last rate.
  bool sampled_ = false;
  bool has_disk_ = false;
  bool has_net_ = false;
  Counter group_cpu_, group_read_, group_written_, received_, sent_;
  HighMark own_cpu_, own_read_, own_written_;
  std::uint64_t memory_ = 0;
  std::uint64_t cpu_at_mark_ = 0;
  DiskBytes disk_at_mark_;
  NetBytes net_at_mark_;
  std::uint32_t cpu_peak_ = 0;
  std::uint32_t read_peak_ = 0;
  std::uint32_t write_peak_ = 0;
  std::uint32_t in_peak_ = 0;
  std::uint32_t out_peak_ = 0;
};

}  // namespace dunlin::node
