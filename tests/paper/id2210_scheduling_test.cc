// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <variant>

#include "sched/frontend/placement/greedy_success.h"
#include "sched/hop.h"
#include "sched/peer_view.h"
#include "sched/worker/worker.h"
#include "tests/support/builders.h"
#include "tests/support/solo.h"
#include "tests/support/world.h"

// ID2210 project report (Hallberg, Zhao 2014): Sparrow on a gradient overlay; its scheduling half,
// and what it says it lacks.
namespace dunlin::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Id2210Placement : public Solo {
 protected:
  std::optional<sched::Hop> best(
      const sched::Resources& demand, std::vector<std::uint64_t> visited = {}) {
    const sched::Signature nothing;
    return sched::best_hop(around(), {demand, nothing, visited});
  }
  const sched::Resources small_{.cpu = 1000, .memory = 1024, .custom = {}};
};

// Section 3.2: a node's utility is freeCPU / maxCPU * freeMemory / maxMemory: both count.
TEST_F(Id2210Placement, GreedyGoesToTheHighestUtility) {
  know(1, 8000, 1024);  // 1.0 * 0.125
  know(2, 4000, 4096);  // 0.5 * 0.5: the highest
  know(3, 1000, 8192);  // 0.125 * 1.0
  EXPECT_EQ(best(small_)->to.id, node(2).id);
}

// Not in the report: a high utility is no use if the demand does not fit.
TEST_F(Id2210Placement, GreedySkipsWhatDoesNotFit) {
  know(1, 7000, 7000);
  know(2, 2000, 8192);
  EXPECT_EQ(best({.cpu = 1000, .memory = 8000, .custom = {}})->to.id, node(2).id);
  EXPECT_FALSE(best({.cpu = 8000, .memory = 8192, .custom = {}}).has_value());
}

// Design, section 5: a reservation never goes to a node it visited.
TEST_F(Id2210Placement, NoHopGoesBack) {
  know_nodes(5);
  const sched::Signature nothing;
  std::vector<std::uint64_t> visited;
  for (std::size_t i = 0; i < 5; ++i) {
    const auto hop = sched::random_hop(around(), {small_, nothing, visited}, rng);
    ASSERT_TRUE(hop.has_value());
    EXPECT_EQ(std::ranges::count(visited, hop->to.id.value), 0);
    visited.push_back(hop->to.id.value);
  }
  EXPECT_FALSE(sched::random_hop(around(), {small_, nothing, visited}, rng).has_value());
}

// Section 3.1: "sends N * X probes to N * X peers": see SparrowFrontend. "When a worker receives an
// allocating request, it will immediately allocate resources if there are enough free, otherwise
// put the request to waiting queue until enough resources are released": here, in both resources.
TEST(Id2210Scheduling, WorkerAllocatesOrQueuesByBothResources) {
  World world({});
  world.add({.total = {.cpu = 8000, .memory = 2000, .custom = {}}, .attributes = {}});
  world.run_for(seconds(3));
  sched::Job job = test::job(2, lasting(seconds(2)));
  job.groups[0].demand = {.cpu = 2000, .memory = 2000, .custom = {}};
  const JobId id = world.submit(0, std::move(job)).value();
  world.run_for(seconds(1));
  EXPECT_EQ(world.peer(0).worker()->running().size(), 1u);
  EXPECT_EQ(world.peer(0).worker()->queue().size(), 1u);
  world.run_for(seconds(4));
  EXPECT_TRUE(sched::frontend_of(world.peer(0)).find(id)->finished().has_value());
}

