// SPDX-License-Identifier: MIT
#include "sim/measure/sample.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "config/percentile.h"
#include "overlay/ensure.h"

// Papers compare percentiles of 118 to 276 long jobs, and report them to four digits. A histogram's
// are exact to 0.4 %, which is not enough there. A value takes eight bytes, less than a tenth of
// the record that is kept of each job, so values are kept, and sorted once, when they are read.
// Only a run with more tasks than that falls back, where 0.4 % is less than its seed makes.
namespace dunlin::sim {

void Sample::add(Duration value) {
  value = std::max(value, Duration{0});
  if (!exact()) return folded_.add(value);
  if (values_.size() == exact_max_) {
    // From here on it is a histogram alone: the memory of single values is given back.
    folded_ = folded();
    folded_.add(value);
    values_ = {};
    return;
  }
  sorted_ = sorted_ && (values_.empty() || values_.back() <= value);
  values_.push_back(value);
}

Histogram Sample::folded() const {
  Histogram histogram = folded_;
  for (const Duration value : values_) histogram.add(value);
  return histogram;
}

void Sample::sort() const {
  if (!sorted_) std::ranges::sort(values_);
  sorted_ = true;
}

std::optional<Duration> Sample::min() const {
  if (empty()) return std::nullopt;
  if (!exact()) return folded_.min();
  return sorted_ ? values_.front() : *std::ranges::min_element(values_);
}

std::optional<Duration> Sample::max() const {
  if (empty()) return std::nullopt;
  if (!exact()) return folded_.max();
  return sorted_ ? values_.back() : *std::ranges::max_element(values_);
}

std::optional<Duration> Sample::mean() const {
  if (empty()) return std::nullopt;
  if (!exact()) return folded_.mean();
  const double sum = std::accumulate(values_.begin(), values_.end(), 0.0,
      [](double all, Duration value) { return all + static_cast<double>(value.count()); });
  return Duration{std::llround(sum / static_cast<double>(values_.size()))};
}

std::optional<Duration> Sample::percentile(double percent) const {
  ensure(percent >= 0 && percent <= 100, "a percentile out of range");
  if (empty()) return std::nullopt;
  if (!exact()) return folded_.percentile(percent);
  sort();
  const config::Place place = config::place_of_percentile(percent, values_.size());
  return Duration{std::llround(config::value_at_place(
      place, [&](std::uint64_t i) { return static_cast<double>(values_[i].count()); }))};
}

}  // namespace dunlin::sim
