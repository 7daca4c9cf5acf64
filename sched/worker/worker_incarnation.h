// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace dunlin::sched {

/// The incarnations of a worker, as its messages tell them.
struct WorkerIncarnation {
  std::uint32_t number = 0;
  /// The first incarnation whose tasks it has kept. It is this one's own, unless tasks outlived
  /// earlier ones.
  std::uint32_t since = number;
};

}  // namespace dunlin::sched
