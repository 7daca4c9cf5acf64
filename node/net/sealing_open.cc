// SPDX-License-Identifier: MIT
#include <array>
#include <cstdlib>
#include <utility>

#include "node/net/bytes.h"
#include "node/net/sealing_parts.h"

// Opening a datagram. Checks come in the order of their cost, so that a stranger buys little work;
// each that costs a key agreement or a signature has a bucket of its own besides. A paired datagram
// that passes all is proven to be its sender's, for this process, and new. An introduction may be a
// recording, so it makes us greet its sender, and no more. An earlier incarnation than is known may
// be a replay, or a node that lost its memory: it is dropped, and told so.
namespace dunlin::node {
namespace {

/// So often at most strangers make this node do each of these: agree on a key, verify a signature,
/// greet, say that it is another incarnation by now, refuse an earlier one.
constexpr std::uint32_t kAgreementsPerSecond = 500;
constexpr std::uint32_t kVerificationsPerSecond = 1000;
constexpr std::uint32_t kGreetingsPerSecond = 500;
constexpr std::uint32_t kCorrectionsPerSecond = 200;
constexpr std::uint32_t kRefusalsPerSecond = 50;
/// The part of a header that every version of the wire has in common.
constexpr std::size_t kAnyHeader = 6;
/// The least time between two notices to a peer of how it is known here. It must not depend on how
/// often the peer speaks, or an attacker that replays it.
constexpr overlay::Duration kTellAgain = std::chrono::seconds(1);

/// In place. The header is not encrypted, but the seal covers it as well.
bool decrypt(std::span<std::uint8_t> datagram, const Secret<32>& key) {
  const auto nonce = nonce_of(datagram.data());
  const auto sealed = datagram.subspan(datagram::kHeader);
  return crypto_aead_xchacha20poly1305_ietf_decrypt(sealed.data(), nullptr, nullptr, sealed.data(),
             sealed.size(), datagram.data(), datagram::kHeader, nonce.data(), key.data()) == 0;
}

/// The plain text that decrypt() left.
std::span<std::uint8_t> opened_text(std::span<std::uint8_t> datagram) {
  return datagram.subspan(datagram::kHeader, datagram.size() - datagram::kHeader - datagram::kTag);
}

/// Nothing is told of it but why.
Opened drop(DropReason reason) {
  return {.dropped = reason, .from = {}, .body = {}, .greet = {}, .tell = {}};
}

/// The seconds that a sender's clock is ahead of ours; 0 if that is little.
std::int32_t clock_ahead(std::uint32_t theirs, std::int64_t wall_ns) {
  // The difference is right as long as the clocks are less than 68 years apart.
  const auto ours = static_cast<std::uint32_t>(wall_ns / 1'000'000'000);
  const auto ahead = static_cast<std::int32_t>(theirs - ours);
  return ahead >= -Sealer::kClockSlack && ahead <= Sealer::kClockSlack ? 0 : ahead;
}

}  // namespace

Sealer::Header Sealer::read_header(const std::uint8_t* bytes) {
  Header header{.version = bytes[0],
      .kind = bytes[1],
      .cluster_mark = get<std::uint16_t>(bytes + 2),
      .key_id = get<std::uint16_t>(bytes + 4),
      .sender_incarnation = get<std::uint32_t>(bytes + 6),
      .receiver_incarnation = get<std::uint32_t>(bytes + 10),
      .counter = get<std::uint64_t>(bytes + 14),
      .seconds = get<std::uint32_t>(bytes + 70),
      .sender = {},
      .ephemeral = {}};
  std::copy_n(bytes + 22, header.sender.size(), header.sender.begin());
  std::copy_n(bytes + 74, header.ephemeral.size(), header.ephemeral.begin());
  return header;
}

Opened Sealer::open(
    std::span<std::byte> datagram, const overlay::Address& from, overlay::Time now) {
  if (datagram.size() < kAnyHeader) return drop(DropReason::too_short);
  if (datagram.size() > datagram::kMax) return drop(DropReason::too_long);
  const std::span<std::uint8_t> bytes{
      reinterpret_cast<std::uint8_t*>(datagram.data()), datagram.size()};
  if (bytes[0] != datagram::kVersion) {
    // Both, for people are told to upgrade all agents: a stranger's chance bytes must not say it.
    const bool ours = get<std::uint16_t>(bytes.data() + 2) == keyring_.cluster_mark() &&
        keyring_.find(get<std::uint16_t>(bytes.data() + 4)) != nullptr;
    return drop(ours ? DropReason::other_version : DropReason::version);
  }
  if (bytes.size() < datagram::kOverhead) return drop(DropReason::too_short);
  const Header header = read_header(bytes.data());
  if (header.kind > kGreetingDatagram) return drop(DropReason::version);
  if (header.cluster_mark != keyring_.cluster_mark()) return drop(DropReason::wrong_cluster);
  const ClusterKey* const cluster_key = keyring_.find(header.key_id);
  if (!cluster_key) return drop(DropReason::key);

  const overlay::PeerId sender = peer_id(header.sender);
  KnownPeer* const peer = peers_.peek(sender);
  // Many peers may be behind one address. Those known there do not share with strangers.
  const bool at_home = peer && peer->address == from;
  if (!(at_home ? peer->arrivals.take(now, rate_limit_.per_second())
                : rate_limit_.admit(from, now))) {
    return drop(DropReason::rate);
  }
  if (peer && peer->key != header.sender) return drop(DropReason::forged);
  const Arrival arrival{header, bytes, from, now, sender, *cluster_key, peer};
  const bool own = header.sender == identity_.public_key();
  if (header.kind == kTwin) return own ? open_twin(arrival) : drop(DropReason::forged);
  if (own) return drop(DropReason::own);
  return header.kind == kIntroduced ? open_introduced(arrival) : open_paired(arrival);
}

// The key is one that only this identity can derive, so its holder is a copy of this node, or was
// one.
Opened Sealer::open_twin(const Arrival& arrival) {
  const auto which = &arrival.cluster_key - keyring_.keys().data();
  if (!decrypt(arrival.bytes, twin_keys_[static_cast<std::size_t>(which)])) {
    return drop(DropReason::forged);
  }
  return {.dropped = {},
      .from = identity_.id(),
      .body = std::as_bytes(opened_text(arrival.bytes)),
      .greet = {},
      .link_only = true,
      .tell = {}};
}

// Sealed with a key of the whole cluster, so any member could have made it: its signature counts,
// and comes last because it is the dearest check.
Opened Sealer::open_introduced(const Arrival& arrival) {
  const Header& header = arrival.header;
  const auto tag = get<std::uint64_t>(arrival.bytes.last(datagram::kTag).data());
  if (introductions_.contains(tag)) return drop(DropReason::replayed);
  const auto which = &arrival.cluster_key - keyring_.keys().data();
  if (!decrypt(arrival.bytes, group_keys_[static_cast<std::size_t>(which)])) {
    return drop(DropReason::forged);
  }
  const auto text = opened_text(arrival.bytes);
  if (text.size() < datagram::kIntroduction) return drop(DropReason::malformed);
  const auto receiver = get<std::uint64_t>(text.data() + 64);
  if (receiver != 0 && receiver != identity_.id().value) {
    introductions_.add(tag);
    return drop(DropReason::misdirected);
  }

  const KnownPeer* const peer = arrival.peer;
  const bool superseded = peer && header.sender_incarnation < peer->incarnation;
  if (superseded && !refusals_.take(arrival.now, kRefusalsPerSecond)) {
    return drop(DropReason::superseded);
  }
  if (peer && header.sender_incarnation == peer->incarnation &&
      !peer->window.fresh(header.counter)) {
    return drop(DropReason::replayed);
  }
  if (!verifications_.take(arrival.now, kVerificationsPerSecond)) return drop(DropReason::rate);
  if (!verify(header.sender, statement(arrival.bytes.first(datagram::kHeader), text.subspan(64)),
          std::span<const std::uint8_t, 64>(text.data(), 64))) {
    return drop(DropReason::signature);
  }
  introductions_.add(tag);
  return heed(arrival, text);
}

/// An introduction that its sender has signed, now or at some time.
Opened Sealer::heed(const Arrival& arrival, std::span<const std::uint8_t> text) {
  const Header& header = arrival.header;
  if (header.sender_incarnation == 0 || header.receiver_incarnation != 0) {
    return drop(DropReason::malformed);
  }
  KnownPeer* peer = arrival.peer;
  if (peer && header.sender_incarnation < peer->incarnation) return supersede(*peer, arrival.now);

  std::optional<Caller> caller;
  const auto challenge = get<std::uint64_t>(text.data() + 64 + 8);
  if (challenge != 0 && greetings_.take(arrival.now, kGreetingsPerSecond)) {
    caller = Caller{.key = header.sender,
        .incarnation = header.sender_incarnation,
        .ephemeral = header.ephemeral,
        .challenge = challenge};
  }
  const std::int32_t ahead = clock_ahead(header.seconds, wall_ns_);
  if (ahead != 0) {
    // The sender may be there, with a wrong clock: then it answers a greeting by a paired datagram.
    Opened opened = drop(DropReason::clock);
    opened.from = arrival.sender;
    opened.greet = caller;
    opened.clock_ahead = ahead;
    // It may say how this node is known there: a copy of this node is found so, of
    // which the own introductions are no news. Repeated it does no harm.
    opened.body = std::as_bytes(text.subspan(datagram::kIntroduction));
    opened.link_only = true;
    return opened;
  }
  if (!peer) peer = &peers_.add(arrival.sender, header.sender);
  Opened opened = admit(*peer, arrival, text.subspan(datagram::kIntroduction));
  opened.link_only = true;
  if (!opened.dropped) opened.greet = caller;
  return opened;
}

// Sealed with a key that these two nodes alone have, for these two incarnations: it needs no
// signature.
Opened Sealer::open_paired(const Arrival& arrival) {
  const Header& header = arrival.header;
  KnownPeer* peer = arrival.peer;
  if (header.receiver_incarnation != incarnation_) {
    Opened stale = drop(DropReason::stale_incarnation);
    stale.from = arrival.sender;
    stale.introduce = corrections_.take(arrival.now, kCorrectionsPerSecond);
    return stale;
  }
  const bool met = peer && peer->ephemeral == header.ephemeral;
  const bool ready = met && peer->holds_pair_key(header.key_id);
  if (!ready && !agreements_.take(arrival.now, kAgreementsPerSecond)) return drop(DropReason::rate);
  std::optional<Secret<32>> made;
  if (!met) made = make_pair_key(header.sender, header.ephemeral, arrival.cluster_key);
  const Secret<32>* const key =
      met ? pair_key(*peer, arrival.cluster_key) : (made ? &*made : nullptr);
  if (!key || !decrypt(arrival.bytes, *key)) return drop(DropReason::forged);

  const auto text = opened_text(arrival.bytes);
  const bool greeting = header.kind == kGreetingDatagram;
  if (header.sender_incarnation == 0 || (greeting && text.size() != datagram::kChallenge)) {
    return drop(DropReason::malformed);
  }
  if (!peer) peer = &peers_.add(arrival.sender, header.sender);
  Opened opened = admit(*peer, arrival, text);
  if (opened.dropped) return opened;
  if (made) peer->pair_keys[0] = PairKey{.cluster_key_id = header.key_id, .secret = *made};
  if (greeting) {
    opened.echo = get<std::uint64_t>(text.data());
    opened.body = {};
  }
  opened.clock_ahead = clock_ahead(header.seconds, wall_ns_);
  return opened;
}

Opened Sealer::admit(KnownPeer& peer, const Arrival& arrival, std::span<const std::uint8_t> body) {
  const Header& header = arrival.header;
  if (header.sender_incarnation < peer.incarnation) return supersede(peer, arrival.now);
  Opened opened{
      .dropped = {}, .from = peer.id, .body = std::as_bytes(body), .greet = {}, .tell = {}};
  if (header.sender_incarnation > peer.incarnation) {
    peer.incarnation = header.sender_incarnation;
    peer.window = {};
    peer.address = arrival.from;
    opened.reinstated = std::exchange(peer.superseded, false);
  }
  if (!peer.window.fresh(header.counter)) return repeat(peer, arrival.now);
  if (peer.address && peer.address != arrival.from) opened.tell = tell(peer, arrival.now);
  peer.window.mark(header.counter);
  peer.address = arrival.from;
  if (peer.ephemeral != header.ephemeral) {
    peer.ephemeral = header.ephemeral;
    peer.pair_keys = {};
  }
  peers_.find(peer.id);  // It counts as used.
  return opened;
}

Opened Sealer::supersede(KnownPeer& peer, overlay::Time now) {
  Opened opened = drop(DropReason::superseded);
  opened.from = peer.id;
  opened.tell = tell(peer, now);
  opened.first = !std::exchange(peer.superseded, true);
  return opened;
}

// An attacker that recorded the datagram may have sent it. Then the peer has counted further, and
// takes no notice. If it has not, its machine was set back.
Opened Sealer::repeat(KnownPeer& peer, overlay::Time now) {
  Opened opened = drop(DropReason::replayed);
  opened.from = peer.id;
  opened.tell = tell(peer, now);
  return opened;
}

std::optional<KnownAs> Sealer::tell(KnownPeer& peer, overlay::Time now) {
  const bool lately = peer.told && now - *peer.told < kTellAgain;
  if (lately || !greetings_.take(now, kGreetingsPerSecond)) return std::nullopt;
  peer.told = now;
  return KnownAs{peer.incarnation, peer.address, peer.window.newest()};
}

}  // namespace dunlin::node
