// SPDX-License-Identifier: MIT
#include "node/control/agent_services.h"

#include <gtest/gtest.h>

#include "sched/peer_view.h"
#include "tests/unit/node/control/fake_agent.h"

namespace dunlin::node {
namespace {

TEST(AgentServices, NamesItsOwnNodeBeforeTheDirectoryKnowsIt) {
  const FakeAgent agent;
  ASSERT_EQ(sched::directory_of(agent.peer()).name_of(agent.id()), to_string(agent.id()))
      << "this test needs a directory that has not heard of its own node";
  EXPECT_EQ(agent.name_of(agent.id()), "merlin");
  EXPECT_EQ(agent.name_of({99}), "0000000000000063");
}

}  // namespace
}  // namespace dunlin::node
