// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <ns3/simulator.h>

#include "sched/node_spec.h"
#include "sched/peer_params.h"
#include "sim/engine/members.h"

namespace dunlin::sim {

/// Two peers that nothing drives, and a simulator that ends with the test.
class TwoMembers : public ::testing::Test {
 protected:
  TwoMembers() {
    const sched::SharedParams params{sched::PeerParams{}};
    for (std::uint32_t i = 0; i < 2; ++i) {
      members.all.push_back({.alarm = {},
          .peer = sched::Peer(params, sched::NodeSpec{.endpoint = {.id = {i + 1}}}, {}),
          .rng = Rng{i},
          .running = {}});
    }
  }
  ~TwoMembers() override { ns3::Simulator::Destroy(); }

  Members members;
};

}  // namespace dunlin::sim
