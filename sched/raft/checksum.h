// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dunlin::sched {

namespace detail {

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0x82f63b78u : 0u);
    table[i] = rest;
  }
  return table;
}

inline constexpr auto kCrcTable = crc_table();

}  // namespace detail

/// CRC-32C (Castagnoli): finds what a disk garbles, not what an enemy forges.
/// Source: RFC 3720, appendix B.4, which has the check values of the tests.
constexpr std::uint32_t crc32c(std::span<const std::byte> bytes) {
  std::uint32_t sum = 0xffffffff;
  for (const std::byte byte : bytes) {
    sum = (sum >> 8) ^ detail::kCrcTable[(sum ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
  }
  return ~sum;
}

}  // namespace dunlin::sched
