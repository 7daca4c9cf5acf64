// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <variant>

#include "sched/cell/cell_turn.h"
#include "sched/overloaded.h"

namespace dunlin::sched {

/// The log that a wish is about.
inline std::uint64_t log_of(const cell::LogWish& wish) {
  return std::visit(Overloaded{
                        [](const books::AcceptLog& m) { return m.entry.log; },
                        [](const auto& m) { return m.log; },
                    },
      wish);
}

}  // namespace dunlin::sched
