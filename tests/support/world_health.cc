// SPDX-License-Identifier: MIT
// Nodes of the world that are drained, have trouble, on which no task can start, which lose their
// tasks, or which end.
#include "sched/peer_maintenance.h"
#include "tests/support/world.h"

namespace dunlin::test {

void World::drain(std::size_t node, bool on) {
  turn(node, [on](Peer& peer, const sched::Host& host) {
    peer.maintenance().set_drain(host, on ? std::optional(sched::DrainTerms{}) : std::nullopt);
  });
}

void World::raise(std::size_t node, std::uint32_t by) {
  turn(node, [by](Peer& peer, const sched::Host& host) {
    peer.maintenance().raise(host, peer.self().incarnation + by);
  });
}

void World::set_trouble(std::size_t node, std::string_view trouble) {
  turn(node, [trouble](Peer& peer, const sched::Host& host) {
    peer.maintenance().set_trouble(host, trouble);
  });
}

void World::leave(std::size_t node) {
  turn(node, [](Peer& peer, const sched::Host& host) { peer.leave(host); });
  crash(node);
}

void World::break_down(std::size_t node, bool on) {
  note(node, on ? "breaks down" : "is mended");
  nodes_[node]->executor.break_down(on);
}

void World::lose_tasks(std::size_t node) {
  turn(node, [this, node](Peer&, const sched::Host&) { nodes_[node]->executor.lose_all(); });
}

void World::set_health(std::size_t node, std::string_view why_sick) {
  turn(node, [why_sick](Peer& peer, const sched::Host& host) {
    peer.maintenance().set_health(host, why_sick);
  });
}

void World::crash(std::size_t node) {
  end_process(node);
  lose_kept(node);
}

void World::crash_agent(std::size_t node) {
  end_process(node);
  const std::uint32_t died = nodes_[node]->incarnation;
  at(now_ + options_.params.worker.reattach_within, [this, node, died] {
    if (!up(node) && nodes_[node]->incarnation == died) lose_kept(node);
  });
}

void World::pause(std::size_t node) {
  turn(node, [](Peer& peer, const sched::Host& host) { peer.maintenance().pause(host); });
}

void World::crash_somehow(std::size_t node, overlay::Rng& rng) {
  if (rng.chance(0.5)) return crash(node);
  if (rng.chance(0.5)) pause(node);
  crash_agent(node);
}

void World::end_process(std::size_t node) {
  Node& self = *nodes_[node];
  overlay::ensure(self.peer != nullptr, "a crash of a node that is down");
  note(node, "crashes");
  self.peer.reset();
  self.commits.clear();
  (void)self.logs.take_turn();
  self.books = {};
  self.wake_at = self.exits_at = sched::kNever;
}

void World::lose_kept(std::size_t node) {
  nodes_[node]->executor.crash();
  nodes_[node]->since = 0;
}

void World::erase_disk(std::size_t node) {
  overlay::ensure(!up(node), "the disk of a node that is up");
  note(node, "loses its disk");
  nodes_[node]->disk = {};
  erase_logs(node);
}

void World::erase_logs(std::size_t node) {
  overlay::ensure(!up(node), "the logs of a node that is up");
  nodes_[node]->store = {};
  nodes_[node]->logs = {};
  nodes_[node]->replica = 0;
}

void World::restart(std::size_t node) {
  overlay::ensure(!up(node), "a restart of a node that is up");
  start(node);
}

}  // namespace dunlin::test
