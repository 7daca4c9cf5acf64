// SPDX-License-Identifier: MIT
// Jobs of several stages, in whole peers: workers and frontends die, and no task starts before its
// stage, whichever way it is placed.
#include <algorithm>
#include <set>

#include "tests/scenario/federated.h"
#include "tests/scenario/replicas.h"

namespace dunlin::test {
namespace {

using sched::JobState;
using sched::TaskState;

/// 12 tasks of map, then 5 of reduce, then one of report.
sched::Job three_stages(const Script& map = lasting(2s), const Script& reduce = lasting(1s)) {
  sched::Job made = job(12, map);
  made.groups[0].name = "map";
  made.groups.push_back(tasks(5, reduce));
  made.groups[1].name = "reduce";
  made.groups[1].after = {0};
  made.groups.push_back(tasks(1, lasting(1s)));
  made.groups[2].name = "report";
  made.groups[2].after = {1};
  return made;
}

/// The order in which the tasks of one job of those start and end, all over a world.
class Order {
 public:
  void note(const sched::Event& event) {
    if (const auto* const begun = std::get_if<sched::TaskStarted>(&event)) {
      if (begun->job.number != number) return;
      const std::uint32_t needed = begun->index < 12 ? 0 : begun->index < 17 ? 12 : 17;
      early_ = early_ || std::ranges::count_if(ended_, [&](auto i) { return i < needed; }) < needed;
      started_.insert(begun->index);
    } else if (const auto* const ended = std::get_if<sched::TaskEnded>(&event)) {
      const bool counts = ended->job.number == number && ended->final && ended->status == 0;
      if (counts) ended_.insert(ended->index);
    } else if (std::get_if<sched::TaskLaunched>(&event) != nullptr) {
      ++launched_;
    }
  }
  /// A task started before its stage.
  bool early() const { return early_; }
  std::size_t started() const { return started_.size(); }
  int launched() const { return launched_; }

  std::uint32_t number = 1;  ///< Of the job, at its home.

 private:
  std::set<std::uint32_t> started_;
  std::set<std::uint32_t> ended_;
  bool early_ = false;
  int launched_ = 0;
};

class StagesScenario : public ::testing::Test {
 protected:
  static const JobState* find(const World& world, const JobId& id) {
    for (std::size_t node = 0; node < world.size(); ++node) {
      if (!world.up(node)) continue;
      const JobState* const found = sched::find_job(world.peer(node), id);
      if (found != nullptr) return found;
    }
    return nullptr;
  }
  static bool finishes(World& world, const JobId& id, Duration limit) {
    return world.run_until(
        [&] {
          const JobState* const found = find(world, id);
          return found != nullptr && found->finished();
        },
        limit);
  }
};

// Each seed: a worker and the frontend die once, at moments drawn, with loss, doubles and late
// disks throughout.
TEST_F(StagesScenario, SurviveTheDeathOfAWorkerAndOfTheFrontend) {
  std::size_t killed_between = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    World world{{.seed = seed,
        .network = {.loss = 0.1, .duplication = 0.1, .straggling = 0.05},
        .commit_max = 200ms}};
    world.add(4, {});
    world.run_for(5s);
    overlay::Rng rng(seed);
    Order order;
    world.on_event = [&](std::size_t, const sched::Event& event) { order.note(event); };
    const JobId id = world.submit(0, three_stages()).value();
    ASSERT_TRUE(world.run_until([&] { return world.all_durable(); }, 5s));
    for (const std::size_t node : {std::size_t{0}, std::size_t{2}}) {
      const auto dies = world.now() + rng.between(Duration{0}, 8s);
      world.at(dies, [&, node] {
        const JobState* const state = find(world, id);
        if (node == 0 && state->offered(0) == 0 && !state->finished()) ++killed_between;
        world.crash_somehow(node, rng);
      });
      world.at(
          dies + 100ms + rng.between(Duration{0}, 5s), [&world, node] { world.restart(node); });
    }
    world.run_for(14s);
    EXPECT_TRUE(finishes(world, id, 200s));
    EXPECT_FALSE(order.early());
    EXPECT_EQ(find(world, id)->counts()[TaskState::succeeded], 18u);
    ASSERT_EQ(world.failure(), "");
  }
  EXPECT_GT(killed_between, 10u) << "or the frontend died at no time that matters";
}

TEST_F(StagesScenario, AFailureEndsTheJobAndLeavesNothingBehind) {
  World world{{.seed = 4}};
  world.add(3, {});
  world.run_for(5s);
  Order order;
  world.on_event = [&](std::size_t, const sched::Event& event) { order.note(event); };
  const Script fails{.duration = 1s, .status = 1, .attempts_failing = 9};
  const JobId id = world.submit(0, three_stages(lasting(2s), fails)).value();
  ASSERT_TRUE(finishes(world, id, 60s));
  const JobState& state = *find(world, id);
  EXPECT_EQ(state.counts()[TaskState::succeeded], 12u);
  EXPECT_EQ(state.counts()[TaskState::failed], 5u);
  EXPECT_EQ(state.counts()[TaskState::cancelled], 1u);
  EXPECT_EQ(order.started(), 17u) << "its report never starts";
  world.run_for(30s);
  for (std::size_t node = 0; node < world.size(); ++node) {
    EXPECT_TRUE(world.peer(node).worker()->queue().empty()) << "node " << node;
  }
  EXPECT_EQ(world.failure(), "");
}

using StagedReplicas = Replicas;

TEST_F(StagedReplicas, TheNextHomeOfAJobKnowsItsStages) {
  sched::Job staged = three_stages(lasting(120s));
  staged.replicas = 1;
  Order order;
  world.on_event = [&](std::size_t, const sched::Event& event) { order.note(event); };
  const JobId id = world.submit(0, staged).value();
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 110s)) << describe();
  world.crash(0);
  world.erase_disk(0);
  ASSERT_TRUE(world.run_until([&] { return find(id) != nullptr; }, 60s)) << describe();
  ASSERT_TRUE(finishes(id, 300s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 18u);
  EXPECT_FALSE(order.early());
  EXPECT_EQ(world.failure(), "");
}

