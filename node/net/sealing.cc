// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>

#include "node/net/bytes.h"
#include "node/net/derive.h"
#include "node/net/sealing_parts.h"
#include "overlay/ensure.h"

// Keys, and how a datagram is sealed. Messages go under a key that sender and receiver alone can
// make, from their identities and from ephemeral keys that end with their processes: an
// attacker that records them, and steals identity and cluster key later, reads nothing. A peer that
// was not heard from is told our ephemeral key by an introduction, which any node may send again,
// so it carries no message.
namespace dunlin::node {
namespace {

/// Seals `size` bytes behind the header in place.
void encrypt(std::uint8_t* header, std::size_t size, const Secret<32>& key) {
  const auto nonce = nonce_of(header);
  std::uint8_t* const text = header + datagram::kHeader;
  crypto_aead_xchacha20poly1305_ietf_encrypt(
      text, nullptr, text, size, header, datagram::kHeader, nullptr, nonce.data(), key.data());
}

/// The key of processes that hold both the secret and the cluster key.
Secret<32> twin_key(const Identity& identity, const ClusterKey& key, const std::string& cluster) {
  PublicKey exchange;
  Secret<32> shared;
  ensure(exchange_key(identity.public_key(), exchange) && identity.agree(exchange, shared),
      "an identity that is degenerate");
  return derive_secret<32>({key.secret.data(), key.secret.size()}, "dunlin datagram twin",
      {{shared.data(), shared.size()}, identity.public_key(), bytes_of(cluster)});
}

void check_room(std::span<std::byte> buffer, std::size_t body_size) {
  ensure(
      buffer.size() >= datagram::kOverheadMax + body_size, "a datagram without room for its seal");
}

}  // namespace

Sealer::Sealer(const Identity& identity,
    const Keyring& keyring,
    std::uint32_t incarnation,
    std::uint32_t rate_limit)
    : identity_(identity),
      keyring_(keyring),
      incarnation_(incarnation),
      rate_limit_(rate_limit) {
  ensure(incarnation > 0, "incarnation 0 means unknown");
  start_sodium();
  crypto_box_keypair(ephemeral_public_.data(), ephemeral_.data());
  draw_salt();
  derive_group_keys();
}

void Sealer::set_clock(std::int64_t wall_ns) {
  wall_ns_ = wall_ns;
}

void Sealer::draw_salt() {
  randombytes_buf(salt_.data(), salt_.size());
  // A system that was resumed twice may draw alike at first, but not at the same time.
  std::array<std::uint8_t, 8> time;
  put(time.data(), static_cast<std::uint64_t>(wall_ns_));
  for (std::size_t i = 0; i < time.size(); ++i) salt_[i] ^= time[i];
}

void Sealer::rotate(const Keyring& keyring) {
  keyring_ = keyring;
  // They rest on the cluster key, too. Peers stay known: identities and windows do not change with
  // it.
  peers_.forget_pair_keys();
  derive_group_keys();
}

void Sealer::raise(std::uint32_t incarnation) {
  ensure(incarnation > incarnation_, "an incarnation that is not later");
  incarnation_ = incarnation;
}

void Sealer::derive_group_keys() {
  group_keys_.clear();
  twin_keys_.clear();
  for (const ClusterKey& key : keyring_.keys()) {
    group_keys_.push_back(derive_secret<32>({key.secret.data(), key.secret.size()},
        "dunlin datagram group", {bytes_of(keyring_.cluster())}));
    twin_keys_.push_back(twin_key(identity_, key, keyring_.cluster()));
  }
}

std::optional<Secret<32>> Sealer::make_pair_key(
    const PublicKey& peer, const PublicKey& ephemeral, const ClusterKey& key) const {
  PublicKey exchange;
  Secret<32> lasting;
  Secret<32> passing;
  if (!exchange_key(peer, exchange) || !identity_.agree(exchange, lasting)) return std::nullopt;
  if (crypto_scalarmult_curve25519(passing.data(), ephemeral_.data(), ephemeral.data()) != 0) {
    return std::nullopt;
  }
  // Both sides must hash the same: the party with the smaller key first.
  const PublicKey& own = identity_.public_key();
  const bool first = own < peer;
  return derive_secret<32>({key.secret.data(), key.secret.size()}, "dunlin datagram pair",
      {{lasting.data(), lasting.size()}, {passing.data(), passing.size()}, first ? own : peer,
          first ? peer : own, first ? ephemeral_public_ : ephemeral,
          first ? ephemeral : ephemeral_public_, bytes_of(keyring_.cluster())});
}

const Secret<32>* Sealer::pair_key(KnownPeer& peer, const ClusterKey& key) {
  // Two: while keys are rotated, a peer may answer under the old one to what was sent under the
  // new.
  for (const auto& known : peer.pair_keys) {
    if (known && known->cluster_key_id == key.id) return &known->secret;
  }
  if (!peer.ephemeral) return nullptr;
  auto made = make_pair_key(peer.key, *peer.ephemeral, key);
  if (!made) return nullptr;
  std::swap(peer.pair_keys[0], peer.pair_keys[1]);
  peer.pair_keys[0] = PairKey{.cluster_key_id = key.id, .secret = *made};
  return &peer.pair_keys[0]->secret;
}

std::array<std::uint8_t, 64> Sealer::statement(
    std::span<const std::uint8_t> header, std::span<const std::uint8_t> behind) const {
  std::array<std::uint8_t, 64> hash;
  derive(std::span(hash), {}, "dunlin datagram introduction",
      {bytes_of(keyring_.cluster()), header, behind});
  return hash;
}

void Sealer::write_header(std::uint8_t* to, std::uint8_t kind, std::uint32_t receiver_incarnation) {
  to[0] = datagram::kVersion;
  to[1] = kind;
  put(to + 2, keyring_.cluster_mark());
  put(to + 4, keyring_.primary().id);
  put(to + 6, incarnation_);
  put(to + 10, receiver_incarnation);
  // Never the same twice under one key: receivers refuse a number they have seen, and the nonce is
  // made of it.
  put(to + 14, ++counter_);
  std::ranges::copy(identity_.public_key(), to + 22);
  std::ranges::copy(salt_, to + 54);
  put(to + 70, static_cast<std::uint32_t>(wall_ns_ / 1'000'000'000));
  std::ranges::copy(ephemeral_public_, to + 74);
}

std::span<const std::byte> Sealer::seal_paired(std::span<std::byte> buffer,
    std::size_t body_size,
    std::uint8_t kind,
    std::uint32_t receiver_incarnation,
    const Secret<32>& key) {
  auto* const header = reinterpret_cast<std::uint8_t*>(buffer.data()) + datagram::kIntroduction;
  write_header(header, kind, receiver_incarnation);
  // Two processes that were one, before their machine was copied, have one salt.
  if (kind == kTwin) randombytes_buf(header + 54, salt_.size());
  encrypt(header, body_size, key);
  return buffer.subspan(datagram::kIntroduction, datagram::kOverhead + body_size);
}

std::optional<std::span<const std::byte>> Sealer::seal(
    overlay::PeerId to, std::span<std::byte> buffer, std::size_t body_size) {
  check_room(buffer, body_size);
  KnownPeer* const peer = to ? peers_.find(to) : nullptr;
  const Secret<32>* const key = peer ? pair_key(*peer, keyring_.primary()) : nullptr;
  if (!key) return std::nullopt;
  return seal_paired(buffer, body_size, kPaired, peer->incarnation, *key);
}

std::optional<std::span<const std::byte>> Sealer::greet(
    const Caller& caller, std::span<std::byte> buffer) {
  check_room(buffer, datagram::kChallenge);
  put(reinterpret_cast<std::uint8_t*>(buffer.data()) + datagram::kHeadroom, caller.challenge);
  KnownPeer* const peer = peers_.find(peer_id(caller.key));
  // A caller that is not in the table is answered without being put there: whoever sends
  // introductions by the million must not fill it.
  if (peer && peer->key == caller.key && peer->ephemeral == caller.ephemeral) {
    const Secret<32>* const key = pair_key(*peer, keyring_.primary());
    if (!key) return std::nullopt;
    return seal_paired(buffer, datagram::kChallenge, kGreetingDatagram, caller.incarnation, *key);
  }
  const auto key = make_pair_key(caller.key, caller.ephemeral, keyring_.primary());
  if (!key) return std::nullopt;
  return seal_paired(buffer, datagram::kChallenge, kGreetingDatagram, caller.incarnation, *key);
}

std::span<const std::byte> Sealer::introduce(overlay::PeerId to,
    std::uint64_t challenge,
    std::span<std::byte> buffer,
    std::size_t body_size) {
  check_room(buffer, body_size);
  auto* const start = reinterpret_cast<std::uint8_t*>(buffer.data());
  std::uint8_t* const behind = start + datagram::kHeader + 64;
  write_header(start, kIntroduced, 0);
  put(behind, to.value);
  put(behind + 8, challenge);
  // Signed, as the group's key alone would let any member introduce any other with a key of its
  // own.
  identity_.sign(
      statement({start, datagram::kHeader}, {behind, 8 + datagram::kChallenge + body_size}),
      std::span<std::uint8_t, 64>(start + datagram::kHeader, 64));
  encrypt(start, datagram::kIntroduction + body_size, group_keys_.front());
  return buffer.first(datagram::kOverheadMax + body_size);
}

std::span<const std::byte> Sealer::seal_for_twin(
    std::span<std::byte> buffer, std::size_t body_size) {
  check_room(buffer, body_size);
  return seal_paired(buffer, body_size, kTwin, 0, twin_keys_.front());
}

void Sealer::meet(const PublicKey& key, std::uint32_t incarnation) {
  if (incarnation == 0) return;
  const overlay::PeerId id = peer_id(key);
  KnownPeer* peer = peers_.find(id);
  if (!peer) peer = &peers_.add(id, key);
  // An older life of it must not undo the newer one's window, or its messages could be repeated.
  if (peer->key != key || incarnation <= peer->incarnation) return;
  peer->incarnation = incarnation;
  peer->window = {};
  peer->address = {};  // A stream comes from any port.
  peer->ephemeral.reset();
  peer->pair_keys = {};
}

}  // namespace dunlin::node
