// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>

#include "node/identity/identity.h"
#include "node/identity/secret.h"
#include "node/net/rate_limit.h"
#include "node/net/replay_window.h"
#include "overlay/address.h"
#include "overlay/ids.h"
#include "overlay/time.h"

namespace dunlin::node {

/// The key shared with one peer under one cluster key.
struct PairKey {
  std::uint16_t cluster_key_id = 0;
  Secret<32> secret;
};

/// The knowledge of sealing about a peer with a proven key.
struct KnownPeer {
  overlay::PeerId id;
  PublicKey key{};
  std::uint32_t incarnation = 0;  ///< The latest heard from.
  ReplayWindow window;            ///< The window of that incarnation.
  overlay::Address address;       ///< Where that one was last heard.
  bool superseded = false;        ///< An earlier one was heard since that one.
  /// When it was last told how it is known here, if ever.
  std::optional<overlay::Time> told;
  /// The ephemeral key of that one; none if only a stream has told of it.
  std::optional<PublicKey> ephemeral;
  /// The last two used, with that key: during a rotation both directions may differ.
  std::array<std::optional<PairKey>, 2> pair_keys;
  TokenBucket arrivals;  ///< Its datagrams from `address`.

  bool holds_pair_key(std::uint16_t cluster_key_id) const {
    return std::ranges::any_of(pair_keys,
        [&](const auto& each) { return each && each->cluster_key_id == cluster_key_id; });
  }
};

/// The peers heard from last, at most kPeersMax (about 2 MiB): the one that was not used for
/// longest is forgotten. A forgotten peer introduces itself again. Datagrams that it sent to our
/// incarnation before can then be replayed once more, so the bound is generous.
class PeerBook {
 public:
  static constexpr std::size_t kPeersMax = 4096;

  /// Null if unknown. Valid until the next add(). The peer counts as used.
  KnownPeer* find(overlay::PeerId id);
  /// Likewise, but the peer does not count as used: any node may claim to be it.
  KnownPeer* peek(overlay::PeerId id);
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
