// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sim/study/statistics.h"

namespace dunlin::sim {

/// "1,234 ± 56", "0.0152 ± 0.0031": both parts to the same decimal, and no more decimals than the
/// interval leaves meaning in. "6,046 (2 of 8)" if other runs have nothing to take it of, "3 of 6;
/// median 4" if in others it never came. "-" if nothing was measured.
std::string text_of(const Estimate& estimate);

}  // namespace dunlin::sim
