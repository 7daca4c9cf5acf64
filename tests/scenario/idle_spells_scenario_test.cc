// SPDX-License-Identifier: MIT
#include <string>

#include "tests/scenario/federated.h"

// A cluster that had nothing to do for a while is as good as one that never stood still. Masters
// that nobody needs are forgotten in such a spell, and made anew with the next job.
namespace dunlin::test {
namespace {

class IdleSpells : public FederationScenario,
                   public ::testing::WithParamInterface<sched::PlacementName> {};

TEST_P(IdleSpells, JobsAfterThemStartAtOnce) {
  form(options(GetParam()));
  for (int spell = 0; spell < 3; ++spell) {
    for (std::size_t i = 0; i < 6; ++i) {
      const JobId id = *world->submit(i % 3, job(4, lasting(100ms)));
      ASSERT_TRUE(finish(i % 3, id, 5s)) << "spell " << spell << ", job " << i;
      // What is near may be known by then, and what is far.
      world->run_for(300ms);
    }
    world->run_for(20s);
  }
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(started.size(), 3u * 6 * 4);
}

INSTANTIATE_TEST_SUITE_P(Placements,
    IdleSpells,
    ::testing::Values(sched::PlacementName::random,
        sched::PlacementName::gradient,
        sched::PlacementName::adaptive,
        sched::PlacementName::tman,
        sched::PlacementName::federated),
    [](const auto& each) {
      return std::string(overlay::kWords<sched::PlacementName>[static_cast<int>(each.param)]);
    });

// Its words may be lost, or another one said that it has started what it has not.
TEST_F(FederationScenario, AWorkerThatIsNotHeardIsAskedAfterItsStarts) {
  form();
  lead(0);
  bool lie = true;
  on_send = [&](std::size_t, std::size_t, const std::string& kind) {
    return kind == "renew" && lie ? 0u : 1u;
  };
  const JobId id = *world->submit(0, job(6, lasting(20s)));
  ASSERT_TRUE(world->run_until([&] { return started.size() == 6; }, 5s));
  world->run_for(3s);
  EXPECT_GT(sent["ask_after"], 0);
  lie = false;
  ASSERT_TRUE(finish(0, id));
  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace dunlin::test
