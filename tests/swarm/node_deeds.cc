// SPDX-License-Identifier: MIT
#include "tests/swarm/node_deeds.h"

#include <set>

#include "sched/peer_maintenance.h"

namespace dunlin::test {

void NodeDeeds::carry_out(const Deed& deed, std::size_t node, overlay::Rng& rng) {
  switch (deed.kind) {
    case Deed::Kind::crash:
    case Deed::Kind::leave:
      return stop(deed, node, rng);
    case Deed::Kind::split:
      return split(deed, rng);
    case Deed::Kind::cut:
    case Deed::Kind::mend:
      return cut(deed, node, rng);
    case Deed::Kind::drain:
      return drain(deed, node);
    case Deed::Kind::sicken:
      world_.break_down(node, true);
      world_.at(end_of(deed), [this, node] { world_.break_down(node, false); });
      return;
    case Deed::Kind::isolate:
      world_.network().split({node}, world_.size(), rng.chance(0.3));
      world_.at(end_of(deed), [this] { world_.network().mend_all(); });
      return;
    case Deed::Kind::retire:
      return retire(deed, node);
    case Deed::Kind::fill:
      set_disk(node, true);
      world_.at(end_of(deed), [this, node] { set_disk(node, false); });
      return;
    case Deed::Kind::bereave:
      if (world_.up(node)) world_.lose_tasks(node);
      return;
    default:
      overlay::ensure(false, "no deed to a node");
  }
}

void NodeDeeds::stop(const Deed& deed, std::size_t node, overlay::Rng& rng) {
  if (!world_.up(node)) return;
  const Time end = end_of(deed);
  if (deed.kind == Deed::Kind::crash) {
    world_.crash_somehow(node, rng);
  } else {
    world_.leave(node);
  }
  world_.at(end, [this, node] {
    if (!world_.up(node)) world_.restart(node);
  });
}

// As an agent does: it hands over what it can, but not for ever.
void NodeDeeds::retire(const Deed& deed, std::size_t node) {
  if (!world_.up(node)) return;
  const std::uint32_t life = world_.incarnation(node);
  retiring_[node] = life;
  world_.act(node, [](Peer& peer, const sched::Host& host) { peer.maintenance().depart(host); });
  world_.at(world_.now() + deed.lasts / 2, [this, node, life] {
    if (retiring_.contains(node) && retiring_[node] == life) end_retirement(node);
  });
  world_.at(end_of(deed), [this, node] {
    if (!world_.up(node)) world_.restart(node);
  });
}

void NodeDeeds::end_retirement(std::size_t node) {
  const std::uint32_t life = retiring_[node];
  retiring_.erase(node);
  if (world_.up(node) && world_.incarnation(node) == life) world_.leave(node);
}

void NodeDeeds::end_all() {
  while (!retiring_.empty()) end_retirement(retiring_.begin()->first);
}

void NodeDeeds::set_disk(std::size_t node, bool fails) {
  if (!world_.up(node)) return;
  world_.act(node,
      [fails](Peer& peer, const sched::Host& host) { peer.maintenance().set_disk(host, fails); });
}

void NodeDeeds::split(const Deed& deed, overlay::Rng& rng) {
  std::set<std::size_t> side;
  for (std::size_t i = 0; i < world_.size(); ++i) {
    if (rng.chance(0.4)) side.insert(i);
  }
  world_.network().split(side, world_.size(), rng.chance(0.3));
  world_.at(end_of(deed), [this] { world_.network().mend_all(); });
}

void NodeDeeds::cut(const Deed& deed, std::size_t node, overlay::Rng& rng) {
  const std::size_t other = rng.index(world_.size());
  world_.network().cut(node, other);
  world_.at(end_of(deed), [this, node, other] { world_.network().mend(node, other); });
}

void NodeDeeds::drain(const Deed& deed, std::size_t node) {
  if (!world_.up(node)) return;
  world_.drain(node, true);
  world_.at(end_of(deed), [this, node] {
    if (world_.up(node)) world_.drain(node, false);
  });
}

}  // namespace dunlin::test
