// SPDX-License-Identifier: MIT
#include "tests/swarm/epoch_watch.h"

#include "sched/cell/cell_node.h"
#include "sched/cell/plan_member.h"

namespace dunlin::test {

std::uint64_t EpochWatch::look() {
  std::uint64_t planned = 0;
  for (std::size_t node = 0; node < world_.size(); ++node) {
    if (!world_.up(node) || world_.peer(node).cells() == nullptr) continue;
    const auto& lease = world_.peer(node).cells()->plans().lease();
    if (lease.until() <= world_.now()) continue;
    ++planned;
    const Membership now(world_.incarnation(node), lease.cell());
    auto& [before, epoch] = obeyed_[node];
    if (before == now && lease.epoch() < epoch) world_.fail("a node obeys a lower epoch");
    before = now;
    epoch = lease.epoch();
  }
  return planned;
}

}  // namespace dunlin::test
