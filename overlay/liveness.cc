// SPDX-License-Identifier: MIT
#include "overlay/liveness.h"

#include <algorithm>

// A peer pings one neighbour each period, in a fixed cycle, so each is checked within a bounded
// time; a partner that missed an exchange is pinged at once. After `misses` pings in a row without
// a pong the neighbour is down.
// No other peers are asked to ping it (SWIM's indirect probes): the three pings already cover a
// lost datagram, and each peer judges for its own views alone.
// Every missed pong may be our own fault, say of a starved process. So each miss raises a score of
// our own health that lengthens all waits, and each pong lowers it: a sick peer does not condemn
// healthy ones.
// Source: Das, Gupta, Motivala 2002 (SWIM), section 3.1; Dadgar, Phillips, Currey 2018 (Lifeguard),
// section IV.A.
namespace dunlin::overlay {

bool Liveness::ping_due(GossipTurn& turn) {
  if (!started_) {
    started_ = true;
    next_ping_ = turn.now + turn.rng.between(Duration{0}, params_->period);
  }
  if (turn.now < next_ping_) return false;
  next_ping_ = turn.now + turn.rng.jitter(params_->period, params_->jitter);
  return true;
}

void Liveness::watch(GossipTurn& turn, const Endpoint& peer, bool in_turn) {
  if (!peer.id) return;
  if (in_turn) cursor_ = peer.id;
  // A neighbour under suspicion is pinged by expire() already.
  const bool watched =
      std::ranges::any_of(watched_, [&](const Watch& watch) { return watch.peer.id == peer.id; });
  if (watched || watched_.size() == kWatchMax) return;
  const std::uint64_t request = turn.rng() | 1;
  watched_.push_back({.peer = peer, .request = request, .due = turn.now + wait()});
  turn.out.send(peer, Ping{.request = request});
}

Liveness::Dead Liveness::expire(GossipTurn& turn) {
  Dead dead;
  for (std::size_t i = 0; i < watched_.size();) {
    Watch& watch = watched_[i];
    if (watch.due > turn.now) {
      ++i;
      continue;
    }
    health_ = std::min<std::uint16_t>(health_ + 1, params_->patience_max);
    if (++watch.missed >= params_->misses) {
      dead.push_back(watch.peer.id);
      watched_.erase(i);
      continue;
    }
    watch.due = turn.now + wait();
    turn.out.send(watch.peer, Ping{.request = watch.request});
    ++i;
  }
  return dead;
}

void Liveness::receive(GossipTurn& turn, Self& self, const Endpoint& from, const Ping& ping) {
  turn.out.send(from, Pong{.request = ping.request, .self = self.descriptor()});
}

bool Liveness::receive(GossipTurn& turn, const Endpoint& from, const Pong& pong) {
  // A pong to no open request may be old, so it does not prove that the peer lives now.
  const auto watch = std::ranges::find(watched_, pong.request, &Watch::request);
  if (watch == watched_.end() || watch->peer.id != from.id) {
    ignore(turn, from.id, IgnoreReason::stale_reply);
    return false;
  }
  if (pong.self.id != from.id) {
    ignore(turn, from.id, IgnoreReason::impostor);
    return false;
  }
  if (health_ > 0) --health_;
  clear_suspicion(from.id);
  return true;
}

void Liveness::clear_suspicion(PeerId peer) {
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    if (watched_[i].peer.id == peer) return watched_.erase(i);
  }
}

Time Liveness::deadline() const {
  if (!started_) return Time{};
  Time earliest = next_ping_;
  for (const Watch& watch : watched_) earliest = std::min(earliest, watch.due);
  return earliest;
}

}  // namespace dunlin::overlay
