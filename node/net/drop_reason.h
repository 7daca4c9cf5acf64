// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dunlin::node {

/// Why bytes from the network were refused. In the order in which they are checked; each is counted
/// and none is logged: whoever sends garbage decides how often.
enum class DropReason : std::uint8_t {
  too_short,      ///< Less than a header and a seal.
  too_long,       ///< More than a datagram, a frame or a message may have.
  version,        ///< Another version of the wire format, or not Dunlin at all.
  rate,           ///< Its address sends more than its share.
  wrong_cluster,  ///< Another cluster's: two clusters share a network.
  key,            ///< Sealed with a cluster key that is not in our key file.
  own,            ///< Our own bytes, reflected.
  forged,         ///< The seal does not fit: altered, or sealed with another key.
  replayed,       ///< Seen before, too old to tell, or from an earlier life of its sender.
  signature,      ///< Sealed by a holder of the cluster key who is not the peer it says it is.
  misdirected,    ///< For another peer, which had our address before us.
  stale_life,     ///< For an earlier life of ours.
  malformed,      ///< Sealed well, and makes no sense: a bug or a newer peer.
  truncated,      ///< A stream that stopped before its end.
  too_many,       ///< One connection more than allowed.
  too_slow,       ///< A handshake, or a reader, that did not get on.
};

inline constexpr std::size_t kDropReasons = 16;
inline constexpr std::array<std::string_view, kDropReasons> kDropReasonWords = {"too_short",
    "too_long", "version", "rate", "wrong_cluster", "key", "own", "forged", "replayed", "signature",
    "misdirected", "stale_life", "malformed", "truncated", "too_many", "too_slow"};

constexpr std::string_view to_string(DropReason reason) {
  return kDropReasonWords[static_cast<std::size_t>(reason)];
}

/// How often each reason applied.
class DropCounts {
 public:
  constexpr void add(DropReason reason) { ++counts_[static_cast<std::size_t>(reason)]; }
  constexpr std::uint64_t operator[](DropReason reason) const {
    return counts_[static_cast<std::size_t>(reason)];
  }
  constexpr std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const auto count : counts_) sum += count;
    return sum;
  }

 private:
  std::array<std::uint64_t, kDropReasons> counts_{};
};

}  // namespace dunlin::node
