// SPDX-License-Identifier: MIT
#include "sim/measure/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "config/percentile.h"
#include "overlay/ensure.h"

// A run has up to 10^9 delays from microseconds to hours, and papers compare their 99th
// percentiles; keeping them all is too much, and fixed buckets are too coarse for the small ones.
// Buckets that grow with the value keep the relative error constant: the highest 8 bits of a value
// select its bucket, so the width is at most 1/128 of the value, and the middle is at most half of
// that away.
// A value between two buckets is interpolated as between two values: see config/percentile.h.
namespace dunlin::sim {
namespace {

// An octave is cut into 2^kBits buckets; values below 2^(kBits + 1) have one each.
constexpr int kBits = 7;
constexpr std::size_t kPerOctave = std::size_t{1} << kBits;

int shift_of(std::uint64_t value) {
  return std::max(0, static_cast<int>(std::bit_width(value)) - kBits - 1);
}

}  // namespace

std::size_t Histogram::bucket_of(std::uint64_t nanoseconds) {
  const int shift = shift_of(nanoseconds);
  // Shifted values of an octave are in [128, 256), but for those below 256 themselves: so numbers
  // of buckets go on without a gap from one octave to the next.
  return static_cast<std::size_t>(shift) * kPerOctave +
      static_cast<std::size_t>(nanoseconds >> shift);
}

Duration Histogram::middle_of(std::size_t bucket) const {
  const std::size_t shift = bucket < 2 * kPerOctave ? 0 : bucket / kPerOctave - 1;
  const std::uint64_t lowest = std::uint64_t{bucket - shift * kPerOctave} << shift;
  const std::uint64_t middle = lowest + ((std::uint64_t{1} << shift) - 1) / 2;
  // No percentile may lie beyond the values themselves.
  return std::clamp(Duration{static_cast<Duration::rep>(middle)}, min_, max_);
}

void Histogram::add(Duration value) {
  value = std::max(value, Duration{0});
  const std::size_t bucket = bucket_of(static_cast<std::uint64_t>(value.count()));
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  ++buckets_[bucket];
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = std::max(max_, value);
  sum_ += static_cast<double>(value.count());
  ++count_;
}

void Histogram::merge(const Histogram& other) {
  if (other.count_ == 0) return;
  if (other.buckets_.size() > buckets_.size()) buckets_.resize(other.buckets_.size());
  for (std::size_t i = 0; i < other.buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  count_ += other.count_;
}

Duration Histogram::mean() const {
  if (count_ == 0) return Duration{0};
  return Duration{std::llround(sum_ / static_cast<double>(count_))};
}

Duration Histogram::value_at(std::uint64_t place) const {
  if (place == 0) return min_;
  if (place + 1 >= count_) return max_;
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while ((seen += buckets_[bucket]) <= place) ++bucket;
  return middle_of(bucket);
}

Duration Histogram::percentile(double percent) const {
  ensure(percent >= 0 && percent <= 100, "a percentile out of range");
  if (count_ == 0) return Duration{0};
  return Duration{std::llround(config::value_at_place(config::place_of_percentile(percent, count_),
      [&](std::uint64_t place) { return static_cast<double>(value_at(place).count()); }))};
}

std::vector<Histogram::Point> Histogram::distribution() const {
  std::vector<Point> points;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] == 0) continue;
    seen += buckets_[i];
    points.push_back({middle_of(i), static_cast<double>(seen) / static_cast<double>(count_)});
  }
  return points;
}

}  // namespace dunlin::sim
