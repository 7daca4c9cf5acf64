// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "node/net/sealing.h"

// The common parts of sealing and opening a datagram.
namespace dunlin::node {

inline constexpr std::uint8_t kIntroduced = 0;
inline constexpr std::uint8_t kPaired = 1;
inline constexpr std::uint8_t kTwin = 2;
inline constexpr std::uint8_t kGreetingDatagram = 3;
inline constexpr std::size_t kDatagramNonce = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
static_assert(crypto_aead_xchacha20poly1305_ietf_ABYTES == datagram::kTag);

/// Salt and counter: the salt is drawn for each flush, and the counter tells the datagrams of one
/// flush apart.
inline std::array<std::uint8_t, kDatagramNonce> nonce_of(const std::uint8_t* header) {
  std::array<std::uint8_t, kDatagramNonce> nonce;
  std::copy_n(header + 54, 16, nonce.begin());
  std::copy_n(header + 14, 8, nonce.begin() + 16);
  return nonce;
}

struct Sealer::Header {
  std::uint8_t version;
  std::uint8_t kind;
  std::uint16_t cluster_mark;
  std::uint16_t key_id;
  std::uint32_t sender_incarnation;
  std::uint32_t receiver_incarnation;
  std::uint64_t counter;
  std::uint32_t seconds;
  PublicKey sender;
  PublicKey ephemeral;
};

/// A datagram that came, and what is known of it before it is opened.
struct Sealer::Arrival {
  const Header& header;
  std::span<std::uint8_t> bytes;
  const overlay::Address& from;
  overlay::Time now;
  overlay::PeerId sender;  ///< Claimed.
  const ClusterKey& cluster_key;
  KnownPeer* peer;  ///< The sender as it is known here, if it is.
};

}  // namespace dunlin::node