// Section 4.1's request (2 CPUs, 2000 MB, 10 s, 2 machines) every 100 ms on 50 nodes of 8 CPUs: its
// load is 40 CPUs' worth of 400 a second, twice too much. At a quarter of the rate all of it runs,
// and nobody waits long for a resource.
TEST(Id2210Scheduling, FiftyNodesServeTheReportsRequests) {
  for (const auto placement : {sched::PlacementName::random, sched::PlacementName::gradient,
           sched::PlacementName::adaptive}) {
    WorldOptions options;
    options.params.frontend.placement = placement;
    World world(options);
    world.add(50, {.total = {.cpu = 8000, .memory = 12000, .custom = {}}, .attributes = {}});
    world.run_for(seconds(20));
    std::vector<JobId> jobs;
    for (std::size_t i = 0; i < 50; ++i) {
      world.at(world.now() + milliseconds(400 * i), [&world, &jobs, i] {
        sched::Job job = test::job(2, lasting(seconds(10)));
        job.groups[0].demand = {.cpu = 2000, .memory = 2000, .custom = {}};
        jobs.push_back(world.submit(i % 50, std::move(job)).value());
      });
    }
    std::vector<Duration> waits;
    world.on_event = [&](std::size_t, const sched::Event& event) {
      if (const auto* started = std::get_if<sched::TaskStarted>(&event)) {
        const auto& home = world.peer(World::node_of(started->job.home));
        waits.push_back(world.now() - home.frontend()->find(started->job)->accepted());
      }
    };
    world.run_for(seconds(60));
    ASSERT_EQ(world.failure(), "");
    ASSERT_EQ(waits.size(), 100u);
    std::ranges::sort(waits);
    EXPECT_LE(waits[98], milliseconds(50)) << static_cast<int>(placement);
    for (const JobId& id : jobs) {
      EXPECT_TRUE(sched::frontend_of(world.peer(World::node_of(id.home))).find(id)->finished());
    }
  }
}

// Section 5: "some exceptions include late binding and failure handling". Late binding: if the
// first worker is slow to come free, the task runs where a slot comes free first.
TEST(Id2210Scheduling, LateBindingRunsWhereASlotComesFreeFirst) {
  WorldOptions options;
  options.params.frontend.hops_max = 0;
  options.params.frontend.probe_ratio = 2;
  World world(options);
  world.add({.total = {.cpu = 500, .memory = 8192, .custom = {}}, .attributes = {}});
  world.add(2, {.total = {.cpu = 1000, .memory = 8192, .custom = {}}, .attributes = {}});
  world.run_for(seconds(5));
  const auto one = [&](Duration duration) {
    const JobId id = world.submit(0, job(1, lasting(duration))).value();
    world.run_for(milliseconds(50));
    return id;
  };
  one(seconds(100));
  one(seconds(3));
  const JobId id = one(seconds(1));
  world.run_for(seconds(5));
  EXPECT_TRUE(sched::frontend_of(world.peer(0)).find(id)->finished().has_value());
}

// Design, section 5: the greedy share follows the measured success of greedy hops, and recovers.
TEST(Id2210Scheduling, GreedyShareFollowsSuccess) {
  sched::GreedySuccess success;
  const auto small = sched::DemandClass::small;
  const auto large = sched::DemandClass::large;
  const sched::Walk failed{.greedy_hops = 3, .greedy_hits = 0};
  const sched::Walk good{.greedy_hops = 1, .greedy_hits = 1};
  for (int i = 0; i < 50; ++i) success.learn(small, failed);
  for (int i = 0; i < 50; ++i) success.learn(large, good);
  EXPECT_LT(success.share(small, 0.05, 0.8), 0.1);
  EXPECT_EQ(success.share(large, 0.05, 0.8), 0.8);  // Capped: never all of them.
  for (int i = 0; i < 200; ++i) success.learn(small, good);
  EXPECT_GT(success.share(small, 0.05, 0.8), 0.7);
}

/// A task for `demand` that runs at the node called `name`.
sched::Job task_at(const std::string& name, const sched::Resources& demand) {
  sched::Job job = test::job(1, lasting(seconds(1000)));
  job.groups[0].demand = demand;
  job.groups[0].constraints = {
      {.key = "name", .comparison = sched::Comparison::equal, .value = name}};
  return job;
}

/// What a cluster does with a task of the first node, too small itself, where one other has more
/// CPU free and one more memory.
struct Chosen {
  std::size_t by_view = 0;       ///< The first in the first node's view.
  std::size_t by_placement = 0;  ///< Where its reservation went.
};

