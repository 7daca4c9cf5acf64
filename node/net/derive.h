// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "node/identity/secret.h"
#include "node/net/bytes.h"

namespace dunlin::node {

using Bytes = std::span<const std::uint8_t>;

/// BLAKE2b of `parts`, each preceded by its length so that no two lists look the same, under
/// `key` (which may be empty). `purpose` keeps hashes of one kind from passing for another's.
template <std::size_t N>
void derive(std::span<std::uint8_t, N> hash,
    Bytes key,
    std::string_view purpose,
    std::initializer_list<Bytes> parts) {
  static_assert(N >= crypto_generichash_BYTES_MIN && N <= crypto_generichash_BYTES_MAX);
  crypto_generichash_state state;
  crypto_generichash_init(&state, key.data(), key.size(), N);
  const auto add = [&state](Bytes part) {
    std::array<std::uint8_t, 4> length;
    put(length.data(), static_cast<std::uint32_t>(part.size()));
    crypto_generichash_update(&state, length.data(), length.size());
    crypto_generichash_update(&state, part.data(), part.size());
  };
  add(bytes_of(purpose));
  for (const Bytes part : parts) add(part);
  crypto_generichash_final(&state, hash.data(), N);
}

/// The same as a secret.
template <std::size_t N>
Secret<N> derive_secret(Bytes key, std::string_view purpose, std::initializer_list<Bytes> parts) {
  Secret<N> secret;
  derive(std::span<std::uint8_t, N>(secret.data(), N), key, purpose, parts);
  return secret;
}

}  // namespace dunlin::node
