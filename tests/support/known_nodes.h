// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "overlay/neighbour.h"
#include "sched/hop.h"
#include "sched/packing/rate_bits.h"

namespace dunlin::test {

/// The beliefs of a node about others, and a demand of one CPU that it seeks a place for.
class KnownNodes : public ::testing::Test {
 protected:
  /// Nodes come with ascending ids, as in Surroundings. Their memory is always enough.
  void node(std::uint64_t id, std::uint32_t cpu_free, std::uint32_t cpu_total = 4000) {
    overlay::Neighbour n{};
    n.peer.id = sched::PeerId{id};
    n.peer.address = sched::Address::v4(static_cast<std::uint32_t>(id), 7700);
    n.peer.cpu_free = cpu_free;
    n.peer.cpu_total = cpu_total;
    n.peer.memory_free = n.peer.memory_total = 1000;
    known.push_back(n);
  }
  /// The last node declares `total` of network in, of which `free` is free.
  void with_net_in(std::uint32_t total, std::uint32_t free) {
    const sched::Resources all{.custom = {}, .net_in = total};
    const sched::Resources left{.custom = {}, .net_in = free};
    known.back().peer.rates_total = sched::rates_total_bits(all);
    known.back().peer.rates_used = sched::rates_used_bits(left, all);
  }
  /// Nodes 1 to `count`, so much of each free.
  void nodes(std::uint64_t count, std::uint32_t cpu_free) {
    for (std::uint64_t id = 1; id <= count; ++id) node(id, cpu_free);
  }

  std::vector<overlay::Neighbour> known;
  sched::Resources demand{.cpu = 1000, .memory = 100, .custom = {}};
  sched::Signature signature;
  sched::Rng rng{3};
};

}  // namespace dunlin::test
