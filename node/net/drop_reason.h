// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dunlin::node {

/// Why bytes from the network were refused. About in the order in which they are checked; each is
/// counted and none is logged: a sender of garbage would fill the log.
enum class DropReason : std::uint8_t {
  too_short,          ///< Less than a header and a seal.
  too_long,           ///< More than a datagram, a frame or a message may have.
  version,            ///< Not Dunlin at all, or another cluster's other version of the wire format.
  other_version,      ///< Of our cluster, in another version of the wire format.
  rate,               ///< Its address, or its kind, costs more than its share.
  wrong_cluster,      ///< Another cluster's: two clusters share a network.
  key,                ///< Sealed with a cluster key that is not in our key file.
  own,                ///< Our own bytes, reflected.
  forged,             ///< The seal does not fit: altered, or sealed with another key.
  replayed,           ///< Seen before, or too old to tell.
  superseded,         ///< From an earlier incarnation of its sender than is known here.
  signature,          ///< A holder of the cluster key posed as another peer.
  clock,              ///< An introduction minutes old: a recording, or a wrong clock.
  misdirected,        ///< Meant for a peer that had our address before.
  stale_incarnation,  ///< Meant for an earlier incarnation of ours.
  malformed,          ///< Sealed well, and makes no sense: a bug or a newer peer.
  truncated,          ///< A stream that stopped before its end.
  too_many,           ///< One connection more than allowed.
  too_slow,           ///< A handshake, or a reader, that did not get on.
};

inline constexpr std::size_t kDropReasons = 19;
/// By DropReason: a new reason needs its word at the same place.
inline constexpr std::array<std::string_view, kDropReasons> kDropReasonWords = {"too_short",
    "too_long", "version", "other_version", "rate", "wrong_cluster", "key", "own", "forged",
    "replayed", "superseded", "signature", "clock", "misdirected", "stale_incarnation", "malformed",
    "truncated", "too_many", "too_slow"};

constexpr std::string_view to_string(DropReason reason) {
  return kDropReasonWords[static_cast<std::size_t>(reason)];
}

/// The counts of each reason.
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
