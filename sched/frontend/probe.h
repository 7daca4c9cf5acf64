// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/kernel.h"

namespace dunlin::sched {

/// A reservation that is out.
struct Probe {
  std::uint32_t id = 0;
  bool queued = false;  ///< It waits at `holder`; else it walks, and `holder` is where it was sent.
  bool packs = false;   ///< The holder wants to hear the extent of the job.
  Endpoint holder;
  std::uint32_t ahead = 0;  ///< Reservations before it, when last heard of.
  Time sent{};
  Time expires{};
};

}  // namespace dunlin::sched
