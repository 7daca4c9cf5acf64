// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "sched/cell/cell_node.h"
#include "tests/scenario/replicas.h"

// Jobs that require standbys: what waits for them, and what does not.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

// Alone, a home keeps back all that it would promise.
TEST(RequiredReplicas, WordsWaitForTheStandbysThatAreRequired) {
  World world{{.seed = 5}};
  world.add({});
  world.run_for(5s);
  sched::Job wants = job(3, lasting(1s));
  wants.replicas = wants.replicas_required = 1;
  EXPECT_EQ(world.submit(0, wants).error().kind, ErrorKind::refused) << "one machine";
  const JobId id = world.submit(0, wants, true).value();
  world.run_for(30s);
  EXPECT_TRUE(world.acknowledged().empty());
  EXPECT_EQ(world.executor(0).started(), 0u);
  EXPECT_EQ(sched::shortfall_of(world.peer(0), world.now(), id).lack, sched::logs::Lack::standbys);
  world.add({});
  world.run_for(60s);
  EXPECT_TRUE(world.acknowledged().empty()) << "books of two nodes die with the home";
  EXPECT_EQ(sched::shortfall_of(world.peer(0), world.now(), id).lack, sched::logs::Lack::keepers);
  world.add({});
  EXPECT_TRUE(world.run_until([&] { return !world.acknowledged().empty(); }, 120s));
  EXPECT_TRUE(world.run_until(
      [&] { return sched::find_job(world.peer(0), id)->finished().has_value(); }, 60s));
  EXPECT_EQ(world.failure(), "");
}

// Where no standby is to be had, a job that requires one waits; others do not wait for it, and it
// can be cancelled.
TEST(RequiredReplicas, AJobThatWaitsForStandbysHoldsUpNoOther) {
  World world{{.seed = 5}};
  world.add({});
  world.run_for(5s);
  sched::Job wants = job(8, lasting(1s));
  wants.replicas = wants.replicas_required = 1;
  const JobId waits = world.submit(0, wants, true).value();
  world.run_for(10s);
  sched::Job other = job(4, lasting(100ms));
  other.replicas = 1;
  const JobId runs = world.submit(0, other).value();
  const auto told = [&](const JobId& id) {
    return std::ranges::count(world.acknowledged(), id) > 0;
  };
  EXPECT_TRUE(world.run_until([&] { return told(runs); }, 1s));
  EXPECT_TRUE(world.run_until(
      [&] { return sched::find_job(world.peer(0), runs)->finished().has_value(); }, 5s));
  EXPECT_FALSE(told(waits));

  ASSERT_TRUE(world.cancel(0, waits));
  const auto* const logs = world.peer(0).logs();
  EXPECT_TRUE(world.run_until([&] { return logs->may_tell(logs->promise(waits)); }, 5s))
      << "its user hears that it is cancelled";
  EXPECT_EQ(world.executor(0).started(), 4u);
  EXPECT_EQ(world.failure(), "");
}

// Each number of required standbys has a log, and no job has one for itself.
TEST(RequiredReplicas, JobsThatRequireTheSameShareALog) {
  World world{{.seed = 5}};
  world.add(4, {});
  world.run_for(10s);
  for (int round = 0; round < 3; ++round) {
    for (std::uint8_t required = 0; required <= 1; ++required) {
      sched::Job wants = job(1, lasting(500ms));
      wants.replicas = 1;
      wants.replicas_required = required;
      ASSERT_TRUE(world.submit(0, wants));
    }
    world.run_for(20s);
  }
  EXPECT_LE(world.peer(0).logs()->parts().all().size(), 2u);
  EXPECT_EQ(world.acknowledged().size(), 6u);
  EXPECT_EQ(world.failure(), "");
}

// A home alone in its cell, where others are full, would keep the books of its jobs alone, too.
TEST(RequiredReplicas, AHomeWhoseCellIsTooSmallKeepsItsBooksInALargerOne) {
  WorldOptions options{.seed = 5};
  options.params.sharing.cell.cell_size = 4;
  World world(options);
  world.add(5, {});
  world.run_for(5s);
  sched::Job wants = job(3, lasting(1s));
  wants.replicas = 1;
  ASSERT_TRUE(world.submit(0, wants)) << "so that cells form";
  world.run_for(60s);
  const auto cell_of = [&](std::size_t node) { return world.peer(node).cells()->member().cell(); };
  std::map<sched::CellId, std::vector<std::size_t>> cells;
  for (std::size_t node = 0; node < world.size(); ++node) cells[cell_of(node)].push_back(node);
  const auto alone = std::ranges::find_if(
      cells, [](const auto& each) { return each.second.size() < sched::machines_needed(1); });
  ASSERT_NE(alone, cells.end()) << "it tests nothing";
  wants.replicas_required = 1;
  const JobId id = world.submit(alone->second.front(), wants).value();
  EXPECT_TRUE(
      world.run_until([&] { return std::ranges::count(world.acknowledged(), id) > 0; }, 30s));
  EXPECT_EQ(world.failure(), "");
}

TEST(RequiredReplicas, CellsTooSmallForThemAreSaidAtOnce) {
  WorldOptions options{.seed = 5};
  options.params.sharing.cell.cell_size = 2;
  World world(options);
  world.add(5, {});
  world.run_for(10s);
  sched::Job wants = job(3, lasting(1s));
  wants.replicas = wants.replicas_required = 1;
  const auto refused = world.submit(0, wants);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_NE(refused.error().text.find("2 nodes at most (cell.cell_size)"), std::string::npos)
      << refused.error().text;
}

}  // namespace
}  // namespace dunlin::test
