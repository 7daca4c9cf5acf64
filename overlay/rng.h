// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "overlay/ensure.h"
#include "overlay/time.h"

namespace dunlin::overlay {

/// The only source of chance a protocol may use: xoroshiro128++, 16 bytes, the same numbers on any
/// machine. Not for secrets. Source: Blackman and Vigna 2019.
class Rng {
 public:
  using result_type = std::uint64_t;

  explicit constexpr Rng(std::uint64_t seed) : low_(mix(seed)), high_(mix(seed)) {}

  /// The next 64 bits: all of them are equally good.
  constexpr std::uint64_t operator()() {
    const std::uint64_t low = low_;
    std::uint64_t high = high_;
    const std::uint64_t result = rotate(low + high, 17) + low;
    high ^= low;
    low_ = rotate(low, 49) ^ high ^ (high << 21);
    high_ = rotate(high, 28);
    return result;
  }

  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return std::numeric_limits<std::uint64_t>::max(); }

  /// Uniform in [0, bound), but for a bias below bound / 2^32. Requires bound > 0.
  /// Source: Lemire 2019 (multiply and shift, without the rejection step).
  constexpr std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((*this)() >> 32) * bound >> 32);
  }

  /// An index of a non-empty container.
  constexpr std::size_t index(std::size_t size) {
    ensure(size > 0, "an index of nothing");
    return below(static_cast<std::uint32_t>(size));
  }

  /// Uniform in [0, 1).
  constexpr double uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

  /// True with probability `p`.
  constexpr bool chance(double p) { return uniform() < p; }

  /// Uniform in [least, most).
  constexpr Duration between(Duration min, Duration max) {
    return min +
        Duration{static_cast<Duration::rep>(uniform() * static_cast<double>((max - min).count()))};
  }

  /// `mean`, give or take up to the share `spread` of it: peers born together drift apart.
  constexpr Duration jitter(Duration mean, double spread) {
    const double factor = 1.0 + spread * (2.0 * uniform() - 1.0);
    return Duration{static_cast<Duration::rep>(static_cast<double>(mean.count()) * factor)};
  }

  /// Exponentially distributed. Workloads and latencies use it; protocol decisions do not, because
  /// std::log1p() may differ in its last bit between machines.
  Duration exponential(Duration mean) {
    return Duration{
        static_cast<Duration::rep>(-std::log1p(-uniform()) * static_cast<double>(mean.count()))};
  }

  /// Moves a uniformly drawn subset of `count` elements to the front, in random order.
  template <typename T>
  constexpr void draw_front(std::span<T> items, std::size_t count) {
    for (std::size_t i = 0; i < count && i + 1 < items.size(); ++i) {
      std::swap(items[i], items[i + index(items.size() - i)]);
    }
  }

  /// An independent stream, e.g. one for each peer.
  constexpr Rng fork() { return Rng{(*this)()}; }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t value, int bits) {
    return (value << bits) | (value >> (64 - bits));
  }
  /// splitmix64: advances `seed` and whitens it.
  static constexpr std::uint64_t mix(std::uint64_t& seed) {
    std::uint64_t z = (seed += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t low_;
  std::uint64_t high_;
};

}  // namespace dunlin::overlay
