// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "node/net/drop_reason.h"
#include "node/net/identity.h"
#include "node/net/keyring.h"
#include "node/net/peer_book.h"
#include "node/net/rate_limit.h"
#include "overlay/address.h"
#include "overlay/time.h"

namespace dunlin::node {

/// How a datagram begins, in the clear but sealed against change. Little end first:
///
///      0  version         u8
///      1  kind            u8     0 introduced, 1 paired
///      2  cluster mark    u16
///      4  cluster key id  u16
///      6  sender's life   u32
///     10  receiver's life u32    0 if introduced
///     14  counter         u64    of all that this life of the sender sealed, from 1
///     22  sender's key    32 B   Ed25519
///     54  salt            16 B   drawn when the sender started; salt and counter are the nonce
///     70  sealed: introduced: signature 64 B, receiver's id u64 (0 if unknown), body
///                 paired:     body
///
/// *Introduced*: sealed with the key of the whole cluster and signed; used until the sender has
/// heard from the receiver's present life. *Paired*: sealed with a key only the two share, and
/// bound to the receiver's life, so that nothing sent to an earlier life can be replayed.
namespace datagram {
inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::size_t kHeader = 70;
inline constexpr std::size_t kIntroduction = 64 + 8;
inline constexpr std::size_t kTag = 16;
/// Room that seal() needs before and behind a body.
inline constexpr std::size_t kHeadroom = kHeader + kIntroduction;
inline constexpr std::size_t kTailroom = kTag;
inline constexpr std::size_t kOverheadMax = kHeadroom + kTailroom;
/// The largest datagram opened: a jumbo frame's.
inline constexpr std::size_t kMax = 8952;
}  // namespace datagram

/// What came of a datagram.
struct Opened {
  std::optional<DropReason> dropped;
  overlay::PeerId from;             ///< Proven, if not dropped.
  std::span<const std::byte> body;  ///< In the datagram's own memory.
  /// The sender should be answered, by an empty datagram if there is nothing else to say: it does
  /// not know our present life. May be set on a dropped one (stale_life), whose `from` is proven.
  bool greet = false;
};

/// Seals and opens datagrams, and remembers for it which peers are who. No socket, no clock.
class Sealer {
 public:
  /// `life` > 0 must exceed that of every earlier life of this identity. At most `rate_limit`
  /// datagrams a second are looked at from one IP address.
  Sealer(const Identity& identity,
      const Keyring& keyring,
      std::uint32_t life,
      std::uint32_t rate_limit);

  struct Sealed {
    std::span<const std::byte> datagram;
    bool introduced;
  };
  /// Seals, in place, the body at `buffer[kHeadroom, kHeadroom + body_size)`. Requires kTailroom
  /// bytes behind it. `to` may be 0.
  Sealed seal(overlay::PeerId to, std::span<std::byte> buffer, std::size_t body_size);

  /// Opens a datagram in place. The checks are ordered by cost: length, version, rate, key, seal,
  /// replay, signature.
  Opened open(std::span<std::byte> datagram, const overlay::Address& from, overlay::Time now);

  /// A stream has proven that this key lives this life.
  void meet(const PublicKey& key, std::uint32_t life);

  void rotate(const Keyring& keyring);

  const Identity& identity() const { return identity_; }
  const Keyring& keyring() const { return keyring_; }
  std::uint32_t life() const { return life_; }

 private:
  struct Header;

  static Header read_header(const std::uint8_t* bytes);
  void write_header(std::uint8_t* to, std::uint8_t kind, std::uint32_t receiver_life);
  Opened open_introduced(const Header& header, std::span<std::uint8_t> datagram);
  Opened open_paired(const Header& header, std::span<std::uint8_t> datagram, overlay::Time now);
  /// True if the datagram is new; remembers it.
  bool admit(KnownPeer& peer, std::uint32_t life, std::uint64_t counter);
  std::optional<Secret<32>> make_pair_key(const PublicKey& peer, const ClusterKey& key) const;
  /// Null if the peer's key is degenerate.
  const Secret<32>* pair_key(KnownPeer& peer, const ClusterKey& key);
  /// What an introduction signs.
  std::array<std::uint8_t, 64> statement(
      std::span<const std::uint8_t> header, std::span<const std::uint8_t> receiver_and_body) const;
  void derive_group_keys();

  Identity identity_;
  Keyring keyring_;
  std::uint32_t life_;
  std::uint64_t counter_ = 0;
  std::array<std::uint8_t, 16> salt_{};
  std::vector<Secret<32>> group_keys_;  // One for each key of the ring.
  PeerBook peers_;
  RateLimit rate_limit_;
  TokenBucket strangers_;  // Unknown keys cost a key agreement before their seal can be checked.
  TokenBucket greetings_;
};

}  // namespace dunlin::node
