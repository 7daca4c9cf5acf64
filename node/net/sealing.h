// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "node/identity/identity.h"
#include "node/net/drop_reason.h"
#include "node/net/keyring.h"
#include "node/net/peer_book.h"
#include "node/net/rate_limit.h"
#include "overlay/address.h"
#include "overlay/time.h"

namespace dunlin::node {

/// The beginning of a datagram, in the clear but sealed against change. Little end first:
///
///      0  version         u8
///      1  kind            u8     0 introduced, 1 paired, 2 twin, 3 greeting
///      2  cluster mark    u16
///      4  cluster key id  u16
///      6  sender's incarnation   u32
///     10  receiver's incarnation u32    0 if introduced or twin
///     14  counter         u64    of all that this incarnation of the sender sealed, from 1
///     22  sender's key    32 B   Ed25519
///     54  salt            16 B   drawn for each flush (twin: each datagram); salt and counter are
///                                the nonce
///     70  seconds         u32    the sender's wall clock, since 1970
///     74  ephemeral key   32 B   X25519, drawn when the sender started
///    106  sealed: introduced: signature 64 B, receiver's id u64 (0 if unknown),
///                             challenge u64 (0: do not greet), link messages
///                 paired:     body
///                 twin:       body
///                 greeting:   the challenge that is answered u64
///
/// Version, cluster mark and key id stay where they are in every version to come.
///
/// *Introduced*: sealed with the key of the whole cluster and signed. It names the sender,
/// and carries no message but of Layer::link, because any node may record it and send it again.
/// *Paired*: sealed with a key of the two identities, the two ephemeral keys and the cluster, and
/// bound to the receiver's incarnation: it can be made by the sender alone, and opened by the
/// receiver's present process alone. *Greeting*: the same, and answers an introduction. *Twin*:
/// sealed with a key that only holders of one identity have, between two of them.
namespace datagram {
inline constexpr std::uint8_t kVersion = 2;
inline constexpr std::size_t kHeader = 106;
inline constexpr std::size_t kIntroduction = 64 + 8 + 8;
inline constexpr std::size_t kTag = 16;
/// Room that sealing needs before and behind a body.
inline constexpr std::size_t kHeadroom = kHeader + kIntroduction;
inline constexpr std::size_t kTailroom = kTag;
inline constexpr std::size_t kOverheadMax = kHeadroom + kTailroom;
/// The part of it that is sent with a paired body.
inline constexpr std::size_t kOverhead = kHeader + kTag;
/// The size of a challenge, which is all the body of a greeting.
inline constexpr std::size_t kChallenge = 8;
/// The largest datagram opened: a jumbo frame's.
inline constexpr std::size_t kMax = 8952;
}  // namespace datagram

/// By which incarnation, and where, a peer is known, and how far it had counted its datagrams then.
struct KnownAs {
  std::uint32_t incarnation = 0;
  overlay::Address address;
  std::uint64_t counter = 0;
  friend bool operator==(const KnownAs&, const KnownAs&) = default;
};

/// The sender of an introduction, which awaits a greeting.
struct Caller {
  PublicKey key{};
  std::uint32_t incarnation = 0;
  PublicKey ephemeral{};
  std::uint64_t challenge = 0;
};

/// The outcome of opening a datagram.
struct Opened {
  std::optional<DropReason> dropped;
  overlay::PeerId from;             ///< Proven, if not dropped.
  std::span<const std::byte> body;  ///< In the datagram's own memory.
  /// The sender of an introduction to be greeted: it does not know our present incarnation.
  std::optional<Caller> greet;
  /// The datagram was sealed for another incarnation of ours, so nothing proves its sender `from`.
  /// An introduction tells the true sender which one we are.
  bool introduce = false;
  /// True if only messages of Layer::link in the body may be heard: the datagram is an
  /// introduction, or comes from another holder of our identity (`from` is our own id). They may be
  /// heard also if an introduction is dropped for its clock.
  bool link_only = false;
  /// A greeting: the challenge that it answers.
  std::uint64_t echo = 0;
  /// The sender, which is proven, should be told that this is how it is known here: it speaks as an
  /// earlier incarnation (superseded), as the same from another address, or counts what it counted
  /// before (replayed).
  std::optional<KnownAs> tell;
  bool first = false;  ///< Superseded, for the first time since it was heard.
  /// It spoke as an earlier incarnation for a while, and now as the latest.
  bool reinstated = false;
  /// The seconds that a proven sender's wall clock is ahead of ours, or less than 0 behind, if that
  /// is more than kClockSlack.
  std::int32_t clock_ahead = 0;
};

/// Seals and opens datagrams, and remembers the proven peers for it. No socket, no clock.
class Sealer {
 public:
  /// An introduction of an older or younger wall clock is refused: it may be a recording.
  static constexpr std::int32_t kClockSlack = 120;

  /// `incarnation` > 0 must exceed every earlier one of this identity. At most `rate_limit`
  /// datagrams a second are looked at from one IP address, and as many from each peer known there.
  Sealer(const Identity& identity,
      const Keyring& keyring,
      std::uint32_t incarnation,
      std::uint32_t rate_limit);

