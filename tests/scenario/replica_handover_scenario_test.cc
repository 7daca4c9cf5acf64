// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <optional>
#include <variant>

#include "sched/logs/log_part.h"
#include "sched/logs/part_view.h"
#include "sched/peer_maintenance.h"
#include "tests/scenario/replicas.h"

// A home that stops, drains, or has a sick disk does not wait to be missed: it hands its jobs over.
// A standby in the same state makes way for another node.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::TaskState;

class ReplicaHandover : public Replicas {
 protected:
  JobId settled(std::uint32_t tasks, sched::Duration length, std::uint8_t replicas = 1) {
    const JobId id = world.submit(0, replicated(tasks, length, replicas)).value();
    EXPECT_TRUE(
        world.run_until([&] { return may_be_taken_over(0) && standbys(0) == replicas; }, 120s))
        << describe();
    return id;
  }
  const sched::logs::LogPart* driven(std::size_t node) {
    const sched::PeerLogs* logs = world.peer(node).logs();
    if (logs == nullptr) return nullptr;
    for (const auto& part : logs->parts().all()) {
      if (part->frontend() != nullptr) return part.get();
    }
    return nullptr;
  }
  bool may_be_taken_over(std::size_t node) {
    const auto* const part = driven(node);
    return part != nullptr && sched::logs::may_be_taken_over(*part);
  }
  std::optional<std::size_t> driver(const JobId& id) {
    for (std::size_t node = 0; node < world.size(); ++node) {
      if (world.up(node) && sched::find_job(world.peer(node), id) != nullptr) return node;
    }
    return std::nullopt;
  }
  bool in_set(std::size_t home, std::size_t node) {
    const auto* const part = driven(home);
    return part != nullptr &&
        std::ranges::any_of(part->copy().entry().set,
            [&](const auto& member) { return World::node_of(member.node.id) == node; });
  }
  bool departed(std::size_t node) {
    const auto* const logs = world.peer(node).logs();
    return logs == nullptr || logs->departed(world.now());
  }
  void maintain(
      std::size_t node, const std::function<void(sched::Maintenance, const sched::Host&)>& act) {
    world.act(
        node, [&](sched::Peer& peer, const sched::Host& host) { act(peer.maintenance(), host); });
  }
  void depart(std::size_t node) {
    maintain(node, [](auto maintenance, const auto& host) { maintenance.depart(host); });
  }
  void set_disk(std::size_t node, bool fails) {
    maintain(
        node, [fails](auto maintenance, const auto& host) { maintenance.set_disk(host, fails); });
  }
  bool take_over(std::size_t node, const JobId& id) {
    bool taken = false;
    maintain(node, [&](auto maintenance, const auto& host) {
      taken = maintenance.take_over(host, id).has_value();
    });
    return taken;
  }
  /// When each node last handed out tasks, and first did.
  struct Words {
    std::optional<sched::Time> first;
    sched::Time last{};
  };
  void watch_tasks() {
    world.filter([this](std::size_t from, std::size_t, const AnyMessage& message) {
      const auto* const tasks = said<sched::Tasks>(message);
      if (tasks != nullptr && !tasks->tasks.empty()) {
        Words& words = told[from];
        if (!words.first) words.first = world.now();
        words.last = world.now();
      }
      return 1u;
    });
  }
  std::map<std::size_t, Words> told;
};

