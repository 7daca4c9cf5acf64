// SPDX-License-Identifier: MIT
#include "node/net/peer_book.h"

#include "overlay/ensure.h"

namespace dunlin::node {

KnownPeer* PeerBook::find(overlay::PeerId id) {
  const auto place = places_.find(id.value);
  if (place == places_.end()) return nullptr;
  peers_.splice(peers_.begin(), peers_, place->second);
  return &peers_.front();
}

KnownPeer& PeerBook::add(overlay::PeerId id, const PublicKey& key) {
  if (peers_.size() == kPeersMax) {
    places_.erase(peers_.back().id.value);
    peers_.pop_back();
  }
  peers_.push_front({.id = id, .key = key, .life = 0, .window = {}, .pair_keys = {}});
  ensure(places_.emplace(id.value, peers_.begin()).second, "a peer added twice");
  return peers_.front();
}

void PeerBook::forget_pair_keys() {
  for (KnownPeer& peer : peers_) peer.pair_keys = {};
}

}  // namespace dunlin::node
