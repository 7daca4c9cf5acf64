// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <sodium.h>
#include <span>

#include "overlay/ensure.h"

namespace dunlin::node {

/// Bytes that are wiped when they go. A value: every copy wipes itself.
template <std::size_t N>
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::span<const std::uint8_t, N> bytes) {
    std::copy(bytes.begin(), bytes.end(), bytes_.begin());
  }
  Secret(const Secret&) = default;
  Secret& operator=(const Secret&) = default;
  ~Secret() { sodium_memzero(bytes_.data(), N); }

  static constexpr std::size_t size() { return N; }
  std::uint8_t* data() { return bytes_.data(); }
  const std::uint8_t* data() const { return bytes_.data(); }

  /// In constant time.
  friend bool operator==(const Secret& a, const Secret& b) {
    return sodium_memcmp(a.data(), b.data(), N) == 0;
  }

 private:
  std::array<std::uint8_t, N> bytes_{};
};

/// Readies libsodium; cheap when done before. Every function that makes keys calls it first.
inline void start_sodium() {
  ensure(sodium_init() >= 0, "libsodium finds no source of chance");
}

}  // namespace dunlin::node
