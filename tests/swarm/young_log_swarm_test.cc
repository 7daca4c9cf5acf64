// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/frontend/job_state.h"
#include "sched/logs/log_part.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"
#include "tests/swarm/seeds.h"

// A job that requires replicas is submitted in a cluster that has just begun, and once its user was
// told that it is taken, its home's machine is lost for good, and as many others as it should
// outlive: it must end well. So must every other job that was told.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

/// How a run is drawn.
struct Young {
  WorldOptions options;
  std::vector<std::uint64_t> machines;  ///< By node.
  std::size_t home = 0;
  std::uint8_t required = 1;
};

Young draw_young(overlay::Rng& rng, std::uint64_t seed) {
  Young young{.options = {.seed = seed, .codec = rng.chance(0.2), .check = rng.chance(0.2)},
      .machines = {}};
  auto& network = young.options.network;
  network.latency_max = rng.between(500us, 40ms);
  network.loss = rng.chance(0.5) ? rng.uniform() * 0.1 : 0;
  network.duplication = rng.chance(0.3) ? rng.uniform() * 0.1 : 0;
  young.options.commit_max = rng.chance(0.5) ? rng.between(0ms, 50ms) : 0ms;
  young.required = rng.chance(0.2) ? 2 : 1;
  const std::size_t machines = sched::machines_needed(young.required) + rng.below(3);
  for (std::size_t i = 0; i < machines; ++i) young.machines.push_back(1 + i);
  for (std::size_t i = rng.below(4); i > 0; --i) {
    young.machines.push_back(1 + rng.below(static_cast<std::uint32_t>(machines)));
  }
  young.home = rng.index(young.machines.size());
  return young;
}

bool was_told(const World& world, const JobId& id) {
  return std::ranges::find(world.acknowledged(), id) != world.acknowledged().end();
}

/// The job at the node that drives it; nullptr if none does.
const sched::JobState* find_driven(const World& world, const JobId& id) {
  for (std::size_t node = 0; node < world.size(); ++node) {
    if (!world.up(node)) continue;
    if (const auto* const found = sched::find_job(world.peer(node), id)) return found;
  }
  return nullptr;
}

/// The machine, with the disks of its nodes, is gone for good.
void lose_machine(World& world, const Young& young, std::uint64_t machine) {
  for (std::size_t node = 0; node < world.size(); ++node) {
    if (young.machines[node] != machine || !world.up(node)) continue;
    world.crash(node);
    world.erase_disk(node);
  }
}

/// What each node knows of its logs, and which books it keeps.
std::string describe(const World& world) {
  std::ostringstream text;
  for (std::size_t node = 0; node < world.size(); ++node) {
    text << "\n node " << World::id_of(node).value << (world.up(node) ? "" : " is gone");
    if (!world.up(node)) continue;
    const sched::Peer& peer = world.peer(node);
    static const std::vector<std::unique_ptr<sched::logs::LogPart>> kNone;
    for (const auto& part : peer.logs() == nullptr ? kNone : peer.logs()->parts().all()) {
      const auto& entry = part->copy().entry();
      text << "\n  log " << part->facts().log % 1000 << " of " << part->facts().origin.value
           << (part->frontend() != nullptr ? " HOME" : "") << " end " << part->copy().log().end()
           << " epoch " << entry.epoch << " version " << entry.version << " home "
           << entry.home.node.id.value << " set";
      for (const auto& member : entry.set) text << " " << member.node.id.value;
      text << " cell " << part->facts().cell.value % 1000 << " contacts";
      for (const auto& each : part->facts().contacts) text << " " << each.node.value;
      text << (part->books().opened() ? " opened" : "") << " voters "
           << int{part->books().voters()};
      text << (part->orphaned(world.now()) ? " orphan" : "");
    }
    const auto* const cells = peer.cells();
    if (cells == nullptr) continue;
    text << "\n  member of " << cells->member().cell().value % 1000 << " state "
         << static_cast<int>(cells->member().state());
    for (const auto& hosted : cells->hosted()) {
      text << "\n  books of " << hosted->cell().value % 1000 << (hosted->manager ? " LEADS" : "")
           << (hosted->books().roster().closed ? " closed" : "") << " voters";
      for (const auto& each : hosted->group.members()) {
        text << " " << each.node.value << (each.role == sched::MemberRole::voter ? "" : "(spare)");
      }
      for (const auto& log : hosted->books().roster().logs) {
        text << " log " << log.log % 1000 << " epoch " << log.epoch << " version " << log.version
             << " moved to " << log.moved_to.value % 1000;
      }
    }
  }
  return text.str();
}

void run_young(std::uint64_t seed) {
  overlay::Rng rng(seed ^ 0x70c4);
  const Young young = draw_young(rng, seed);
  World world(young.options);
  for (const std::uint64_t machine : young.machines) world.add({.machine = machine});
  world.run_for(rng.chance(0.5) ? rng.between(0ms, 500ms) : rng.between(0s, 20s));
  sched::Job wants = job(3, lasting(rng.between(1s, 30s)));
  wants.replicas = wants.replicas_required = young.required;
  std::vector<JobId> jobs;
  for (std::size_t i = 1 + rng.below(3); i > 0; --i) {
    jobs.push_back(world.submit(young.home, wants, true).value());
    world.run_for(rng.exponential(500ms));
  }
  const auto first_told = [&] { return was_told(world, jobs.front()); };
  ASSERT_TRUE(world.run_until(first_told, 120s)) << "seed " << seed << " is never told";
  if (rng.chance(0.7)) world.run_for(rng.exponential(700ms));
  std::vector<JobId> told;
  std::ranges::copy_if(
      jobs, std::back_inserter(told), [&](const JobId& id) { return was_told(world, id); });
  std::set<std::uint64_t> lost = {young.machines[young.home]};
  while (lost.size() < young.required) lost.insert(young.machines[rng.index(world.size())]);
  for (const std::uint64_t machine : lost) lose_machine(world, young, machine);
  const auto over = [&] {
    return std::ranges::all_of(told, [&](const JobId& id) {
      const auto* const found = find_driven(world, id);
      return found != nullptr && found->finished();
    });
  };
  EXPECT_TRUE(world.run_until(over, 900s))
      << "seed " << seed << ": a job that was told is lost" << describe(world);
  EXPECT_EQ(world.failure(), "") << "seed " << seed;
}

constexpr std::uint64_t kYoungSeedsPerTest = 15;
constexpr int kYoungTests = 4;

class YoungLogSwarm : public ::testing::TestWithParam<int> {};

TEST_P(YoungLogSwarm, WhatWasToldOutlivesItsHome) {
  auto [first, end] = asked_for();
  const bool asked = first != end;
  if (asked && GetParam() != 0) GTEST_SKIP() << "DUNLIN_SEED is set";
  if (!asked) {
    first = static_cast<std::uint64_t>(GetParam()) * kYoungSeedsPerTest + 1;
    end = first + kYoungSeedsPerTest;
  }
  for (std::uint64_t seed = first; seed < end && !HasFailure(); ++seed) {
    // Told beforehand: a broken ensure() ends the program.
    std::cout << "[ SEED     ] " << seed << std::endl;
    run_young(seed);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, YoungLogSwarm, ::testing::Range(0, kYoungTests));

}  // namespace
}  // namespace dunlin::test
