// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node/identity/secret.h"
#include "overlay/result.h"

namespace dunlin::node {

/// A cluster key and the 16 bits of its hash that travel in the clear, so that a receiver knows at
/// once which of its keys to try.
struct ClusterKey {
  std::uint16_t id = 0;
  Secret<32> secret;
};

/// The cluster key file: which cluster, and the keys that admit to it. The first key seals, all of
/// them open. To rotate: give every node the new key as the second, then as the first, then drop
/// the old one; agents read the file again on SIGHUP.
///
///     # comment
///     cluster demo
///     key JT8N...=     (32 bytes as base64, or as 64 hex digits)
class Keyring {
 public:
  static constexpr std::size_t kKeysMax = 8;

  /// A new cluster with one new key. Fails if `cluster` is no name: 1 to 63 of a-z A-Z 0-9 . _ -
  static Result<Keyring> generate(std::string_view cluster);
  /// Reads a key file. Fails, naming the file, the line and the cure, if it is missing, malformed,
  /// or others may read or change it.
  static Result<Keyring> load(const std::filesystem::path& path);
  /// Reads the text of a key file; `where` names it in errors.
  static Result<Keyring> parse(std::string_view text, std::string_view where);

  /// The same cluster with a new key: sealing at once if `primary`, else only opening.
  Keyring with_new_key(bool primary) const;
  /// Writes a key file (mode 0600), whole or not at all. Fails if there is one, unless `replace`.
  Result<void> save(const std::filesystem::path& path, bool replace = false) const;
  /// The text of a key file.
  std::string format() const;

  /// The name, which goes into every derived key: equal keys of two clusters open nothing.
  const std::string& cluster() const { return cluster_; }
  /// 16 bits of the hash of the cluster's name: travels in the clear, to tell a neighbour cluster
  /// from an attack.
  std::uint16_t cluster_mark() const { return cluster_mark_; }
  /// The one that seals.
  const ClusterKey& primary() const { return keys_.front(); }
  const std::vector<ClusterKey>& keys() const { return keys_; }
  /// Null if there is no such key.
  const ClusterKey* find(std::uint16_t key_id) const;
  /// True if this very key is in the file: another one may have its id.
  bool holds(const ClusterKey& key) const;

 private:
  explicit Keyring(std::string_view cluster);
  Result<void> add(const Secret<32>& secret, std::string_view where);

  std::string cluster_;
  std::uint16_t cluster_mark_ = 0;
  std::vector<ClusterKey> keys_;
};

}  // namespace dunlin::node
