// SPDX-License-Identifier: MIT
#include "node/net/peer_book.h"

#include "overlay/ensure.h"

// A list in the order of use and an index into it: every datagram looks its sender up, so both the
// search and the move to the front must cost a constant. When the book is full, the peer that was
// not used for longest goes.
namespace dunlin::node {

KnownPeer* PeerBook::find(overlay::PeerId id) {
  const auto place = places_.find(id.value);
  if (place == places_.end()) return nullptr;
  peers_.splice(peers_.begin(), peers_, place->second);
  return &peers_.front();
}

KnownPeer* PeerBook::peek(overlay::PeerId id) {
  const auto place = places_.find(id.value);
  return place == places_.end() ? nullptr : &*place->second;
}

KnownPeer& PeerBook::add(overlay::PeerId id, const PublicKey& key) {
  if (peers_.size() == kPeersMax) {
    places_.erase(peers_.back().id.value);
    peers_.pop_back();
  }
  KnownPeer& peer = peers_.emplace_front();
  peer.id = id;
  peer.key = key;
  ensure(places_.emplace(id.value, peers_.begin()).second, "a peer added twice");
  return peer;
}

void PeerBook::forget_pair_keys() {
  for (KnownPeer& peer : peers_) peer.pair_keys = {};
}

}  // namespace dunlin::node
