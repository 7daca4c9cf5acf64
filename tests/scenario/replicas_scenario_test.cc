// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <optional>

#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

// Jobs with replicas, in whole peers: a home dies for good, disk and all, and a standby goes on
// with its jobs. See sched/replica/ for the protocol, and the swarm of replicas for its edges.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::JobState;
using sched::TaskState;

class Replicas : public ::testing::Test {
 protected:
  void SetUp() override {
    world.add(8, {});
    world.run_for(10s);
  }
  static sched::Job replicated(
      std::uint32_t tasks, sched::Duration length, std::uint8_t replicas = 1) {
    sched::Job made = job(tasks, lasting(length));
    made.replicas = replicas;
    return made;
  }
  /// The standbys in sync of the jobs that `node` drives.
  std::size_t standbys(std::size_t node) {
    const sched::PeerLogs* logs = world.peer(node).logs();
    if (logs == nullptr) return 0;
    for (const auto& part : logs->parts()) {
      // Books that one node alone keeps die with it.
      if (part->frontend() == nullptr || part->facts().contacts.size() < 3) continue;
      return part->copy().entry().set.size() - 1;
    }
    return 0;
  }
  std::string describe() {
    std::string text;
    for (std::size_t node = 0; node < world.size(); ++node) {
      if (!world.up(node) || world.peer(node).logs() == nullptr) continue;
      for (const auto& part : world.peer(node).logs()->parts()) {
        const auto& entry = part->copy().entry();
        text += "node " + std::to_string(node) + " end " +
            std::to_string(part->copy().log().end()) + " epoch " + std::to_string(entry.epoch) +
            " version " + std::to_string(entry.version) + " home " +
            std::to_string(entry.home.node.id.value) + " set " + std::to_string(entry.set.size()) +
            " cell " + std::to_string(part->facts().cell.value) + " contacts " +
            std::to_string(part->facts().contacts.size()) + "\n";
      }
    }
    return text;
  }
  /// The job at whichever node drives it.
  const JobState* find(const JobId& id) {
    for (std::size_t node = 0; node < world.size(); ++node) {
      if (!world.up(node)) continue;
      const JobState* const found = sched::find_job(world.peer(node), id);
      if (found != nullptr) return found;
    }
    return nullptr;
  }
  bool finishes(const JobId& id, sched::Duration limit) {
    return world.run_until(
        [&] {
          const JobState* const found = find(id);
          return found != nullptr && found->finished();
        },
        limit);
  }

  World world{{.seed = 11}};
};

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
