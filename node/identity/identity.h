// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "node/identity/secret.h"
#include "overlay/ids.h"
#include "overlay/result.h"

namespace dunlin::node {

/// An Ed25519 public key: the proof of a peer's name.
using PublicKey = std::array<std::uint8_t, 32>;
using SignatureBytes = std::array<std::uint8_t, 64>;

/// The first 8 bytes of the key's BLAKE2b hash, never 0.
overlay::PeerId peer_id(const PublicKey& key);

/// The X25519 form of a peer's key, for the secret shared with it. False if it is no valid key.
bool exchange_key(const PublicKey& key, PublicKey& exchange);

/// True if the holder of `key` signed `bytes`.
bool verify(const PublicKey& key,
    std::span<const std::uint8_t> bytes,
    std::span<const std::uint8_t, 64> signature);

/// A node's key pair. It outlives restarts and changes of address: names are labels, this is the
/// node.
class Identity {
 public:
  /// A new key pair, kept nowhere: for clients and tests.
  static Identity generate();
  /// The one in `directory`/identity, made (mode 0600) if there is none. The file says which
  /// machine it is for, by `machine`, this machine's mark (see machine_mark()); one that does not
  /// say so yet does afterwards. Without a mark nothing is compared. Fails, naming the file and the
  /// cure, if the file cannot be read or written, is damaged, others may read it, or (`refused`) it
  /// is for another machine: a copied directory.
  static Result<Identity> load_or_create(
      const std::filesystem::path& directory, const std::string& machine = {});
  /// The one in `directory`/identity, whichever machine it is for. Fails likewise, and `not_found`
  /// if there is none.
  static Result<Identity> load(const std::filesystem::path& directory);
  /// The one in `directory`/identity, which is for this machine from now on. Fails likewise, and
  /// `not_found` if there is none.
  static Result<Identity> adopt(const std::filesystem::path& directory, const std::string& machine);

  overlay::PeerId id() const { return id_; }
  const PublicKey& public_key() const { return public_; }

  void sign(std::span<const std::uint8_t> bytes, std::span<std::uint8_t, 64> signature) const;
  /// The secret that only we and the owner of `other` (in its X25519 form) can compute. False if
  /// `other` is a degenerate key.
  bool agree(const PublicKey& other, Secret<32>& shared) const;

 private:
  explicit Identity(const Secret<32>& seed);

  overlay::PeerId id_;
  PublicKey public_{};
  Secret<32> seed_;
  Secret<64> secret_;    // Ed25519: seed and public key.
  Secret<32> exchange_;  // X25519, derived from it.
};

}  // namespace dunlin::node
