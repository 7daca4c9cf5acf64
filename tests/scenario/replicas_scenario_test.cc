// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <set>

#include "sched/cell/hosted_replica.h"
#include "sched/peer_view.h"
#include "tests/scenario/replicas.h"

// Jobs with replicas, in whole peers: a home dies for good, disk and all, and a standby goes on
// with its jobs. See sched/replica/ for the protocol, and the swarm of replicas for its edges.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::JobState;
using sched::TaskState;

TEST_F(Replicas, AJobGetsAStandby) {
  const JobId id = world.submit(0, replicated(4, 200s)).value();
  EXPECT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s));
  EXPECT_TRUE(finishes(id, 400s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 4u);
  EXPECT_EQ(world.failure(), "");
}

TEST_F(Replicas, AStandbyGoesOnWhereAHomeDiedForGood) {
  const JobId id = world.submit(0, replicated(300, 4s)).value();
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s));
  world.crash(0);
  world.erase_disk(0);
  const auto died = world.now();
  ASSERT_TRUE(world.run_until([&] { return find(id) != nullptr; }, 60s))
      << "no takeover: " << describe();
  EXPECT_LE(world.now() - died, 10s);
  EXPECT_TRUE(finishes(id, 300s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 300u);
  EXPECT_EQ(world.failure(), "");
}

// It comes back with its disk, and hears that another node drives its jobs.
TEST_F(Replicas, AHomeThatComesBackLateIsAStandby) {
  const JobId id = world.submit(0, replicated(300, 4s)).value();
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s));
  world.crash(0);
  ASSERT_TRUE(world.run_until([&] { return find(id) != nullptr; }, 60s)) << "no takeover";
  world.restart(0);
  world.run_for(10s);
  EXPECT_EQ(sched::find_job(world.peer(0), id), nullptr);
  EXPECT_TRUE(finishes(id, 300s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 300u);
  EXPECT_EQ(world.failure(), "");
}

// The home may die before it says the word that they wait for. They may have heard of no standby,
// since it had none when it gave them their tasks.
TEST_F(Replicas, WorkersWhoseReportsWaitAreToldOfTheStandbys) {
  (void)world.submit(0, replicated(1500, 2s)).value();
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 60s)) << describe();
  const auto begun = world.now();
  std::set<std::size_t> wait;
  std::set<std::size_t> told;
  world.filter([&](std::size_t from, std::size_t to, const AnyMessage& message) {
    if (said<sched::LogAppended>(message)) return 0u;
    const bool early = world.now() - begun < 2s;
    if (early && from != 0 && said<sched::Done>(message)) wait.insert(from);
    if (said<sched::HomeIs>(message) && from == 0) told.insert(to);
    return 1u;
  });
  world.run_for(2500ms);
  EXPECT_FALSE(wait.empty());
  EXPECT_TRUE(std::ranges::includes(told, wait)) << told.size() << " of " << wait.size();
  EXPECT_EQ(world.failure(), "");
}

// Seed 2066 of the swarm: tasks began before their log had a standby, and no word about standbys
// came through before the home died. Those that keep its books know which node drives the log.
TEST_F(Replicas, WorkersThatKnowNoStandbyFindTheNextHome) {
  bool dead = false;
  world.filter([&](std::size_t, std::size_t to, const AnyMessage& message) {
    // Those that keep the books answer, not those with a copy of the log.
    if (said<sched::FindHome>(message) && !world.logs(to).empty()) return 0u;
    const auto* const told = said<sched::HomeIs>(message);
    return told != nullptr && told->request == 0 && world.logs(to).empty() && !dead ? 0u : 1u;
  });
  const JobId id = world.submit(0, replicated(12, 60s)).value();
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 50s)) << describe();
  std::size_t unaware = 0;
  for (std::size_t node = 1; node < world.size(); ++node) {
    for (const auto& task : world.peer(node).worker()->running()) {
      if (world.logs(node).empty() && task.log.standbys.empty()) ++unaware;
    }
  }
  ASSERT_GT(unaware, 0u);
  const auto at_home = world.executor(0).started();
  world.crash(0);
  world.erase_disk(0);
  dead = true;
  ASSERT_TRUE(finishes(id, 300s)) << describe();
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 12u);
  EXPECT_EQ(started(), 12 + at_home) << "those at the home alone ran again";
  EXPECT_EQ(world.failure(), "");
}

// Short of a takeover it goes on, as it does without replicas.
TEST_F(Replicas, AHomeThatRestartsSoonGoesOn) {
  const JobId id = world.submit(0, replicated(200, 4s)).value();
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s));
  world.crash(0);
  world.run_for(1s);
  world.restart(0);
  world.run_for(1s);
  EXPECT_NE(sched::find_job(world.peer(0), id), nullptr);
  EXPECT_TRUE(finishes(id, 300s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 200u);
  EXPECT_EQ(world.failure(), "");
}

// No copy answers it, but the voters do, by the word of its own node's manager: it may go on alone.
TEST_F(Replicas, AHomeAtTheManagersNodeGoesOnWithoutItsStandby) {
  (void)world.submit(0, replicated(1, 1000s)).value();
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s)) << describe();
  const auto manages_books = [&](std::size_t node) {
    const sched::CellNode* cells = world.peer(node).cells();
    return cells != nullptr && std::ranges::any_of(cells->hosted(), [](const auto& hosted) {
      return hosted->manager && hosted->level() == 0;
    });
  };
  std::size_t manager = 0;
  while (!manages_books(manager)) ASSERT_LT(++manager, world.size()) << describe();
  const JobId id = world.submit(manager, replicated(100, 4s)).value();
  ASSERT_TRUE(world.run_until([&] { return standbys(manager) == 1; }, 60s)) << describe();
  world.crash(standby_of(manager));
  world.filter([manager](std::size_t from, std::size_t, const AnyMessage& message) {
    return from == manager && said<sched::LogAppend>(message) != nullptr ? 0u : 1u;
  });
  EXPECT_TRUE(world.run_until([&] { return standby_of(manager) == manager; }, 20s)) << describe();
  EXPECT_TRUE(finishes(id, 120s)) << describe();
  EXPECT_NE(sched::find_job(world.peer(manager), id), nullptr);
  EXPECT_EQ(world.failure(), "");
}

TEST_F(Replicas, ThreeHomesInARowMayDie) {
  const JobId id = world.submit(0, replicated(900, 4s, 2)).value();
  for (int i = 0; i < 3; ++i) {
    std::optional<std::size_t> home;
    ASSERT_TRUE(world.run_until(
        [&] {
          home.reset();
          for (std::size_t node = 0; node < world.size(); ++node) {
            if (world.up(node) && sched::find_job(world.peer(node), id) != nullptr) home = node;
          }
          return home && standbys(*home) == 2;
        },
        120s))
        << "after " << i << ": " << describe();
    world.crash(*home);
    world.erase_disk(*home);
    ASSERT_TRUE(world.run_until([&] { return find(id) != nullptr; }, 60s)) << "takeover " << i;
    // The books have lost a voter, too, and need another before they can lose one more.
    world.run_for(40s);
  }
  EXPECT_TRUE(finishes(id, 400s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 900u);
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
