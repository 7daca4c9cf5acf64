// SPDX-License-Identifier: MIT
#include "overlay/liveness.h"

#include <algorithm>

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
  const auto watch = std::ranges::find(watched_, pong.request, &Watch::request);
  if (watch == watched_.end() || watch->peer.id != from.id) {
    turn.events.on(MessageIgnored{.from = from.id, .reason = IgnoreReason::stale_reply});
    return false;
  }
  if (pong.self.id != from.id) {
    turn.events.on(MessageIgnored{.from = from.id, .reason = IgnoreReason::impostor});
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