class FederationStages : public FederationScenario {
 protected:
  void begin() {
    form();
    lead(0);
    order.number = 2;
    world->on_event = [this](std::size_t node, const sched::Event& event) {
      note(node, event);
      order.note(event);
    };
  }
  Order order;  ///< Of the next job: the first was for warming up.
};

TEST_F(FederationStages, LaunchesNoTaskBeforeItsStage) {
  begin();
  const JobId id = *world->submit(0, three_stages());
  ASSERT_TRUE(finish(0, id));
  EXPECT_EQ(state(0, id).counts()[TaskState::succeeded], 18u);
  EXPECT_FALSE(order.early());
  EXPECT_GT(order.launched(), 12) << "later stages are launched, too";
  EXPECT_EQ(world->failure(), "");
}

// The cluster is full, so that what waits is parked at local masters.
TEST_F(FederationStages, WhatIsHeldIsNotParked) {
  begin();
  const JobId busy = *world->submit(0, job(40, lasting(10s)));
  order.number = 3;
  const JobId id = *world->submit(0, three_stages());
  world->run_for(5s);
  const sched::Frontend& frontend = sched::frontend_of(world->peer(0));
  EXPECT_FALSE(frontend.parked_at(state(0, id), 0).empty());
  EXPECT_TRUE(frontend.parked_at(state(0, id), 1).empty());
  ASSERT_TRUE(finish(0, id, 120s));
  EXPECT_TRUE(state(0, busy).finished());
  EXPECT_FALSE(order.early());
}

TEST_F(FederationStages, AGangMayBeAStage) {
  begin();
  sched::Job made = three_stages();
  made.groups[1].gang = true;
  int gangs = 0;
  world->on_event = [&](std::size_t, const sched::Event& event) {
    order.note(event);
    gangs += std::holds_alternative<sched::GangStarted>(event) ? 1 : 0;
  };
  const JobId id = *world->submit(0, made);
  ASSERT_TRUE(finish(0, id));
  EXPECT_EQ(gangs, 1);
  EXPECT_FALSE(order.early());
  EXPECT_EQ(state(0, id).counts()[TaskState::succeeded], 18u);
}

}  // namespace
}  // namespace dunlin::test
