// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// No job is thought to take longer, or to be older: a wall clock that was wrong must not make
/// times overflow.
inline constexpr Duration kJobAgeMax = std::chrono::hours(24 * 365 * 100);

/// How a job ended: what is known of it as long as it is history, also when the records of its
/// tasks are gone.
struct EndFacts {
  Duration after{1};                ///< From its submit to the end of its last task: above 0.
  OptionalDuration begun{};         ///< Likewise to the start of its first; empty: unknown, or
                                    ///< none started.
  Outcome worst = Outcome::exited;  ///< Of all tasks; Outcome::killed is better than any failure.
  std::uint8_t exit = 0;            ///< The status with which `dunlin run` of it ends.
  std::uint32_t failed = 0;         ///< Tasks that failed ...
  std::uint32_t cancelled = 0;      ///< ... and those that were cancelled: all others succeeded.
  bool pruned = false;              ///< Its tasks' records are gone.
  friend bool operator==(const EndFacts&, const EndFacts&) = default;
};

/// The length of a time that nodes and stores told, as one that can be reckoned with.
constexpr Duration sane_age(Duration told) {
  return std::clamp(told, Duration{1}, kJobAgeMax);
}

/// From one wall clock's time to another one's, ns since 1970: whatever strangers say.
constexpr Duration age_between(std::int64_t from, std::int64_t to) {
  if (to <= from) return Duration{1};
  const std::uint64_t apart = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  return apart >= static_cast<std::uint64_t>(kJobAgeMax.count())
      ? kJobAgeMax
      : Duration{static_cast<std::int64_t>(apart)};
}

/// The wall clock's time so long after another one.
constexpr std::int64_t wall_after(std::int64_t from, Duration age) {
  const std::int64_t later = sane_age(age).count();
  return from > std::numeric_limits<std::int64_t>::max() - later
      ? std::numeric_limits<std::int64_t>::max()
      : from + later;
}

}  // namespace dunlin::sched
