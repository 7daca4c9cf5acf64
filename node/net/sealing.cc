// SPDX-License-Identifier: MIT
#include "node/net/sealing.h"

#include <algorithm>
#include <array>

#include "node/net/bytes.h"
#include "node/net/derive.h"
#include "overlay/ensure.h"

namespace dunlin::node {
namespace {

using namespace datagram;

constexpr std::uint8_t kIntroduced = 0;
constexpr std::uint8_t kPaired = 1;
constexpr std::size_t kNonce = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
static_assert(crypto_aead_xchacha20poly1305_ietf_ABYTES == kTag);

constexpr std::uint32_t kStrangersPerSecond = 500;
constexpr std::uint32_t kGreetingsPerSecond = 200;

/// Salt and counter: no two datagrams of any life have the same, without asking the system for
/// chance each time.
std::array<std::uint8_t, kNonce> nonce_of(const std::uint8_t* header) {
  std::array<std::uint8_t, kNonce> nonce;
  std::copy_n(header + 54, 16, nonce.begin());
  std::copy_n(header + 14, 8, nonce.begin() + 16);
  return nonce;
}

/// Seals `size` bytes behind the header in place.
void encrypt(std::uint8_t* header, std::size_t size, const Secret<32>& key) {
  const auto nonce = nonce_of(header);
  std::uint8_t* const text = header + kHeader;
  crypto_aead_xchacha20poly1305_ietf_encrypt(
      text, nullptr, text, size, header, kHeader, nullptr, nonce.data(), key.data());
}

bool decrypt(std::span<std::uint8_t> datagram, const Secret<32>& key) {
  const auto nonce = nonce_of(datagram.data());
  const auto sealed = datagram.subspan(kHeader);
  return crypto_aead_xchacha20poly1305_ietf_decrypt(sealed.data(), nullptr, nullptr, sealed.data(),
             sealed.size(), datagram.data(), kHeader, nonce.data(), key.data()) == 0;
}

/// What decrypt() left.
std::span<std::uint8_t> opened_text(std::span<std::uint8_t> datagram) {
  return datagram.subspan(kHeader, datagram.size() - kHeader - kTag);
}

Opened drop(DropReason reason) {
  return {.dropped = reason, .from = {}, .body = {}, .greet = false};
}

}  // namespace

struct Sealer::Header {
  std::uint8_t version;
  std::uint8_t kind;
  std::uint16_t cluster_mark;
  std::uint16_t key_id;
  std::uint32_t sender_life;
  std::uint32_t receiver_life;
  std::uint64_t counter;
  PublicKey sender;
};

Sealer::Header Sealer::read_header(const std::uint8_t* bytes) {
  Header header{.version = bytes[0],
      .kind = bytes[1],
      .cluster_mark = get<std::uint16_t>(bytes + 2),
      .key_id = get<std::uint16_t>(bytes + 4),
      .sender_life = get<std::uint32_t>(bytes + 6),
      .receiver_life = get<std::uint32_t>(bytes + 10),
      .counter = get<std::uint64_t>(bytes + 14),
      .sender = {}};
  std::copy_n(bytes + 22, header.sender.size(), header.sender.begin());
  return header;
}

void Sealer::write_header(std::uint8_t* to, std::uint8_t kind, std::uint32_t receiver_life) {
  to[0] = kVersion;
  to[1] = kind;
  put(to + 2, keyring_.cluster_mark());
  put(to + 4, keyring_.primary().id);
  put(to + 6, life_);
  put(to + 10, receiver_life);
  put(to + 14, ++counter_);
  std::ranges::copy(identity_.public_key(), to + 22);
  std::ranges::copy(salt_, to + 54);
}

Sealer::Sealer(
    const Identity& identity, const Keyring& keyring, std::uint32_t life, std::uint32_t rate_limit)
    : identity_(identity),
      keyring_(keyring),
      life_(life),
      rate_limit_(rate_limit) {
  ensure(life > 0, "life 0 means unknown");
  start_sodium();
  randombytes_buf(salt_.data(), salt_.size());
  derive_group_keys();
}

void Sealer::rotate(const Keyring& keyring) {
  keyring_ = keyring;
  peers_.forget_pair_keys();
  derive_group_keys();
}

void Sealer::derive_group_keys() {
  group_keys_.clear();
  for (const ClusterKey& key : keyring_.keys()) {
    group_keys_.push_back(derive_secret<32>({key.secret.data(), key.secret.size()},
        "dunlin datagram group", {bytes_of(keyring_.cluster())}));
  }
}

std::optional<Secret<32>> Sealer::make_pair_key(
    const PublicKey& peer, const ClusterKey& key) const {
  PublicKey exchange;
  Secret<32> shared;
  if (!exchange_key(peer, exchange) || !identity_.agree(exchange, shared)) return std::nullopt;
  // Both sides must hash the same: the smaller key first.
  const auto [first, second] = std::minmax(identity_.public_key(), peer);
  return derive_secret<32>({key.secret.data(), key.secret.size()}, "dunlin datagram pair",
      {{shared.data(), shared.size()}, first, second, bytes_of(keyring_.cluster())});
}

const Secret<32>* Sealer::pair_key(KnownPeer& peer, const ClusterKey& key) {
  for (const auto& known : peer.pair_keys) {
    if (known && known->cluster_key_id == key.id) return &known->secret;
  }
  auto made = make_pair_key(peer.key, key);
  if (!made) return nullptr;
  std::swap(peer.pair_keys[0], peer.pair_keys[1]);
  peer.pair_keys[0] = PairKey{.cluster_key_id = key.id, .secret = *made};
  return &peer.pair_keys[0]->secret;
}

std::array<std::uint8_t, 64> Sealer::statement(
    std::span<const std::uint8_t> header, std::span<const std::uint8_t> receiver_and_body) const {
  std::array<std::uint8_t, 64> hash;
  derive(std::span(hash), {}, "dunlin datagram introduction",
      {bytes_of(keyring_.cluster()), header, receiver_and_body});
  return hash;
}

Sealer::Sealed Sealer::seal(
    overlay::PeerId to, std::span<std::byte> buffer, std::size_t body_size) {
  ensure(buffer.size() >= kOverheadMax + body_size, "a datagram without room for its seal");
  auto* const start = reinterpret_cast<std::uint8_t*>(buffer.data());
  KnownPeer* const peer = to ? peers_.find(to) : nullptr;
  const Secret<32>* const key = peer ? pair_key(*peer, keyring_.primary()) : nullptr;
  if (key) {
    std::uint8_t* const header = start + kIntroduction;
    write_header(header, kPaired, peer->life);
    encrypt(header, body_size, *key);
    return {buffer.subspan(kIntroduction, kHeader + body_size + kTag), false};
  }
  write_header(start, kIntroduced, 0);
  put(start + kHeader + 64, to.value);
  identity_.sign(statement({start, kHeader}, {start + kHeader + 64, 8 + body_size}),
      std::span<std::uint8_t, 64>(start + kHeader, 64));
  encrypt(start, kIntroduction + body_size, group_keys_.front());
  return {buffer.first(kHeadroom + body_size + kTag), true};
}

Opened Sealer::open(
    std::span<std::byte> datagram, const overlay::Address& from, overlay::Time now) {
  if (datagram.size() < kHeader + kTag) return drop(DropReason::too_short);
  if (datagram.size() > kMax) return drop(DropReason::too_long);
  const std::span<std::uint8_t> bytes{
      reinterpret_cast<std::uint8_t*>(datagram.data()), datagram.size()};
  const Header header = read_header(bytes.data());
  if (header.version != kVersion || header.kind > kPaired) return drop(DropReason::version);
  if (!rate_limit_.admit(from, now)) return drop(DropReason::rate);
  if (header.cluster_mark != keyring_.cluster_mark()) return drop(DropReason::wrong_cluster);
  if (!keyring_.find(header.key_id)) return drop(DropReason::key);
  if (header.sender == identity_.public_key()) return drop(DropReason::own);
  return header.kind == kIntroduced ? open_introduced(header, bytes)
                                    : open_paired(header, bytes, now);
}

Opened Sealer::open_introduced(const Header& header, std::span<std::uint8_t> datagram) {
  const auto which = keyring_.find(header.key_id) - keyring_.keys().data();
  if (!decrypt(datagram, group_keys_[static_cast<std::size_t>(which)])) {
    return drop(DropReason::forged);
  }
  const auto text = opened_text(datagram);
  if (text.size() < kIntroduction) return drop(DropReason::malformed);

  const overlay::PeerId id = peer_id(header.sender);
  KnownPeer* peer = peers_.find(id);
  if (peer && peer->key != header.sender) return drop(DropReason::signature);
  if (peer &&
      (header.sender_life < peer->life ||
          (header.sender_life == peer->life && !peer->window.fresh(header.counter)))) {
    return drop(DropReason::replayed);
  }
  if (!verify(header.sender, statement(datagram.first(kHeader), text.subspan(64)),
          std::span<const std::uint8_t, 64>(text.data(), 64))) {
    return drop(DropReason::signature);
  }
  const auto receiver = get<std::uint64_t>(text.data() + 64);
  if (receiver != 0 && receiver != identity_.id().value) return drop(DropReason::misdirected);
  if (header.sender_life == 0 || header.receiver_life != 0) return drop(DropReason::malformed);

  if (!peer) peer = &peers_.add(id, header.sender);
  if (!admit(*peer, header.sender_life, header.counter)) return drop(DropReason::replayed);
  return {
      .dropped = {}, .from = id, .body = std::as_bytes(text.subspan(kIntroduction)), .greet = true};
}

Opened Sealer::open_paired(
    const Header& header, std::span<std::uint8_t> datagram, overlay::Time now) {
  const ClusterKey& cluster_key = *keyring_.find(header.key_id);
  const overlay::PeerId id = peer_id(header.sender);
  KnownPeer* peer = peers_.find(id);
  if (peer && peer->key != header.sender) return drop(DropReason::forged);
  std::optional<Secret<32>> strangers_key;
  const Secret<32>* key = nullptr;
  if (peer) {
    key = pair_key(*peer, cluster_key);
  } else {
    if (!strangers_.take(now, kStrangersPerSecond)) return drop(DropReason::rate);
    strangers_key = make_pair_key(header.sender, cluster_key);
    if (strangers_key) key = &*strangers_key;
  }
  if (!key || !decrypt(datagram, *key)) return drop(DropReason::forged);

  if (header.receiver_life != life_) {
    Opened stale = drop(DropReason::stale_life);
    stale.from = id;
    stale.greet = greetings_.take(now, kGreetingsPerSecond);
    return stale;
  }
  if (header.sender_life == 0) return drop(DropReason::malformed);
  if (!peer) peer = &peers_.add(id, header.sender);
  if (!admit(*peer, header.sender_life, header.counter)) return drop(DropReason::replayed);
  return {.dropped = {}, .from = id, .body = std::as_bytes(opened_text(datagram)), .greet = false};
}

bool Sealer::admit(KnownPeer& peer, std::uint32_t life, std::uint64_t counter) {
  if (life < peer.life) return false;
  if (life > peer.life) {
    peer.life = life;
    peer.window = {};
  }
  if (!peer.window.fresh(counter)) return false;
  peer.window.mark(counter);
  return true;
}

void Sealer::meet(const PublicKey& key, std::uint32_t life) {
  if (life == 0) return;
  const overlay::PeerId id = peer_id(key);
  KnownPeer* peer = peers_.find(id);
  if (!peer) peer = &peers_.add(id, key);
  if (peer->key != key || life <= peer->life) return;
  peer->life = life;
  peer->window = {};
}

}  // namespace dunlin::node
