// SPDX-License-Identifier: MIT
// Nodes of the world on which no task can start, or which lose their tasks.
#include "sched/peer_maintenance.h"
#include "tests/support/world.h"

namespace dunlin::test {

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

}  // namespace dunlin::test
