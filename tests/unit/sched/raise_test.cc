// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

// A node that becomes a later incarnation while it works: nothing of what it does is lost or done
// twice.
namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::World;

TEST(Raise, TasksGoOnAndAreKnownUnderTheNewIncarnation) {
  World world({.seed = 5});
  world.add(3, {});
  world.run_for(20s);
  int started = 0;
  int changed_hands = 0;
  world.on_event = [&](std::size_t, const Event& event) {
    started += std::holds_alternative<TaskStarted>(event);
    changed_hands +=
        std::holds_alternative<TaskAdopted>(event) || std::holds_alternative<TaskLost>(event);
  };
  const auto id = world.submit(0, test::job(6, test::lasting(20s))).value();
  world.run_for(5s);
  ASSERT_EQ(started, 6);
  std::size_t node = 1;
  while (node < world.size() && running_of(world.peer(node)) == 0) ++node;
  ASSERT_LT(node, world.size()) << "a worker that is not the frontend";
  world.raise(node, 1000);
  EXPECT_EQ(world.peer(node).self().incarnation, 1001u);
  world.run_for(1s);
  EXPECT_EQ(changed_hands, 0) << "its tasks were never lost, not even for a moment";
  EXPECT_EQ(frontend_of(world.peer(0)).find(id)->counts()[TaskState::launched], 6u);
  for (const auto& [index, binding] : frontend_of(world.peer(0)).find(id)->bindings()) {
    if (binding.worker.id != World::id_of(node)) continue;
    EXPECT_EQ(binding.incarnation, 1001u);
  }
  world.run_for(60s);
  EXPECT_EQ(started, 6) << "nothing ran twice";
  EXPECT_EQ(frontend_of(world.peer(0)).find(id)->counts()[TaskState::succeeded], 6u);
  EXPECT_EQ(world.failure(), "");
}

TEST(Raise, PeersBelieveTheNewIncarnation) {
  World world({.seed = 6});
  world.add(4, {});
  world.run_for(30s);
  world.raise(2, 1000);
  world.run_for(30s);
  for (const std::size_t other : {0u, 1u, 3u}) {
    for (const auto& link : world.peer(other).overlay().cyclon().view().links()) {
      if (link.id() != World::id_of(2)) continue;
      EXPECT_EQ(link.neighbour.peer.incarnation, 1001u);
    }
  }
  EXPECT_EQ(world.failure(), "");
}

TEST(Trouble, IsPartOfANodesFacts) {
  World world({.seed = 7});
  world.add(2, {});
  world.run_for(10s);
  world.set_trouble(1, "its disk is sick");
  world.ask_for_facts(0);
  world.run_for(1s);
  const auto& nodes = directory_of(world.peer(0)).nodes();
  const auto known = nodes.find(World::id_of(1));
  ASSERT_NE(known, nodes.end());
  ASSERT_TRUE(known->second.facts);
  EXPECT_EQ(known->second.facts->trouble, "its disk is sick");
  world.set_trouble(1, std::string(1000, 'x'));
  world.ask_for_facts(0);
  world.run_for(1s);
  EXPECT_EQ(known->second.facts->trouble.size(), Facts::kTroubleMax);
}

}  // namespace
}  // namespace dunlin::sched
