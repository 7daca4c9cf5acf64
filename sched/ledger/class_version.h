// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// The version of a class table: the highest wins, wherever two meet. What counts up is its edition;
// below that stand 16 bits of chance. So of two tables that two people made of the same one at the
// same moment, the same wins everywhere.
namespace dunlin::sched {

inline constexpr int kChanceBits = 16;

/// What people call the version: 0 for no table at all.
constexpr std::uint64_t edition_of(std::uint64_t version) {
  return version >> kChanceBits;
}
/// Of a table that is made of one of `version`, with bits of chance.
constexpr std::uint64_t next_version(std::uint64_t version, std::uint64_t chance) {
  return (edition_of(version) + 1) << kChanceBits | (chance & ((1u << kChanceBits) - 1));
}

}  // namespace dunlin::sched
