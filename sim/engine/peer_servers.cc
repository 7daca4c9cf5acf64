// SPDX-License-Identifier: MIT
#include "sim/engine/peer_servers.h"

#include <utility>

#include "sim/clock.h"

// A turn acts on the peer at once, and what it does to the world is held back until it ends. So the
// cost of a turn may depend on what it finds, and yet nothing leaves before that is paid for.
namespace dunlin::sim {

PeerServers::PeerServers(
    const ProcessingParams& params, Members& members, const WorldPorts& world, Recorder& recorder)
    : params_(params),
      members_(members),
      recorder_(recorder),
      held_(world) {}

PeerServers::Server& PeerServers::server(std::uint32_t peer) {
  // Peers may be added until the loop runs, so the size is known only now.
  if (peer >= servers_.size()) servers_.resize(members_.size());
  if (!servers_[peer]) servers_[peer] = std::make_unique<Server>();
  return *servers_[peer];
}

void PeerServers::post(std::uint32_t peer, For what, std::function<void()> take) {
  server(peer).turns.post(
      [this, peer, what, take = std::move(take)] { return this->take(peer, what, take); });
}

bool PeerServers::post_alarm(std::uint32_t peer, std::function<void()> take) {
  if (std::exchange(server(peer).alarm, true)) return false;
  post(peer, For::itself, [this, peer, take = std::move(take)] {
    server(peer).alarm = false;
    take();
  });
  return true;
}

Duration PeerServers::take(std::uint32_t peer, For what, const std::function<void()>& take) {
  const Time begun = now();
  effort_ = {};
  in_turn_ = true;
  take();
  in_turn_ = false;
  auto acts = held_.take();
  const Duration looking = looking_time(params_, effort_.rows, effort_.words);
  const Duration takes = looking + (what == For::message ? params_.message : Duration{0});
  if (takes == Duration{0}) {
    release(peer, begun, acts);
    return takes;
  }
  schedule(takes, [this, peer, begun, life = server(peer).life, acts = std::move(acts)] {
    // A peer that died meanwhile does none of it, even if it lives again.
    if (server(peer).life == life) release(peer, begun, acts);
  });
  return takes;
}

// What is done may have others take turns: the peer acts anew each time.
void PeerServers::release(std::uint32_t peer, Time begun, const HeldPorts::Acts& acts) {
  for (const auto& act : acts) {
    members_.acting = peer;
    members_.now = now();
    recorder_.allocation_meter().begin_turn(begun);
    act();
  }
  recorder_.allocation_meter().end_turn();
}

void PeerServers::crash(std::uint32_t peer) {
  if (peer >= servers_.size() || !servers_[peer]) return;
  Server& its = *servers_[peer];
  its.turns.clear();
  its.alarm = false;
  ++its.life;
}

void PeerServers::clear() {
  for (const auto& each : servers_) {
    if (each) each->turns.clear();
  }
}

}  // namespace dunlin::sim
