// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "node/identity/secret.h"
#include "node/net/bytes.h"
#include "overlay/address.h"
#include "overlay/time.h"

namespace dunlin::node {

/// A token bucket kept as one number: when it will be full again. Holds two seconds' worth.
/// Source: the generic cell rate algorithm, ITU-T I.371.
class TokenBucket {
 public:
  /// Takes a token, or returns false. Requires per_second > 0.
  bool take(overlay::Time now, std::uint32_t per_second) {
    // A duration in whole seconds divided by a rate would be none at all.
    const overlay::Duration share = overlay::Duration{std::chrono::seconds(1)} / per_second;
    const overlay::Time next = std::max(full_at_, now) + share;
    if (next - now > std::chrono::seconds(2)) return false;
    full_at_ = next;
    return true;
  }

 private:
  overlay::Time full_at_{};
};

/// The network that an address counts for: the IPv4 address, or the first half (/64) of an IPv6
/// one, all of which one host may use.
inline std::uint64_t network_of(const overlay::Address& address) {
  return address.is_v4() ? address.low : address.high;
}

/// One token bucket for each IP address (IPv6: /64), in a fixed 32 KiB however many call: addresses
/// share buckets by a keyed hash, so that a stranger cannot choose another's bucket to drain.
class RateLimit {
 public:
  explicit RateLimit(std::uint32_t per_second) : per_second_(per_second), buckets_(kBuckets) {
    start_sodium();
    crypto_shorthash_keygen(key_.data());
  }

  bool admit(const overlay::Address& from, overlay::Time now) {
    std::array<std::uint8_t, 8> network;
    put(network.data(), network_of(from));
    std::array<std::uint8_t, crypto_shorthash_BYTES> hash;
    crypto_shorthash(hash.data(), network.data(), network.size(), key_.data());
    return buckets_[get<std::uint64_t>(hash.data()) % kBuckets].take(now, per_second_);
  }

  std::uint32_t per_second() const { return per_second_; }

 private:
  static constexpr std::size_t kBuckets = 4096;

  std::uint32_t per_second_;
  std::vector<TokenBucket> buckets_;
  std::array<std::uint8_t, crypto_shorthash_KEYBYTES> key_{};
};

}  // namespace dunlin::node
