// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "overlay/time.h"

namespace dunlin::test {

/// The time at which a test of a single class takes place, if it matters to none of its claims.
constexpr overlay::Time kNow{std::chrono::seconds(100)};

}  // namespace dunlin::test