TEST_F(ReplicaHandover, AHomeThatWillStopIsNotMissed) {
  const JobId id = settled(600, 8s);
  watch_tasks();
  world.run_for(5s);
  const auto asked = world.now();
  depart(0);
  ASSERT_TRUE(world.run_until([&] { return driver(id) && *driver(id) != 0; }, 10s)) << describe();
  EXPECT_LE(world.now() - asked, 1500ms) << "no lease of a silent home";
  const std::size_t next = *driver(id);
  ASSERT_TRUE(world.run_until([&] { return departed(0); }, 10s)) << describe();
  EXPECT_LE(world.now() - asked, 5s);
  EXPECT_FALSE(in_set(next, 0)) << "another node has taken its place";
  // Tasks of eight seconds end in waves.
  world.run_for(10s);
  EXPECT_TRUE(told[next].first) << "the new home hands tasks out";
  world.leave(0);
  EXPECT_TRUE(finishes(id, 600s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 600u);
  EXPECT_EQ(started(), 600u) << "no task runs twice for it";
  EXPECT_EQ(world.failure(), "");
}

TEST_F(ReplicaHandover, ADrainedHomeKeepsNoLog) {
  const JobId id = settled(300, 10s, 2);
  world.drain(0, true);
  ASSERT_TRUE(world.run_until([&] { return driver(id) && *driver(id) != 0; }, 10s)) << describe();
  const std::size_t next = *driver(id);
  EXPECT_TRUE(world.run_until([&] { return !in_set(next, 0) && standbys(next) == 2; }, 20s))
      << describe();
  EXPECT_TRUE(finishes(id, 600s));
  EXPECT_EQ(started(), 300u);
  EXPECT_EQ(world.failure(), "");
}

// There is no node that could take the jobs: the home drives them as long as it can.
TEST_F(ReplicaHandover, WithoutAStandbyADrainedHomeGoesOn) {
  const JobId id = settled(100, 30s);
  for (std::size_t node = 1; node < world.size(); ++node) set_disk(node, true);
  ASSERT_TRUE(
      world.run_until([&] { return !in_set(0, standby_of(0)) || standby_of(0) == 0; }, 30s));
  world.drain(0, true);
  world.run_for(10s);
  EXPECT_EQ(driver(id), 0u);
  EXPECT_TRUE(departed(0)) << "it need not wait for one";
  EXPECT_TRUE(finishes(id, 600s));
  EXPECT_EQ(world.failure(), "");
}

// The standby cannot claim: the home goes on, and numbers no attempt twice.
TEST_F(ReplicaHandover, AHomeGoesOnIfNoStandbyTakesOver) {
  const JobId id = settled(200, 10s);
  world.filter([](std::size_t, std::size_t, const AnyMessage& message) {
    const auto* const cells = std::get_if<sched::cell::Message>(&message);
    return cells != nullptr && std::holds_alternative<sched::cell::LogRequest>(*cells) ? 0u : 1u;
  });
  world.drain(0, true);
  world.run_for(10s);
  EXPECT_EQ(driver(id), 0u);
  EXPECT_TRUE(
      world.run_until([&] { return find(id)->counts()[TaskState::succeeded] > 100; }, 200s));
  world.filter(nullptr);
  ASSERT_TRUE(world.run_until([&] { return driver(id) && *driver(id) != 0; }, 20s)) << describe();
  EXPECT_TRUE(finishes(id, 600s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 200u);
  EXPECT_EQ(world.failure(), "");
}

TEST_F(ReplicaHandover, AStandbyWhoseDiskFailsMakesWayForAnother) {
  const JobId id = settled(300, 10s);
  const std::size_t sick = standby_of(0);
  const auto failed = world.now();
  set_disk(sick, true);
  ASSERT_TRUE(world.run_until([&] { return !in_set(0, sick) && standbys(0) == 1; }, 20s))
      << describe();
  EXPECT_LE(world.now() - failed, 5s);
  // It keeps none, and says so, as long as its disk fails.
  world.run_for(40s);
  EXPECT_FALSE(in_set(0, sick));
  EXPECT_TRUE(finishes(id, 600s));
  EXPECT_EQ(world.failure(), "");
}

TEST_F(ReplicaHandover, AHomeWhoseDiskFailsHandsOver) {
  const JobId id = settled(300, 10s);
  set_disk(0, true);
  ASSERT_TRUE(world.run_until([&] { return driver(id) && *driver(id) != 0; }, 10s)) << describe();
  EXPECT_TRUE(finishes(id, 600s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 300u);
  EXPECT_EQ(world.failure(), "");
}

// Signs of life cost little where nothing happens, and a home that dies then is missed as well.
TEST_F(ReplicaHandover, AHomeWithNothingToDoIsSilentForLonger) {
  const JobId id = settled(4, 60s);
  ASSERT_TRUE(finishes(id, 200s));
  world.run_for(10s);
  std::uint64_t words = 0;
  world.filter([&](std::size_t, std::size_t, const AnyMessage& message) {
    if (said<sched::LogAppend>(message) != nullptr) ++words;
    return 1u;
  });
  world.run_for(100s);
  EXPECT_GE(words, 15u);
  EXPECT_LE(words, 30u);
  const std::size_t standby = standby_of(0);
  EXPECT_NE(standby, 0u) << "it is no less in sync";
  world.crash(0);
  world.erase_disk(0);
  EXPECT_TRUE(world.run_until([&] { return driver(id).has_value(); }, 30s)) << describe();
  EXPECT_EQ(world.failure(), "");
}

// The home is gone, and so is the disk of its only standby in sync. A node that was a standby
// before has a part of the jobs: an administrator may go on with that.
TEST_F(ReplicaHandover, AnAdministratorGivesUpWhatIsLost) {
  const JobId id = settled(100, 40s, 2);
  const std::size_t former = standby_of(0);
  // From now on it hears of nothing, so it leaves the set; and another takes its place.
  world.crash(former);
  ASSERT_TRUE(world.run_until([&] { return !in_set(0, former) && standbys(0) == 2; }, 60s));
  world.run_for(5s);
  std::vector<std::size_t> set;
  for (const auto& member : driven(0)->copy().entry().set) {
    set.push_back(World::node_of(member.node.id));
  }
  // Voters stay: they are needed to decide. The disks of the logs alone are lost.
  for (const std::size_t node : set) world.crash(node);
  world.restart(former);
  world.run_for(2s);
  for (const std::size_t node : set) world.erase_logs(node);
  for (const std::size_t node : set) world.restart(node);
  world.run_for(30s);
  ASSERT_EQ(driver(id), std::nullopt) << describe();
  const auto ask = [&](std::size_t node) {
    Result<void> result;
    maintain(node,
        [&](auto maintenance, const auto& host) { result = maintenance.take_over(host, id); });
    return result;
  };
  const std::size_t stranger = [&] {
    for (std::size_t node = 1; node < world.size(); ++node) {
      if (node != former && world.logs(node).empty()) return node;
    }
    return std::size_t{0};
  }();
  EXPECT_EQ(ask(stranger).error().kind, ErrorKind::not_found);
  ASSERT_TRUE(world.run_until(
      [&] {
        if (driver(id) == former) return true;
        (void)ask(former);
        return false;
      },
      20s))
      << describe();
  EXPECT_EQ(ask(former).error().kind, ErrorKind::conflict) << "it drives the job";
  EXPECT_TRUE(finishes(id, 600s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 100u);
}

// Home and books are gone with all nodes but a standby. It does not know that they will not come
// back, so it takes nothing over by itself; but it says what it has.
TEST_F(ReplicaHandover, AStandbyIsAllThatIsLeft) {
  const JobId id = settled(20, 20s);
  const std::size_t standby = standby_of(0);
  for (std::size_t node = 0; node < world.size(); ++node) {
    if (node == standby) continue;
    world.crash(node);
    world.erase_disk(node);
  }
  unsigned told = 0;
  world.on_event = [&](std::size_t node, const sched::Event& event) {
    told += node == standby && std::holds_alternative<sched::LogOrphaned>(event) ? 1 : 0;
  };
  const auto orphans = [&] { return world.peer(standby).logs()->parts().orphans(world.now()); };
  world.run_for(5s);
  EXPECT_TRUE(orphans().empty()) << "they may be back in a moment";
  EXPECT_FALSE(take_over(standby, id)) << "likewise";
  world.run_for(25s);
  ASSERT_EQ(orphans().size(), 1u);
  EXPECT_EQ(orphans().front().jobs, std::vector<std::uint32_t>{id.number});
  EXPECT_TRUE(orphans().front().in_sync);
  EXPECT_EQ(told, 1u) << "in the log, once";
  EXPECT_EQ(driver(id), std::nullopt);
  EXPECT_TRUE(take_over(standby, id));
  EXPECT_EQ(driver(id), standby);
  EXPECT_TRUE(orphans().empty());
  // Others come, in a new cell: they are its standbys.
  for (std::size_t node = 0; node < world.size(); ++node) {
    if (!world.up(node)) world.restart(node);
  }
  EXPECT_TRUE(world.run_until([&] { return standbys(standby) == 1; }, 120s)) << describe();
  EXPECT_TRUE(finishes(id, 300s)) << describe();
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 20u);
}

// The home is back with another disk, and the only copy is one that the books' set has no more. It
// may not take the jobs over by itself, but it says what it has: first that their home is away, if
// that takes long, and that the disk is lost as soon as it can know so.
TEST_F(ReplicaHandover, AStandbyOutsideOfTheSetSaysThatTheHomeLostItsDisk) {
  const JobId id = settled(20, 60s);
  const std::size_t former = standby_of(0);
  for (std::size_t node = 1; node < world.size(); ++node) {
    if (node != former) set_disk(node, true);
  }
  world.crash(former);
  ASSERT_TRUE(world.run_until([&] { return !in_set(0, former) && standby_of(0) == 0; }, 60s))
      << describe();
  world.run_for(5s);
  world.crash(0);
  world.erase_disk(0);
  world.restart(former);
  const auto orphans = [&] { return world.peer(former).logs()->parts().orphans(world.now()); };
  world.run_for(40s);
  EXPECT_TRUE(orphans().empty()) << "the home may only be switched off";
  world.run_for(140s);
  ASSERT_EQ(orphans().size(), 1u) << describe();
  EXPECT_EQ(orphans().front().cause, sched::OrphanCause::away);
  world.restart(0);
  const auto is_lost = [&] {
    const auto all = orphans();
    return all.size() == 1 && all.front().cause == sched::OrphanCause::lost;
  };
  ASSERT_TRUE(world.run_until(is_lost, 90s)) << describe();
  EXPECT_EQ(orphans().front().jobs, std::vector<std::uint32_t>{id.number});
  EXPECT_FALSE(orphans().front().in_sync);
  EXPECT_EQ(driver(id), std::nullopt);
  EXPECT_TRUE(take_over(former, id));
  ASSERT_TRUE(world.run_until(
      [&] {
        if (driver(id) == former) return true;
        (void)take_over(former, id);
        return false;
      },
      20s))
      << describe();
  EXPECT_TRUE(orphans().empty());
  EXPECT_TRUE(finishes(id, 600s)) << describe();
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 20u);
}

// It counts its jobs from 1 again. Those that another node drives have their numbers.
TEST_F(ReplicaHandover, AnOriginThatLostItsDiskGivesNoNumberTwice) {
  const JobId id = settled(100, 30s);
  world.crash(0);
  world.erase_disk(0);
  ASSERT_TRUE(world.run_until([&] { return driver(id).has_value(); }, 60s)) << describe();
  world.restart(0);
  world.run_for(20s);
  (void)world.submit(0, replicated(1, 1s)).value();
  world.run_for(20s);
  const JobId later = world.submit(0, replicated(1, 1s)).value();
  EXPECT_GT(later.number, id.number + 500);
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
