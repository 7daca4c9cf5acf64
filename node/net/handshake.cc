// SPDX-License-Identifier: MIT
#include "node/net/handshake.h"

#include <algorithm>

#include "node/net/bytes.h"
#include "node/net/derive.h"
#include "overlay/ensure.h"

// Three messages, each sealed with a key of the whole cluster, so that a stranger cannot even read
// them. Both sides draw an ephemeral key for the session: recorded streams stay closed if
// long-lived keys leak later. Each side signs the hash of all that was said before, so neither can
// be led to sign for another conversation, and an attacker in the middle cannot join two halves.
// The initiator names itself last: it tells its identity only to a responder that has proven its
// own.
// Source: the SIGMA family, Krawczyk 2003.
namespace dunlin::node {
namespace {

/// Tells a stream of ours from other protocols, in its second byte.
constexpr std::uint8_t kMark = 'S';
/// Version, mark, cluster, key: in the clear, because the key that opens the rest is found by it.
constexpr std::size_t kGreeting = 1 + 1 + 2 + 2;
constexpr std::size_t kMessageNonce = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kMessageTag = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t kMessageSeal = kMessageNonce + kMessageTag;
constexpr std::size_t kEphemeral = 32;
// Public key, incarnation, port, signature.
constexpr std::size_t kStated = 32 + 4 + 2;
constexpr std::size_t kParty = kStated + 64;

void append(std::string& out, std::span<const std::uint8_t> bytes) {
  out.append(text_of(bytes));
}

}  // namespace

Handshake::Handshake(Role role,
    const Identity& identity,
    const Keyring& keyring,
    std::uint32_t incarnation,
    std::uint16_t port,
    overlay::PeerId expected)
    : role_(role),
      step_(role == Role::initiator ? Step::answer : Step::greeting),
      identity_(identity),
      keyring_(keyring),
      self_{.key = identity.public_key(), .incarnation = incarnation, .port = port},
      expected_(expected) {
  start_sodium();
}

// All messages have fixed sizes, so that nothing is read of a stranger beyond the one that is due.
std::size_t Handshake::wanted() const {
  switch (step_) {
    case Step::greeting:
      return kGreeting;
    case Step::hello:
      return kEphemeral + kMessageSeal;
    case Step::answer:
      return kEphemeral + kParty + kMessageSeal;
    case Step::proof:
      return kParty + kMessageSeal;
    case Step::done:
      return 0;
  }
  return 0;
}

// The initiator uses its first key; the responder follows, as long as it has that one.
void Handshake::use_key(const ClusterKey& key) {
  cluster_key_ = key;
  sealing_key_ = derive_secret<32>({key.secret.data(), key.secret.size()},
      "dunlin stream handshake", {bytes_of(keyring_.cluster())});
  crypto_box_keypair(ephemeral_public_.data(), ephemeral_.data());
}

// Each message becomes part of one hash, which seals and signs all later ones: one that is cut,
// swapped or repeated makes the next fail.
void Handshake::hear(std::span<const std::uint8_t> message) {
  derive(std::span(heard_), {}, "dunlin stream heard", {Bytes(heard_), message});
}

void Handshake::seal(std::span<const std::uint8_t> text, std::string& out) {
  std::array<std::uint8_t, kEphemeral + kParty + kMessageSeal> message;
  const std::size_t size = text.size() + kMessageSeal;
  randombytes_buf(message.data(), kMessageNonce);
  crypto_aead_xchacha20poly1305_ietf_encrypt(message.data() + kMessageNonce, nullptr, text.data(),
      text.size(), heard_.data(), heard_.size(), nullptr, message.data(), sealing_key_.data());
  hear({message.data(), size});
  append(out, {message.data(), size});
}

bool Handshake::open(std::span<const std::uint8_t> message, std::span<std::uint8_t> text) const {
  return crypto_aead_xchacha20poly1305_ietf_decrypt(text.data(), nullptr, nullptr,
             message.data() + kMessageNonce, message.size() - kMessageNonce, heard_.data(),
             heard_.size(), message.data(), sealing_key_.data()) == 0;
}

// By role, else a statement could be sent back to its own speaker as if it were the answer.
Handshake::Hash Handshake::statement(std::span<const std::uint8_t> text, Role role) const {
  Hash hash;
  derive(std::span(hash), {},
      role == Role::initiator ? "dunlin stream initiator" : "dunlin stream responder",
      {bytes_of(keyring_.cluster()), Bytes(heard_), text.first(text.size() - 64)});
  return hash;
}

/// Fills the last kParty bytes of `text`; the signature covers the whole of it.
void Handshake::write_party(std::span<std::uint8_t> text, Role role) const {
  std::uint8_t* const to = text.data() + text.size() - kParty;
  std::ranges::copy(self_.key, to);
  put(to + 32, self_.incarnation);
  put(to + 36, self_.port);
  identity_.sign(statement(text, role), std::span<std::uint8_t, 64>(to + kStated, 64));
}

std::optional<DropReason> Handshake::read_party(std::span<const std::uint8_t> text, Role role) {
  const std::uint8_t* const from = text.data() + text.size() - kParty;
  std::copy_n(from, 32, peer_.key.begin());
  peer_.incarnation = get<std::uint32_t>(from + 32);
  peer_.port = get<std::uint16_t>(from + 36);
  if (!verify(peer_.key, statement(text, role),
          std::span<const std::uint8_t, 64>(from + kStated, 64))) {
    return DropReason::signature;
  }
  if (peer_.key == self_.key) return DropReason::own;
  if (expected_ && peer_id(peer_.key) != expected_) return DropReason::misdirected;
  return std::nullopt;
}

// False for degenerate points, with which any peer would share the same secret.
bool Handshake::agree(std::span<const std::uint8_t, 32> other) {
  return crypto_scalarmult_curve25519(shared_.data(), ephemeral_.data(), other.data()) == 0;
}

// The greeting and the hello go together: one message less to wait for.
void Handshake::start(std::string& out) {
  ensure(role_ == Role::initiator, "the responder does not speak first");
  const ClusterKey& key = keyring_.primary();
  use_key(key);
  std::array<std::uint8_t, kGreeting> greeting{kVersion, kMark};
  put(greeting.data() + 2, keyring_.cluster_mark());
  put(greeting.data() + 4, key.id);
  hear(greeting);
  append(out, greeting);
  seal(ephemeral_public_, out);
}

std::optional<DropReason> Handshake::receive(
    std::span<const std::uint8_t> message, std::string& out) {
  ensure(message.size() == wanted(), "a handshake message of the wrong size");
  switch (step_) {
    case Step::greeting:
      return on_greeting(message);
    case Step::hello:
      return on_hello(message, out);
    case Step::answer:
      return on_answer(message, out);
    case Step::proof:
      return on_proof(message);
    case Step::done:
      break;
  }
  return std::nullopt;
}

std::optional<DropReason> Handshake::on_greeting(std::span<const std::uint8_t> message) {
  if (message[0] != kVersion || message[1] != kMark) return DropReason::version;
  if (get<std::uint16_t>(message.data() + 2) != keyring_.cluster_mark()) {
    return DropReason::wrong_cluster;
  }
  // By its id, as two keys are valid while keys are rotated.
  const ClusterKey* key = keyring_.find(get<std::uint16_t>(message.data() + 4));
  if (!key) return DropReason::key;
  use_key(*key);
  hear(message);
  step_ = Step::hello;
  return std::nullopt;
}

std::optional<DropReason> Handshake::on_hello(
    std::span<const std::uint8_t> message, std::string& out) {
  PublicKey ephemeral;
  if (!open(message, ephemeral)) return DropReason::forged;
  hear(message);
  if (!agree(ephemeral)) return DropReason::malformed;
  std::array<std::uint8_t, kEphemeral + kParty> answer;
  std::ranges::copy(ephemeral_public_, answer.begin());
  write_party(answer, Role::responder);
  seal(answer, out);
  step_ = Step::proof;
  return std::nullopt;
}

std::optional<DropReason> Handshake::on_answer(
    std::span<const std::uint8_t> message, std::string& out) {
  std::array<std::uint8_t, kEphemeral + kParty> answer;
  if (!open(message, answer)) return DropReason::forged;
  if (const auto refused = read_party(answer, Role::responder)) return refused;
  hear(message);
  if (!agree(std::span(answer).first<32>())) return DropReason::malformed;
  std::array<std::uint8_t, kParty> proof;
  write_party(proof, Role::initiator);
  seal(proof, out);
  finish();
  return std::nullopt;
}

std::optional<DropReason> Handshake::on_proof(std::span<const std::uint8_t> message) {
  std::array<std::uint8_t, kParty> proof;
  if (!open(message, proof)) return DropReason::forged;
  if (const auto refused = read_party(proof, Role::initiator)) return refused;
  hear(message);
  finish();
  return std::nullopt;
}

// The keys of the session rest on the cluster's key, on both ephemeral ones, and on all that was
// said.
void Handshake::finish() {
  step_ = Step::done;
  const Secret<32>& key = cluster_key_->secret;
  session_ = derive_secret<64>({key.data(), key.size()}, "dunlin stream session",
      {{shared_.data(), shared_.size()}, Bytes(heard_)});
}

// From the greeting on both sides are bound to the key that they began with.
void Handshake::rotate(const Keyring& keyring) {
  if (step_ == Step::greeting) keyring_ = keyring;
}

Secret<32> Handshake::sending_key() const {
  ensure(done(), "a handshake not done has no keys");
  // One key for each direction: with one for both, what we send could be played back to us.
  const std::size_t half = role_ == Role::initiator ? 0 : 32;
  return Secret<32>(std::span<const std::uint8_t, 32>(session_.data() + half, 32));
}

Secret<32> Handshake::receiving_key() const {
  ensure(done(), "a handshake not done has no keys");
  const std::size_t half = role_ == Role::initiator ? 32 : 0;
  return Secret<32>(std::span<const std::uint8_t, 32>(session_.data() + half, 32));
}

}  // namespace dunlin::node