  /// The wall clock says so, in ns since 1970.
  void set_clock(std::int64_t wall_ns);
  /// Draws the salt of the datagrams that follow. Call before each flush: a machine that is resumed
  /// twice from one snapshot would otherwise seal two datagrams under one nonce.
  void draw_salt();

  /// Seals, in place, the body at `buffer[kHeadroom, kHeadroom + body_size)`. Requires kTailroom
  /// bytes behind it. Empty if the ephemeral key of the peer is not known: introduce first.
  std::optional<std::span<const std::byte>> seal(
      overlay::PeerId to, std::span<std::byte> buffer, std::size_t body_size);
  /// Likewise, without a pair key. The body holds link messages alone. `to` may be 0. `challenge`
  /// comes back in a greeting; 0 asks for none.
  std::span<const std::byte> introduce(overlay::PeerId to,
      std::uint64_t challenge,
      std::span<std::byte> buffer,
      std::size_t body_size);
  /// Answers an introduction. Requires a buffer of kOverheadMax + kChallenge bytes. Empty if the
  /// caller's keys are degenerate.
  std::optional<std::span<const std::byte>> greet(
      const Caller& caller, std::span<std::byte> buffer);
  /// Seals like seal(), for another process that has our identity.
  std::span<const std::byte> seal_for_twin(std::span<std::byte> buffer, std::size_t body_size);

  /// Opens a datagram in place. The checks are ordered by cost: length, version, key, rate,
  /// incarnation, seal, receiver, replay, signature.
  Opened open(std::span<std::byte> datagram, const overlay::Address& from, overlay::Time now);

  /// A stream has proven that the holder of this key is of this incarnation.
  void meet(const PublicKey& key, std::uint32_t incarnation);

  /// Other keys count from now on. Peers stay known, and pair keys are made anew as they are
  /// needed.
  void rotate(const Keyring& keyring);
  /// From now on we are a later incarnation.
  void raise(std::uint32_t incarnation);

  const Identity& identity() const { return identity_; }
  const Keyring& keyring() const { return keyring_; }
  std::uint32_t incarnation() const { return incarnation_; }
  /// The datagrams sealed so far. Peers cannot have seen a higher number of this incarnation.
  std::uint64_t counter() const { return counter_; }

 private:
  struct Header;
  struct Arrival;

  static Header read_header(const std::uint8_t* bytes);
  void write_header(std::uint8_t* to, std::uint8_t kind, std::uint32_t receiver_incarnation);
  /// Seals for one receiver: paired, greeting or twin.
  std::span<const std::byte> seal_paired(std::span<std::byte> buffer,
      std::size_t body_size,
      std::uint8_t kind,
      std::uint32_t receiver_incarnation,
      const Secret<32>& key);
  Opened open_introduced(const Arrival& arrival);
  /// An introduction that opened: checks receiver, clock and signature, and takes the sender in.
  Opened heed(const Arrival& arrival, std::span<const std::uint8_t> text);
  /// One from a peer of which the keys are known, for our present process.
  Opened open_paired(const Arrival& arrival);
  Opened open_twin(const Arrival& arrival);
  /// A datagram that is proven to be for us: takes it in unless it was seen before.
  Opened admit(KnownPeer& peer, const Arrival& arrival, std::span<const std::uint8_t> body);
  /// One of an earlier incarnation than is known.
  Opened supersede(KnownPeer& peer, overlay::Time now);
  /// One that has a number again.
  Opened repeat(KnownPeer& peer, overlay::Time now);
  /// The knowledge of the peer, if the peer was not told of it lately.
  std::optional<KnownAs> tell(KnownPeer& peer, overlay::Time now);
  /// The key of two processes: two key agreements, one of what lasts and one of what goes with
  /// them. Empty if a key is degenerate.
  std::optional<Secret<32>> make_pair_key(
      const PublicKey& peer, const PublicKey& ephemeral, const ClusterKey& key) const;
  /// Null if the peer's keys are degenerate.
  const Secret<32>* pair_key(KnownPeer& peer, const ClusterKey& key);
  /// The statement that an introduction signs.
  std::array<std::uint8_t, 64> statement(
      std::span<const std::uint8_t> header, std::span<const std::uint8_t> behind) const;
  /// Those that follow from the cluster keys alone.
  void derive_group_keys();

  Identity identity_;
  Keyring keyring_;
  std::uint32_t incarnation_;
  std::uint64_t counter_ = 0;
  std::int64_t wall_ns_ = 0;
  std::array<std::uint8_t, 16> salt_{};
  Secret<32> ephemeral_;
  PublicKey ephemeral_public_{};
  std::vector<Secret<32>> group_keys_;  // One for each key of the ring ...
  std::vector<Secret<32>> twin_keys_;   // ... likewise.
  PeerBook peers_;
  SeenTags introductions_;
  RateLimit rate_limit_;
  TokenBucket agreements_;     // A pair key that is not known costs two key agreements, ...
  TokenBucket verifications_;  // ... a signature half as much, ...
  TokenBucket refusals_;       // ... also that of an earlier incarnation, ...
  TokenBucket greetings_;      // ... and a greeting all of it.
  TokenBucket corrections_;    // Introductions to those that seal for another incarnation.
};

}  // namespace dunlin::node
