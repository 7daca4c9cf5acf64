// SPDX-License-Identifier: MIT
// Federated placement: nodes that change their cells under a launch.
#include "tests/scenario/federated.h"

namespace dunlin::test {
namespace {

// Its cell is out of reach for it, so it looks for another one, while the local master of the first
// waits for the answer to a start.
TEST_F(FederationScenario, AMemberChangesItsCellUnderALaunch) {
  for (const bool start_arrives : {true, false}) {
    SCOPED_TRACE(start_arrives);
    started.clear();
    lost = 0;
    on_send = nullptr;
    form();
    std::size_t member = 0;
    while (member < kFederatedNodes && manager_of(member) == member) ++member;
    ASSERT_LT(member, kFederatedNodes);
    const auto cell_of = [&](std::size_t node) {
      return world->peer(node).cells()->member().cell();
    };
    const sched::CellId before = cell_of(member);
    std::set<std::size_t> mates;
    std::size_t far = kFederatedNodes;
    for (std::size_t i = 0; i < kFederatedNodes; ++i) {
      if (i != member && cell_of(i) == before) mates.insert(i);
      if (cell_of(i) != before) far = i;
    }
    ASSERT_LT(far, kFederatedNodes);
    lead(far);
    bool cut = false;
    on_send = [&](std::size_t from, std::size_t to, const std::string& kind) {
      if (kind == "start_tasks" && to == member && !cut) {
        cut = true;
        return start_arrives ? 1u : 0u;
      }
      const bool between =
          (from == member && mates.contains(to)) || (to == member && mates.contains(from));
      return cut && between ? 0u : 1u;
    };
    auto whole_nodes = job(kFederatedNodes, lasting(20s));
    whole_nodes.groups[0].demand.cpu = 4000;
    const JobId id = *world->submit(far, whole_nodes);
    ASSERT_TRUE(world->run_until([&] { return cut; }, 5s));
    ASSERT_TRUE(world->run_until(
        [&] {
          const auto& own = world->peer(member).cells()->member();
          return own.is_member() && own.cell() != before;
        },
        120s));
    // Its new local master knows its row, and the old one forgets it.
    on_send = nullptr;
    ASSERT_TRUE(finish(far, id, 120s));
    EXPECT_EQ(state(far, id).counts()[sched::TaskState::succeeded], kFederatedNodes);
    EXPECT_LE(lost, 1) << "at most what was launched there";
    const JobId next = *world->submit(far, whole_nodes);
    EXPECT_TRUE(
        world->run_until([&] { return master(far).view().size() == kFederatedNodes; }, 60s));
    ASSERT_TRUE(finish(far, next, 120s));
  }
}

// Section IV-D: standbys get all updates, so the next local master knows its members at once.
TEST_F(FederationScenario, AStandbyKnowsTheRowsOfItsCell) {
  for (const bool standby : {false, true}) {
    SCOPED_TRACE(standby);
    on_send = nullptr;
    WorldOptions made = options(sched::PlacementName::federated);
    made.params.federation.standby = standby;
    form(made);
    std::size_t far = 0;
    while (manager_of(far) == far) ++far;
    lead(far);
    const JobId busy = *world->submit(far, job(16, lasting(60s)));
    world->run_for(3s);
    const std::size_t dead = manager_of(far);
    const sched::CellId cell = world->peer(far).cells()->member().cell();
    world->crash(dead);
    // No member answers a roll call, so rows are those that were sent before.
    on_send = [](std::size_t, std::size_t, const std::string& kind) {
      return kind == "roll_call" ? 0u : 1u;
    };
    std::size_t known = 0;
    world->run_until(
        [&] {
          if (manager_of(far) == dead) return false;
          const std::size_t next = manager_of(far);
          if (!world->up(next) || world->peer(next).masters() == nullptr) return false;
          const auto& locals = world->peer(next).masters()->masters();
          if (!locals.contains(cell)) return false;
          known = locals.at(cell).members().size();
          return true;
        },
        30s);
    if (standby) {
      EXPECT_GE(known, 4u);
    } else {
      EXPECT_EQ(known, 0u);
    }
    EXPECT_EQ(world->failure(), "");
    (void)busy;
  }
}

}  // namespace
}  // namespace dunlin::test
