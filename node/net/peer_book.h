// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>

#include "node/net/identity.h"
#include "node/net/replay_window.h"
#include "node/net/secret.h"
#include "overlay/ids.h"

namespace dunlin::node {

/// The key shared with one peer under one cluster key.
struct PairKey {
  std::uint16_t cluster_key_id = 0;
  Secret<32> secret;
};

/// What sealing knows of a peer whose key was proven.
struct KnownPeer {
  overlay::PeerId id;
  PublicKey key{};
  std::uint32_t life = 0;  ///< The latest heard from.
  ReplayWindow window;     ///< Of that life.
  /// The last two used: during a rotation both directions may differ.
  std::array<std::optional<PairKey>, 2> pair_keys;
};

/// The peers heard from last, at most kPeersMax (about 2 MiB): the one not used for longest is
/// forgotten. A forgotten peer introduces itself again. What it sent to our life before can then
/// be replayed once more, so the bound is generous.
class PeerBook {
 public:
  static constexpr std::size_t kPeersMax = 4096;

  /// Null if unknown. Valid until the next add().
  KnownPeer* find(overlay::PeerId id);
  /// Requires that `id` is not known.
  KnownPeer& add(overlay::PeerId id, const PublicKey& key);
  /// Forgets the shared keys, not the peers: the cluster key has changed.
  void forget_pair_keys();
  std::size_t size() const { return peers_.size(); }

 private:
  std::list<KnownPeer> peers_;  // The one used last is in front.
  std::unordered_map<std::uint64_t, std::list<KnownPeer>::iterator> places_;
};

}  // namespace dunlin::node
