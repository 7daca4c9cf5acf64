// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace dunlin::sched::logs {

/// What the acknowledgement of a job waits for that requires R standbys. It promises that the job
/// outlives the home's machine and any R - 1 others: R standbys on machines of their own have it,
/// and the books that say which nodes these are keep a majority, and the standbys know where.
enum class Lack : std::uint8_t {
  none,
  standbys,  ///< Too few nodes on other machines have the log.
  cell,      ///< No cell keeps books of it yet.
  answer,    ///< The books have not answered lately.
  keepers,   ///< The books have too few voters on other machines.
  word,      ///< The standbys have not heard yet where the books are.
};

/// What is lacking first, and of how many there are how few.
struct Shortfall {
  Lack lack = Lack::none;
  std::size_t there = 0;
  std::size_t needed = 0;
  friend bool operator==(const Shortfall&, const Shortfall&) = default;
};

}  // namespace dunlin::sched::logs
