// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// Bytes as the network, libsodium and the protocols see them.
namespace dunlin::node {

/// Writes `value`, little end first, to sizeof(value) bytes.
template <std::unsigned_integral T>
constexpr void put(std::uint8_t* to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    to[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
}

/// Reads what put() wrote.
template <std::unsigned_integral T>
constexpr T get(const std::uint8_t* from) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= std::uint64_t{from[i]} << (8 * i);
  return static_cast<T>(value);
}

inline std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace dunlin::node