Chosen chosen_by(overlay::Utility utility) {
  WorldOptions options;
  options.params.gradient.utility = utility;
  options.params.gradient.ranking = overlay::Ranking::highest;
  options.params.frontend.placement = sched::PlacementName::gradient;
  options.params.frontend.probe_ratio = options.params.frontend.probe_ratio_full = 1;
  World world(options);
  const auto node = [&](const std::string& name, std::uint32_t cpu) {
    world.add({.total = {.cpu = cpu, .memory = 8000, .custom = {}},
        .attributes = {{.key = "name", .value = name}}});
  };
  node("small", 100);
  node("cpu", 4000);     // It will have .75 of its CPU and .25 of its memory free: .19 by both.
  node("memory", 4000);  // .4 of its CPU and .75 of its memory: .3 by both.
  world.run_for(seconds(5));
  const auto fill = [&](const std::string& name, std::uint32_t cpu, std::uint32_t memory) {
    EXPECT_TRUE(world.submit(0, task_at(name, {.cpu = cpu, .memory = memory, .custom = {}})));
  };
  fill("small", 90, 7900);
  fill("cpu", 1000, 6000);
  fill("memory", 2400, 2000);
  world.run_for(seconds(10));
  Chosen chosen;
  const auto view = world.peer(0).overlay().gradient().view();
  if (!view.empty()) chosen.by_view = World::node_of(view[0].peer.id);
  world.on_event = [&](std::size_t, const sched::Event& event) {
    if (const auto* sent = std::get_if<sched::ProbeSent>(&event)) {
      chosen.by_placement = World::node_of(sent->to);
    }
  };
  sched::Job job = test::job(1);
  job.groups[0].demand = {.cpu = 500, .memory = 500, .custom = {}};
  EXPECT_TRUE(world.submit(0, std::move(job)));
  world.run_for(seconds(1));
  EXPECT_EQ(world.failure(), "");
  return chosen;
}

// Section 3.2: one utility says which peers are desirable. It ranks the view, and the machines that
// are asked.
TEST(Id2210Scheduling, OneUtilityRanksTheViewAndTheTargetsOfProbes) {
  const Chosen by_cpu = chosen_by(overlay::Utility::cpu);
  EXPECT_EQ(by_cpu.by_view, 1u);
  EXPECT_EQ(by_cpu.by_placement, 1u);
  for (const auto utility : {overlay::Utility::memory, overlay::Utility::cpu_memory}) {
    const Chosen other = chosen_by(utility);
    EXPECT_EQ(other.by_view, 2u);
    EXPECT_EQ(other.by_placement, 2u);
  }
}

// Sections 2.3 and 3.1: N * X probes to peers "selected from its current samples", which are those
// of T-Man. They stay where they fall, and however long they wait no more are sent.
TEST(Id2210Scheduling, SamplesOfTManAreAskedAndNothingElse) {
  WorldOptions options;
  options.params.gradient.view_size = 8;
  options.params.frontend.placement = sched::PlacementName::tman;
  options.params.frontend.hops_max = 0;
  options.params.frontend.probe_ratio_full = 1;
  options.params.frontend.probes_crowded = 1;
  World world(options);
  world.add(60, {.total = {.cpu = 1000, .memory = 8192, .custom = {}}, .attributes = {}});
  world.run_for(seconds(20));
  for (std::size_t i = 0; i < 60; ++i) EXPECT_TRUE(world.submit(i, job(1, lasting(seconds(60)))));
  world.run_for(seconds(10));
  std::size_t probes = 0;
  std::size_t walked = 0;
  world.on_event = [&](std::size_t node, const sched::Event& event) {
    walked += std::holds_alternative<sched::ReservationForwarded>(event) ? 1U : 0U;
    const auto* sent = std::get_if<sched::ProbeSent>(&event);
    if (sent == nullptr) return;
    ++probes;
    const auto around = world.peer(node).overlay().gradient();
    EXPECT_TRUE(around.knows(sent->to) || World::node_of(sent->to) == node);
  };
  ASSERT_TRUE(world.submit(7, job(2, lasting(seconds(1)))));
  world.run_for(seconds(15));
  EXPECT_EQ(probes, 4u);
  EXPECT_EQ(walked, 0u);
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
