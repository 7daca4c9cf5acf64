// SPDX-License-Identifier: MIT
// Both layers together, at scale; see acceptance.h.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "tests/paper/acceptance.h"

namespace dunlin::test {
namespace {

using namespace overlay;
using namespace std::chrono_literals;

// The defaults, everything on: after half of the peers died nobody is left that points at them.
TEST(OverlayAcceptance, Of500PeersHalfDieAndAllViewsAreCleanIn40Seconds) {
  SwarmOptions options;
  options.peers = 500;
  Swarm swarm(options);
  swarm.start_random();
  swarm.run(20s);
  for (std::size_t i = 250; i < 500; ++i) swarm.kill(i);
  swarm.run(40s);
  EXPECT_EQ(dead_share(swarm), 0);
  for (std::size_t i = 0; i < 250; ++i) {
    for (const Neighbour& neighbour : swarm.peer(i).gradient().view()) {
      EXPECT_TRUE(swarm.alive(Swarm::number(neighbour.peer.id)));
    }
  }
}

// A peer that leaves is gone from the views of its neighbours at once, and does not come back.
TEST(OverlayAcceptance, Of200PeersThoseThatLeaveAreForgotten) {
  SwarmOptions options;
  options.peers = 200;
  Swarm swarm(options);
  swarm.start_random();
  swarm.run(30s);
  for (std::size_t i = 0; i < 20; ++i) swarm.leave(i);
  swarm.run(25s);
  EXPECT_EQ(dead_share(swarm), 0);
}

// A peer that restarts is known by its new life within a few periods.
TEST(OverlayAcceptance, Of200PeersANewLifeReplacesTheOldOne) {
  SwarmOptions options;
  options.peers = 200;
  Swarm swarm(options);
  swarm.start_random();
  swarm.run(20s);
  swarm.restart(3, {swarm.endpoint(0)});
  swarm.run(45s);
  std::size_t known = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    std::vector<Neighbour> neighbours;
    swarm.peer(i).neighbours(neighbours);
    for (const Neighbour& neighbour : neighbours) {
      if (Swarm::number(neighbour.peer.id) != 3) continue;
      ++known;
      EXPECT_EQ(neighbour.peer.incarnation, 2u);
    }
  }
  EXPECT_GE(known, 10u);
}

// Nobody healthy is taken for dead by mistake for long.
TEST(OverlayAcceptance, Of200PeersUnder10PercentLossAllStayKnown) {
  SwarmOptions options;
  options.peers = 200;
  options.loss = .1;
  Swarm swarm(options);
  swarm.start_random();
  swarm.run(120s);
  EXPECT_TRUE(connected(swarm));
  EXPECT_GE(in_degrees(graph_of(swarm)).min, 3u);
  EXPECT_GT(fill_of(swarm), 19.0);
}

}  // namespace
}  // namespace dunlin::test
