// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace dunlin::sched {

/// `value`, or the largest number that a descriptor has room for.
inline std::uint16_t saturate(std::size_t value) {
  return static_cast<std::uint16_t>(
      std::min<std::size_t>(value, std::numeric_limits<std::uint16_t>::max()));
}

}  // namespace dunlin::sched
