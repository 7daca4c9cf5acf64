// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// What a real agent remembers of its own figures, as another one tells it.
namespace dunlin::node {
namespace {

class PastLive : public AgentWorld {};

TEST_F(PastLive, AnAgentRemembersWhatRanThere) {
  TestAgent& home_agent = add("a", {"--cpus=0.1"});
  add("b");
  wait_for_nodes(home_agent, 2);
  const auto failed = submit(home_agent, "exit 3", 2);
  finish(home_agent, failed);
  const auto job = submit(home_agent, "sleep 60", 2);
  Json told;
  const auto sum = [&](std::size_t figure) {
    std::int64_t all = 0;
    for (const Json& value : told["figures"][figure]["values"]) {
      if (value.is_number()) all += value.get<std::int64_t>();
    }
    return all;
  };
  EXPECT_TRUE(eventually([&] {
    told = home_agent.client().ok(
        request("past", {{"at", "b"}, {"figures", {"running", "started", "datagrams_sent"}}}));
    return sum(0) >= 2 && sum(2) > 0;
  })) << told;
  EXPECT_EQ(told["node_name"], "b");
  const ProgramRun shown = run_dunlin(home_agent.socket(), {"node", "show", "b"});
  EXPECT_THAT(shown.out, ::testing::HasSubstr("  past     "));
  home_agent.client().ok(request("cancel", {{"number", job}}));
}

}  // namespace
}  // namespace dunlin::node
