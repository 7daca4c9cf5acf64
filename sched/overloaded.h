// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::sched {

/// One function object made of several: std::visit() calls the one that fits best.
template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace dunlin::sched
