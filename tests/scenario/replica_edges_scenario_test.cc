// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <variant>

#include "sched/cell/hosted_replica.h"
#include "sched/logs/log_wire.h"
#include "tests/scenario/replicas.h"

// The edges of a takeover, in whole peers: what was recorded at one node and told to none, what two
// homes know of, and what waits meanwhile. The swarms have the same by chance.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::TaskState;

class ReplicaEdges : public Replicas {
 protected:
  /// A job of node 0 that has its standbys.
  JobId settled(std::uint32_t tasks, sched::Duration length, std::uint8_t replicas = 1) {
    const JobId id = world.submit(0, replicated(tasks, length, replicas)).value();
    EXPECT_TRUE(world.run_until([&] { return standbys(0) == replicas; }, 120s)) << describe();
    return id;
  }
  void dies_for_good(std::size_t node) {
    world.crash(node);
    world.erase_disk(node);
  }
  sched::Promise promise(const JobId& id) { return world.peer(0).logs()->promise(id); }
  /// Every message that `node` sends or gets is lost.
  void cut_off(std::size_t node) {
    world.filter([node](std::size_t from, std::size_t to, const AnyMessage&) {
      return from == node || to == node ? 0u : 1u;
    });
  }
  void mend() { world.filter(nullptr); }
};

// Seed 817 of the swarm: the home died in the moment in which the books took the standby in, before
// it said where those books are. A standby that does not know it can never ask for the office.
TEST_F(ReplicaEdges, AStandbyInTheBooksKnowsWhereTheyAre) {
  world.submit(0, replicated(4, 100s)).value();
  const auto entry = [&]() -> const sched::books::LogEntry* {
    for (std::size_t node = 0; node < world.size(); ++node) {
      if (world.peer(node).cells() == nullptr) continue;
      for (const auto& hosted : world.peer(node).cells()->hosted()) {
        for (const auto& each : hosted->books().roster().logs) {
          if (each.set.size() > 1) return &each;
        }
      }
    }
    return nullptr;
  };
  ASSERT_TRUE(world.run_until([&] { return entry() != nullptr; }, 60s)) << describe();
  for (const auto& member : entry()->set) {
    const auto& kept = world.logs(World::node_of(member.contact.node));
    ASSERT_TRUE(kept.contains(entry()->log)) << describe();
    EXPECT_FALSE(kept.at(entry()->log).facts.contacts.empty()) << describe();
  }
}

// The standby has the job, and the home that died had not heard so: no user was told, and the job
// is there.
TEST_F(ReplicaEdges, AHomeDiesAfterTheStandbysRecordAndBeforeTheAcknowledgement) {
  settled(4, 200s);
  world.filter([](std::size_t, std::size_t, const AnyMessage& message) {
    return said<sched::LogAppended>(message) == nullptr ? 1u : 0u;
  });
  const JobId late = world.submit(0, replicated(20, 1s)).value();
  world.run_for(1s);
  EXPECT_FALSE(is_acknowledged(late));
  EXPECT_EQ(find(late)->counts()[TaskState::succeeded], 0u) << "no task of it begins before";
  dies_for_good(0);
  mend();
  ASSERT_TRUE(world.run_until([&] { return find(late) != nullptr; }, 60s)) << describe();
  EXPECT_TRUE(finishes(late, 200s));
  EXPECT_EQ(find(late)->counts()[TaskState::succeeded], 20u);
  EXPECT_EQ(world.failure(), "");
}

// The standby has not even heard of it: it is gone, and no user was told that it was there.
TEST_F(ReplicaEdges, AHomeDiesBeforeTheStandbysRecord) {
  const JobId first = settled(4, 200s);
  world.filter([](std::size_t, std::size_t, const AnyMessage& message) {
    const auto* const append = said<sched::LogAppend>(message);
    return append == nullptr || append->batches.empty() ? 1u : 0u;
  });
  const JobId late = world.submit(0, replicated(20, 1s)).value();
  world.run_for(1s);
  EXPECT_FALSE(is_acknowledged(late));
  dies_for_good(0);
  mend();
  ASSERT_TRUE(world.run_until([&] { return find(first) != nullptr; }, 60s)) << describe();
  EXPECT_EQ(find(late), nullptr);
  EXPECT_TRUE(finishes(first, 400s));
  EXPECT_EQ(world.failure(), "");
}

// A campaign of faults lost four jobs that had ended: their standby had been away for a moment,
// their home wanted no standby for what had ended, and then it lost its disk.
TEST_F(ReplicaEdges, AJobThatHasEndedKeepsItsStandby) {
  const JobId id = settled(4, 60s);
  ASSERT_TRUE(finishes(id, 120s));
  world.run_for(10s);
  dies_for_good(standby_of(0));
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s)) << describe();
  dies_for_good(0);
  ASSERT_TRUE(world.run_until([&] { return find(id) != nullptr; }, 120s)) << describe();
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 4u);
  EXPECT_EQ(world.failure(), "");
}

