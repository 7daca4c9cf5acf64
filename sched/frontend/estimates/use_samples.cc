// SPDX-License-Identifier: MIT
#include "sched/frontend/estimates/use_samples.h"

#include <algorithm>
#include <cmath>

namespace dunlin::sched {
namespace {

constexpr double kQuantile = 0.95;
constexpr double kKibibyte = 1024;
constexpr double kMebibyte = 1 << 20;

/// Of at least one value.
std::uint32_t high_of(std::vector<std::uint32_t> values) {
  const auto rank =
      static_cast<std::size_t>(std::ceil(kQuantile * static_cast<double>(values.size())));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(rank - 1));
  return values[rank - 1];
}

std::uint32_t rounded_up(double value) {
  return static_cast<std::uint32_t>(std::min(std::ceil(value), static_cast<double>(kRateMax)));
}

/// The larger of a peak and the mean of `bytes`. What a task writes in less than a second counts as
/// if it took one, whatever its peak: each task of a millisecond would seem to need a disk.
std::uint32_t rate_of(std::uint32_t peak, std::uint64_t bytes, Duration wall) {
  const double seconds = std::chrono::duration<double>(wall).count();
  const auto mean = rounded_up(static_cast<double>(bytes) / kKibibyte / std::max(1.0, seconds));
  return seconds < 1 ? mean : std::max(peak, mean);
}

}  // namespace

void UseSamples::add(const Resources& peaks) {
  for (std::size_t i = 0; i < kAmounts.size(); ++i) {
    const std::uint32_t used = peaks.*kAmounts[i];
    if (used == 0) continue;
    if (kept_[i].size() < kKept) {
      kept_[i].push_back(used);
    } else {
      kept_[i][oldest_[i]] = used;
      oldest_[i] = (oldest_[i] + 1) % kKept;
    }
  }
  ++tasks_;
}

Resources UseSamples::estimate() const {
  Resources estimate;
  for (std::size_t i = 0; i < kAmounts.size(); ++i) {
    if (kept_[i].empty()) continue;
    estimate.*kAmounts[i] = with_margin(high_of(kept_[i]));
  }
  return estimate;
}

Resources peaks_of(const Report& report) {
  const TaskUse& use = report.use;
  const Duration wall = std::max(report.wall, Duration{1});
  const double mean_cpu =
      1000.0 * static_cast<double>(report.cpu.count()) / static_cast<double>(wall.count());
  return {.cpu = std::max(use.cpu_peak, rounded_up(std::max(0.0, mean_cpu))),
      .memory = rounded_up(static_cast<double>(report.memory_peak) / kMebibyte),
      .custom = {},
      .disk_read = rate_of(use.disk_read_peak, use.disk_read, wall),
      .disk_write = rate_of(use.disk_write_peak, use.disk_written, wall),
      .net_in = rate_of(use.net_in_peak, use.net_received, wall),
      .net_out = rate_of(use.net_out_peak, use.net_sent, wall)};
}

}  // namespace dunlin::sched
