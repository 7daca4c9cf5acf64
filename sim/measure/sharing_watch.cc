// SPDX-License-Identifier: MIT
#include "sim/measure/sharing_watch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/measure/units.h"

// Did classes get their shares, and what did it cost? Looked at again and again, since a mean over
// the whole run hides that one class had all of the first half; and once over the window, for the
// sum.
namespace dunlin::sim {
namespace {

/// Turns amounts into shares of their sum; all 0 if that is 0.
std::vector<double> shares_of(std::vector<double> amounts) {
  const double sum = std::accumulate(amounts.begin(), amounts.end(), 0.0);
  for (double& amount : amounts) amount = sum > 0 ? amount / sum : 0;
  return amounts;
}

std::vector<double> minus(std::vector<double> amounts, const std::vector<double>& before) {
  for (std::size_t j = 0; j < before.size() && j < amounts.size(); ++j) amounts[j] -= before[j];
  return amounts;
}

/// Half of the sum of all differences, because a share that one class has too much is one that
/// others lack: 0 if all is as desired, and 1 at most. A class without a desired share has no
/// relative error.
void compare(const std::vector<double>& shares,
    const std::vector<double>& desired,
    double& deviation,
    double& worst_error) {
  deviation = worst_error = 0;
  for (std::size_t j = 0; j < shares.size(); ++j) {
    const double off = std::abs(shares[j] - desired[j]);
    deviation += off / 2;
    if (desired[j] > 0) worst_error = std::max(worst_error, off / desired[j]);
  }
}

template <std::size_t kSize>
std::array<double, kSize> rates_of(const std::array<std::uint32_t, kSize>& counts, double elapsed) {
  std::array<double, kSize> rates{};
  for (std::size_t i = 0; i < kSize; ++i) rates[i] = counts[i] / elapsed;
  return rates;
}

/// Adds the cost of cells to one more peer in `elapsed` seconds. Means are sums for now. A peer's
/// load counts messages only, so its bytes are estimated from the mean size of each kind in the
/// whole run.
void add_peer(
    const CellLoad& load, double elapsed, const Traffic& traffic, SharingWatch::Result& result) {
  double bytes = 0;
  for (std::size_t kind = 0; kind < kCellKinds; ++kind) {
    const auto& tally = traffic[kOverlayKinds + kSchedKinds + kind];
    if (tally.messages == 0) continue;
    bytes += load.messages[kind] * static_cast<double>(tally.bytes()) /
        static_cast<double>(tally.messages);
  }
  result.busiest_bytes_per_s = std::max(result.busiest_bytes_per_s, bytes / elapsed);
  const auto levels = rates_of(load.of_level, elapsed);
  for (std::size_t i = 0; i < kCellLevels; ++i) {
    result.busiest_of_level[i] = std::max(result.busiest_of_level[i], levels[i]);
  }
  const double cpu_ms = static_cast<double>(load.cpu_ns) / 1e6 / elapsed;
  result.busiest_cpu_ms_per_s = std::max(result.busiest_cpu_ms_per_s, cpu_ms);
  result.mean_cpu_ms_per_s += cpu_ms;
  const double messages = static_cast<double>(load.sum()) / elapsed;
  result.mean_messages_per_s += messages;
  if (messages <= result.busiest_messages_per_s) return;
  result.busiest_messages_per_s = messages;
  result.busiest_kinds_per_s = rates_of(load.messages, elapsed);
  result.busiest_levels_per_s = levels;
}

}  // namespace

void SharingWatch::look(
    Time now, Sharing& sharing, std::vector<double> occupied, const std::vector<CellLoad>& loads) {
  // What was occupied between two looks: shares of a moment would be those of single tasks.
  const auto since = minus(occupied, last_);
  sharing.shares = shares_of(since);
  sharing.desired = desired_of(classes_, now);
  compare(sharing.shares, sharing.desired, sharing.deviation, sharing.worst_error);
  last_ = std::move(occupied);
  // Before the first look there was none: what peers sent until then counts from 0.
  last_loads_.resize(loads.size());
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const std::uint64_t sum = loads[i].sum();
    largest = std::max(largest, sum - last_loads_[i]);
    last_loads_[i] = sum;
  }
  const double elapsed = looks_.empty() ? 0 : in_seconds(now - looks_.back().at);
  sharing.busiest_rate = elapsed > 0 ? static_cast<double>(largest) / elapsed : 0;
  looks_.push_back({.at = now, .sharing = sharing});
}

void SharingWatch::begin(
    Time now, std::vector<double> occupied, const std::vector<CellLoad>& loads) {
  began_ = now;
  before_ = std::move(occupied);
  loads_before_ = loads;
}

SharingWatch::Result SharingWatch::result(Time now,
    const std::vector<double>& occupied,
    const std::vector<CellLoad>& loads,
    const Traffic& traffic) const {
  Result result;
  result.occupied = shares_of(minus(occupied, before_));
  for (const WorkloadClass& each : classes_) {
    // Over the whole window, pauses or not: a study with pauses compares looks.
    result.desired.push_back(static_cast<double>(each.share));
  }
  result.desired = shares_of(result.desired);
  compare(result.occupied, result.desired, result.deviation, result.worst_error);
  const double elapsed = in_seconds(now - began_);
  for (std::size_t i = 0; i < loads.size() && elapsed > 0; ++i) {
    add_peer(loads[i].since(i < loads_before_.size() ? loads_before_[i] : CellLoad{}), elapsed,
        traffic, result);
  }
  if (!loads.empty()) {
    result.mean_messages_per_s /= static_cast<double>(loads.size());
    result.mean_cpu_ms_per_s /= static_cast<double>(loads.size());
  }
  for (const Look& each : looks_) {
    if (each.sharing.broken == 0) continue;
    if (result.broken++ == 0) result.trouble = each.sharing.trouble;
  }
  return result;
}

SharingWatch::Took SharingWatch::took(Time since, Time end, bool (*holds)(const Sharing&)) const {
  Took took;
  for (const Look& each : looks_) {
    if (each.at < since || each.at >= end) continue;
    // A state that lapses again was not reached: the time counts to its last beginning.
    if (!holds(each.sharing)) {
      took.reset();
    } else if (!took) {
      took = each.at - since;
    }
  }
  return took;
}

}  // namespace dunlin::sim
