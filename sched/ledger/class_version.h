// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// The version of a class table: the highest wins wherever two meet. The upper bits count editions;
// the lower 16 bits are chance. So if two people change the same table at the same moment, the same
// change wins everywhere.
namespace dunlin::sched {

inline constexpr int kChanceBits = 16;

/// The edition, which is what people see; 0 for no table at all.
constexpr std::uint64_t edition_of(std::uint64_t version) {
  return version >> kChanceBits;
}
/// The version of a table that changes one of `version`; `chance` gives the low bits.
constexpr std::uint64_t next_version(std::uint64_t version, std::uint64_t chance) {
  return (edition_of(version) + 1) << kChanceBits | (chance & ((1u << kChanceBits) - 1));
}

}  // namespace dunlin::sched