// It recorded results that its standby never got, and the workers that reported them are silent.
// The new home hears of the results from the old one.
TEST_F(ReplicaEdges, ADeposedHomeOffersAResultThatTheNewOneLacks) {
  settled(4, 300s);
  const std::size_t standby = standby_of(0);
  const JobId id = world.submit(0, replicated(4, 2s)).value();
  ASSERT_TRUE(world.run_until([&] { return is_acknowledged(id); }, 10s));
  world.run_for(500ms);
  // The standby hears nothing of the home, nor does the manager.
  world.filter([](std::size_t from, std::size_t, const AnyMessage& message) {
    const bool to_replicas = said<sched::LogAppend>(message) || said<sched::HomeIs>(message) ||
        std::holds_alternative<sched::cell::Message>(message);
    return from == 0 && to_replicas ? 0u : 1u;
  });
  const auto recorded = [&] {
    const auto* const job = sched::find_job(world.peer(0), id);
    return job != nullptr && job->finished();
  };
  // No new home before the results are in.
  ASSERT_TRUE(world.run_until(recorded, 60s)) << describe();
  ASSERT_TRUE(world.run_until([&] { return sched::find_job(world.peer(standby), id); }, 30s));
  EXPECT_FALSE(sched::find_job(world.peer(standby), id)->finished());
  // No worker tells the new home.
  world.filter([](std::size_t from, std::size_t, const AnyMessage& message) {
    return said<sched::Done>(message) != nullptr && from != 0 ? 0u : 1u;
  });
  const auto* const job = sched::find_job(world.peer(standby), id);
  ASSERT_TRUE(world.run_until([&] { return job->finished().has_value(); }, 100s)) << describe();
  EXPECT_EQ(job->counts()[TaskState::succeeded], 4u);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto* const result = world.store(standby).result(id, i);
    ASSERT_NE(result, nullptr);
    EXPECT_EQ(result->attempt, 1u) << "the first home's, and no task ran again";
  }
  EXPECT_EQ(world.failure(), "");
}

// Tasks that were started by the first home go on under the third: their workers hear of standbys
// that were chosen after the tasks began.
TEST_F(ReplicaEdges, LongTasksOutliveTwoHomes) {
  const JobId id = world.submit(0, replicated(6, 300s)).value();
  std::set<std::size_t> homes;
  for (int i = 0; i < 2; ++i) {
    std::optional<std::size_t> home;
    ASSERT_TRUE(world.run_until(
        [&] {
          home.reset();
          for (std::size_t node = 0; node < world.size(); ++node) {
            if (world.up(node) && sched::find_job(world.peer(node), id) != nullptr) home = node;
          }
          return home && standbys(*home) == 1;
        },
        120s))
        << describe();
    world.run_for(40s);
    homes.insert(*home);
    // Its own tasks go on: only the agent is gone for good.
    dies_for_good(*home);
    ASSERT_TRUE(world.run_until([&] { return find(id) != nullptr; }, 60s)) << describe();
  }
  std::uint64_t begun = 0;
  for (std::size_t node = 0; node < world.size(); ++node) {
    if (!homes.contains(node)) begun += world.executor(node).running();
  }
  EXPECT_TRUE(finishes(id, 900s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 6u);
  EXPECT_GT(begun, 0u) << "some were started by the first home, and ran on";
  EXPECT_EQ(world.failure(), "");
}

// What the home would say to a client is never said, and the client hears the truth elsewhere.
TEST_F(ReplicaEdges, AClientWaitsThroughATakeover) {
  const JobId id = settled(40, 5s);
  cut_off(0);
  ASSERT_TRUE(world.cancel(0, id).has_value());
  const sched::Promise cancelled = promise(id);
  ASSERT_TRUE(world.run_until(
      [&] {
        EXPECT_FALSE(world.peer(0).logs()->may_tell(cancelled)) << "the standby lacks it";
        for (std::size_t node = 1; node < world.size(); ++node) {
          if (sched::find_job(world.peer(node), id) != nullptr) return true;
        }
        return false;
      },
      60s))
      << describe();
  EXPECT_FALSE(world.peer(0).logs()->is_void(cancelled)) << "it may be the home, for all it knows";
  mend();
  ASSERT_TRUE(world.run_until([&] { return world.peer(0).logs()->is_void(cancelled); }, 60s));
  EXPECT_FALSE(world.peer(0).logs()->may_tell(cancelled));
  ASSERT_TRUE(finishes(id, 200s));
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 40u) << "no user was told of a cancel";
  std::size_t home = 0;
  while (sched::find_job(world.peer(home), id) == nullptr) ++home;
  const auto* const logs = world.peer(home).logs();
  EXPECT_TRUE(world.run_until([&] { return logs->may_tell(logs->promise(id)); }, 60s))
      << "the new home tells how it ended";
  EXPECT_EQ(world.failure(), "");
}

