// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dunlin::fuzz {

/// How often each branch of the code under test was taken; wraps around.
std::span<std::uint8_t> counters();

}  // namespace dunlin::fuzz
