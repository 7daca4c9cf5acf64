// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "node/identity/identity.h"
#include "node/net/drop_reason.h"
#include "node/net/keyring.h"
#include "overlay/ids.h"

namespace dunlin::node {

/// The party at one end of a stream.
struct StreamParty {
  PublicKey key{};
  std::uint32_t incarnation = 0;  ///< 0: a client, which has none.
  std::uint16_t port = 0;         ///< Where it listens; 0: a client, which does not.
};

/// The three messages that open a stream. Strangers learn nothing and get one message at most:
///
///     -> version, 'S', cluster mark, key id (in the clear); sealed: ephemeral key
///     <- sealed: ephemeral key, public key, incarnation, port, signature
///     -> sealed: public key, incarnation, port, signature
///
/// "Sealed" is with a key of the whole cluster, over a hash of all that was said before; each
/// signature covers that hash too. The session keys mix the ephemeral secret (so that old streams
/// stay closed if keys leak later), the cluster key and the hash of the whole conversation (so
/// that both sides mean each other). Source: the SIGMA family, Krawczyk 2003.
class Handshake {
 public:
  enum class Role : std::uint8_t { initiator, responder };
  static constexpr std::uint8_t kVersion = 1;

  /// `expected` empty: any holder of the cluster key will do.
  Handshake(Role role,
      const Identity& identity,
      const Keyring& keyring,
      std::uint32_t incarnation,
      std::uint16_t port,
      overlay::PeerId expected = {});

  /// Appends what the initiator says first. Call once, before anything else.
  void start(std::string& out);
  /// Bytes of the message awaited; 0 when done.
  std::size_t wanted() const;
  /// Takes exactly wanted() bytes and appends the answer, if any. The reason, if they are refused:
  /// the stream is over then.
  std::optional<DropReason> receive(std::span<const std::uint8_t> message, std::string& out);
  bool done() const { return step_ == Step::done; }
  /// Another key file counts from now on, if the initiator has not said yet which key it uses.
  void rotate(const Keyring& keyring);
  /// The key that the initiator chose; none before the responder has heard which.
  const std::optional<ClusterKey>& cluster_key() const { return cluster_key_; }
  /// A responder has heard an ephemeral key, sealed with the cluster key: by a member, or by
  /// a stranger that recorded one.
  bool greeted() const { return step_ == Step::proof || step_ == Step::done; }

  /// Proven. Requires done(), as do the keys.
  const StreamParty& peer() const { return peer_; }
  Secret<32> sending_key() const;
  Secret<32> receiving_key() const;

 private:
  enum class Step : std::uint8_t { greeting, hello, answer, proof, done };
  using Hash = std::array<std::uint8_t, 64>;

  std::optional<DropReason> on_greeting(std::span<const std::uint8_t> message);
  std::optional<DropReason> on_hello(std::span<const std::uint8_t> message, std::string& out);
  std::optional<DropReason> on_answer(std::span<const std::uint8_t> message, std::string& out);
  std::optional<DropReason> on_proof(std::span<const std::uint8_t> message);

  void use_key(const ClusterKey& key);
  void hear(std::span<const std::uint8_t> message);
  void seal(std::span<const std::uint8_t> text, std::string& out);
  bool open(std::span<const std::uint8_t> message, std::span<std::uint8_t> text) const;
  void write_party(std::span<std::uint8_t> text, Role role) const;
  std::optional<DropReason> read_party(std::span<const std::uint8_t> text, Role role);
  Hash statement(std::span<const std::uint8_t> text, Role role) const;
  bool agree(std::span<const std::uint8_t, 32> other);
  void finish();

  Role role_;
  Step step_;
  Identity identity_;
  Keyring keyring_;
  StreamParty self_;
  overlay::PeerId expected_;
  StreamParty peer_;
  std::optional<ClusterKey> cluster_key_;
  Secret<32> sealing_key_;  // Made from that one; it seals these messages.
  Secret<32> ephemeral_;
  PublicKey ephemeral_public_{};
  Secret<32> shared_;
  Secret<64> session_;
  Hash heard_{};  // All that was said so far.
};

}  // namespace dunlin::node