// It lost its jobs to another node, and no number of theirs is given again.
TEST_F(ReplicaEdges, ADeposedHomeThatRestartsGivesNewNumbers) {
  const JobId first = settled(4, 60s);
  world.crash(0);
  ASSERT_TRUE(world.run_until([&] { return find(first) != nullptr; }, 60s)) << describe();
  world.restart(0);
  world.run_for(10s);
  world.crash(0);
  world.restart(0);
  world.run_for(1s);
  const JobId second = world.submit(0, replicated(1, 1s)).value();
  EXPECT_GT(second.number, first.number);
  EXPECT_TRUE(finishes(second, 100s));
  EXPECT_TRUE(finishes(first, 200s));
  EXPECT_EQ(world.failure(), "");
}

// Signs of life of a home that has nothing to do are rarer than its lease is long. At each phase
// between two of them, the standby begins anew.
TEST_F(ReplicaEdges, AStandbyThatRestartsBesideAnIdleHomeTakesNothingOver) {
  const JobId id = settled(2, 1s);
  ASSERT_TRUE(finishes(id, 100s));
  world.run_for(30s);
  const auto epoch = [&] {
    for (const auto& part : world.peer(0).logs()->parts().all()) {
      if (part->frontend() != nullptr) return part->copy().entry().epoch;
    }
    return 0u;
  };
  const std::uint32_t first = epoch();
  ASSERT_GT(first, 0u) << describe();
  for (int i = 0; i < 12; ++i) {
    const std::size_t standby = standby_of(0);
    ASSERT_NE(standby, 0u);
    world.crash(standby);
    world.run_for(10ms);
    world.restart(standby);
    world.run_for(15s + 490ms);
    ASSERT_EQ(epoch(), first) << "round " << i << "\n" << describe();
  }
  EXPECT_EQ(world.failure(), "");
}

// Once all its jobs are history, a log takes no room at any node.
TEST(ReplicaHistory, ALogEndsWithItsLastJob) {
  WorldOptions options{.seed = 11};
  options.params.frontend.history_age = 1min;
  World world(options);
  world.add(5, {});
  world.run_for(10s);
  sched::Job kept = job(2, lasting(20s));
  kept.replicas = 1;
  ASSERT_TRUE(world.submit(0, kept).has_value());
  const auto copies = [&] {
    std::size_t count = 0;
    for (std::size_t node = 0; node < world.size(); ++node) count += world.logs(node).size();
    return count;
  };
  const auto where = [&] {
    std::string text;
    for (std::size_t node = 0; node < world.size(); ++node) {
      for (const auto& [log, copy] : world.logs(node)) {
        text += "node " + std::to_string(node) + " keeps a log, version " +
            std::to_string(copy.entry.version) + " set " + std::to_string(copy.entry.set.size()) +
            " end " + std::to_string(copy.log.end()) + "\n";
      }
    }
    return text;
  };
  ASSERT_TRUE(world.run_until([&] { return copies() == 2; }, 60s));
  EXPECT_TRUE(world.run_until([&] { return copies() == 0; }, 200s)) << where();
  // And another begins.
  const JobId next = world.submit(0, kept).value();
  EXPECT_TRUE(world.run_until([&] { return copies() == 2; }, 60s));
  EXPECT_TRUE(world.run_until([&] { return !world.acknowledged().empty(); }, 10s));
  EXPECT_TRUE(world.run_until(
      [&] { return sched::find_job(world.peer(0), next)->finished().has_value(); }, 60s));
  EXPECT_EQ(world.failure(), "");
}

// Jobs without replicas pay nothing for those that have some, at the same nodes.
TEST(NoReplicas, CostNoMessageAndNoRecord) {
  const auto trace_of = [](bool replicas) {
    WorldOptions options{.seed = 23};
    options.replicas = replicas;
    World world(options);
    world.add(6, {});
    world.run_for(10s);
    for (std::size_t node = 0; node < 3; ++node)
      EXPECT_TRUE(world.submit(node, job(30, lasting(2s))));
    world.run_for(10s);
    world.crash(1);
    world.run_for(5s);
    world.restart(1);
    world.run_for(60s);
    for (std::size_t node = 0; node < world.size(); ++node) {
      EXPECT_TRUE(world.logs(node).empty());
      EXPECT_EQ(world.peer(node).logs(), nullptr);
      EXPECT_EQ(world.peer(node).cells(), nullptr);
    }
    EXPECT_EQ(world.failure(), "");
    return world.trace().hash();
  };
  EXPECT_EQ(trace_of(true), trace_of(false));
}

}  // namespace
}  // namespace dunlin::test
