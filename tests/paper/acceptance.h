// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "tests/support/overlay_swarm.h"

// The overlay at scale, against figures of plain cycle-driven models with the same parameters.
//
// These runs are event-driven: peers act at moments of their own and messages take 1 to 5 ms. So
// some figures differ for known reasons, named where they do. Where the model is the same, the
// figures are within a tenth. Figures better than the model's (a cure at work) are bounded on the
// worse side only.
namespace dunlin::test {

inline void expect_within_a_tenth(double measured, double expected) {
  EXPECT_NEAR(measured, expected, expected / 10);
}

/// Every other peer on the other side of a partition.
inline std::vector<std::uint8_t> halves(std::size_t peers) {
  std::vector<std::uint8_t> sides(peers);
  for (std::size_t i = 0; i < peers; ++i) sides[i] = i % 2;
  return sides;
}

/// True if everybody alive can reach everybody.
inline bool connected(const Swarm& swarm) {
  const auto living = std::ranges::count(swarm.living(), true);
  return largest_component(graph_of(swarm), swarm.living()) == static_cast<std::size_t>(living);
}

}  // namespace dunlin::test
