// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace dunlin::sched {

/// The incarnations of a worker, as its messages tell them.
struct WorkerLife {
  std::uint32_t incarnation = 0;
  /// The first incarnation whose tasks it has kept. It is this one's own, unless tasks outlived
  /// earlier ones.
  std::uint32_t since = incarnation;
};

}  // namespace dunlin::sched
