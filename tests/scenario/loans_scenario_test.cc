// SPDX-License-Identifier: MIT
// Tasks with inputs in places, in whole peers: where they run, and what nodes lend to them.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <vector>

#include "sched/inputs/input_rates.h"
#include "sched/inputs/input_text.h"
#include "sched/invariants.h"
#include "sched/peer_view.h"
#include "sched/worker/worker.h"
#include "tests/support/builders.h"
#include "tests/support/inputs/world_inputs.h"
#include "tests/support/world.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Borrow;
using sched::Lent;
using sched::Repay;
using sched::Resources;

constexpr std::uint32_t kMebibyte = 1024;  ///< A second, in KiB.

class Loans : public ::testing::Test {
 protected:
  static constexpr sched::Duration kTask = 10s;

  /// Node 0 has no CPUs to speak of; the others have 4, and 100 MiB/s of each rate.
  void start(std::size_t workers, std::uint32_t rate = 100, std::uint64_t seed = 5) {
    WorldOptions options{.seed = seed};
    options.params.worker.loan_lease = 6s;
    world = std::make_unique<World>(options);
    world->add({.total = {.cpu = 100, .memory = 8192, .custom = {}}});
    const std::uint32_t each = rate * kMebibyte;
    for (std::size_t i = 1; i <= workers; ++i) {
      world->add({.total = {.cpu = 4000,
                      .memory = 8192,
                      .custom = {},
                      .disk_read = each,
                      .net_in = each,
                      .net_out = each},
          .attributes = {{"number", std::to_string(i)}}});
    }
    world->filter([this](std::size_t from, std::size_t to, const AnyMessage& message) {
      const auto* said = std::get_if<sched::Message>(&message);
      if (said == nullptr) return 1u;
      if (std::holds_alternative<Borrow>(*said)) ++borrows[to];
      if (std::holds_alternative<Lent>(*said)) ++answers;
      if (std::holds_alternative<Repay>(*said)) ++repays;
      return copies ? copies(from, to, *said) : 1u;
    });
    world->on_event = [this](std::size_t node, const sched::Event& event) {
      if (const auto* started = std::get_if<sched::TaskStarted>(&event)) {
        ran_at[started->index] = node;
      }
    };
    world->run_for(5s);
  }
  /// `count` tasks which read 10 MiB/s, and with inputs at these nodes: one text for each task
  /// or for all.
  void submit(std::uint32_t count,
      const std::vector<std::string>& nodes,
      std::uint32_t cpu = 1000,
      std::uint32_t rate = 10) {
    sched::Job wanted = job(count, lasting(kTask));
    sched::TaskGroup& group = wanted.groups[0];
    group.demand = {.cpu = cpu, .memory = 100, .custom = {}, .disk_read = rate * kMebibyte};
    group.duration = kTask;
    sched::InputsBuilder builder;
    for (const std::string& each : nodes) ASSERT_TRUE(builder.add("1M@" + each));
    place_inputs(group, builder.take());
    const auto id = world->submit(0, wanted);
    ASSERT_TRUE(id);
    jobs.push_back(*id);
  }
  /// Takes all CPUs of these nodes, and so much of their disk read, in MiB/s.
  void fill(const std::vector<std::size_t>& nodes, std::uint32_t rate = 0) {
    for (const std::size_t node : nodes) {
      sched::Job wanted = job(1, lasting(kTask));
      wanted.groups[0].demand = {
          .cpu = 4000, .memory = 100, .custom = {}, .disk_read = rate * kMebibyte};
      wanted.groups[0].constraints = {{"number", sched::Comparison::equal, std::to_string(node)}};
      ASSERT_TRUE(world->submit(0, wanted));
    }
    const auto count = static_cast<std::uint32_t>(nodes.size());
    ASSERT_TRUE(world->run_until([&] { return is_running(count); }, 10s)) << world->failure();
  }
  const sched::JobState& state(std::size_t i = 0) const {
    return *sched::find_job(world->peer(0), jobs[i]);
  }
  bool all_end(sched::Duration limit = 300s) {
    return world->run_until(
        [&] {
          for (std::size_t i = 0; i < jobs.size(); ++i) {
            if (!state(i).finished()) return false;
          }
          return true;
        },
        limit);
  }
  std::size_t lent_at(std::size_t node) const {
    const sched::Worker* const worker = world->peer(node).worker();
    return worker == nullptr ? 0 : worker->loans().lender().out().size();
  }
  std::uint32_t disk_free(std::size_t node) const {
    return world->peer(node).worker()->slots().free().disk_read;
  }
  bool is_running(std::uint32_t tasks) const {
    std::uint32_t running = 0;
    for (std::size_t node = 0; node < world->size(); ++node) {
      if (world->up(node)) running += static_cast<std::uint32_t>(world->executor(node).running());
    }
    return running == tasks;
  }

  std::unique_ptr<World> world;
  std::vector<sched::JobId> jobs;
  std::map<std::uint32_t, std::size_t> ran_at;
  std::map<std::size_t, int> borrows;  ///< By the node that is asked.
  int answers = 0;
  int repays = 0;
  std::function<unsigned(std::size_t from, std::size_t to, const sched::Message&)> copies;
};

TEST_F(Loans, TasksRunWhereTheirInputsAreAndBorrowNothing) {
  start(6);
  submit(6, {"1", "2", "3", "4", "5", "6"}, 4000);
  ASSERT_TRUE(all_end()) << world->failure();
  std::uint32_t there = 0;
  for (const auto& [index, node] : ran_at) there += node == index + 1 ? 1 : 0;
  EXPECT_EQ(there, 6u);
  EXPECT_TRUE(borrows.empty());
}

/// The node with the input is full with something else.
TEST_F(Loans, ARemoteTaskBorrowsBeforeItStartsAndRepays) {
  start(2);
  fill({1});
  submit(1, {"1"});
  ASSERT_TRUE(world->run_until([&] { return is_running(2); }, 10s)) << world->failure();
  EXPECT_EQ(ran_at.at(0), 2u);
  EXPECT_EQ(borrows.at(1), 1);
  EXPECT_EQ(answers, 1) << "one round trip";
  EXPECT_EQ(lent_at(1), 1u);
  EXPECT_EQ(disk_free(1), 90 * kMebibyte);
  EXPECT_EQ(disk_free(2), 100 * kMebibyte);
  EXPECT_EQ(world->peer(2).worker()->slots().free().net_in, 90 * kMebibyte);
  ASSERT_TRUE(all_end()) << world->failure();
  world->run_for(1s);
  EXPECT_EQ(repays, 1);
  EXPECT_EQ(lent_at(1), 0u);
  EXPECT_EQ(disk_free(1), 100 * kMebibyte);
  EXPECT_EQ(world->peer(2).worker()->slots().free().net_in, 100 * kMebibyte);
}

// A group that demands no rate has nothing to borrow.
TEST_F(Loans, WhatTakesNoRateStartsAtOnce) {
  start(2);
  submit(8, {"1"}, 1000, 0);
  ASSERT_TRUE(world->run_until([&] { return is_running(8); }, 10s)) << world->failure();
  EXPECT_TRUE(borrows.empty());
}

TEST_F(Loans, WhatIsAtNoKnownNodeCountsAsElsewhere) {
  start(2);
  submit(2, {"unknown"});
  ASSERT_TRUE(all_end(30s)) << world->failure();
  EXPECT_TRUE(borrows.empty());
}

// The first node that has the input has lent all it has, the second lends.
TEST_F(Loans, ARefusalLeadsToTheNextNode) {
  start(3, 15);
  fill({1, 2});
  submit(2, {"1,2"}, 1000);
  ASSERT_TRUE(world->run_until([&] { return is_running(3); }, 10s)) << world->failure();
  EXPECT_EQ(lent_at(1) + lent_at(2), 1u) << "15 MiB/s of network in are enough for one here";
  ASSERT_TRUE(all_end()) << world->failure();
}

TEST_F(Loans, WhatNobodyLendsToGoesBackAndRunsLater) {
  start(2, 100);
  fill({1}, 95);
  submit(1, {"1"});
  world->run_for(4s);
  EXPECT_TRUE(is_running(1));
  EXPECT_GE(borrows[1], 1);
  EXPECT_LE(borrows[1], 3) << "it is asked no more for a while";
  ASSERT_TRUE(all_end()) << world->failure();
  EXPECT_EQ(state().task(0).attempts.failures(), 0u) << "no attempt is lost by it";
  EXPECT_EQ(state().counts()[sched::TaskState::succeeded], 1u);
}

TEST_F(Loans, ANodeThatNeverAnswersIsNone) {
  start(3);
  copies = [](std::size_t, std::size_t to, const sched::Message& message) {
    return to == 1 && std::holds_alternative<Borrow>(message) ? 0u : 1u;
  };
  fill({1, 2});
  submit(2, {"1,2"}, 1000);
  ASSERT_TRUE(world->run_until([&] { return is_running(4); }, 20s)) << world->failure();
  EXPECT_EQ(lent_at(2), 2u);
  ASSERT_TRUE(all_end()) << world->failure();
}

TEST_F(Loans, MessagesThatAreLostOrComeTwiceLeaveNothingBehind) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    start(3, 100, seed);
    overlay::Rng chance{seed};
    copies = [&chance](std::size_t, std::size_t, const sched::Message& message) {
      const bool of_loans = std::holds_alternative<Borrow>(message) ||
          std::holds_alternative<Lent>(message) || std::holds_alternative<Repay>(message);
      return of_loans ? static_cast<unsigned>(chance.below(3)) : 1u;
    };
    fill({1});
    submit(8, {"1"});
    ASSERT_TRUE(all_end()) << world->failure();
    world->run_for(7s);  // A lost Repay ends with the lease.
    for (std::size_t node = 1; node <= 3; ++node) EXPECT_EQ(lent_at(node), 0u);
    EXPECT_EQ(disk_free(1), 100 * kMebibyte);
    jobs.clear();
  }
}

TEST_F(Loans, ALoanEndsWithItsLeaseIfTheBorrowerDies) {
  start(2);
  fill({1});
  submit(1, {"1"});
  ASSERT_TRUE(world->run_until([&] { return lent_at(1) == 1; }, 10s));
  world->crash(2);
  world->run_for(7s);
  EXPECT_EQ(lent_at(1), 0u);
}

// Its task runs on, and what it takes is lent again once the lender is back.
TEST_F(Loans, ALenderThatDiesIsAskedAgain) {
  start(2);
  fill({1});
  submit(1, {"1"});
  ASSERT_TRUE(world->run_until([&] { return lent_at(1) == 1; }, 10s));
  world->crash(1);
  world->restart(1);
  EXPECT_EQ(world->peer(1).worker(), nullptr);
  ASSERT_TRUE(world->run_until([&] { return lent_at(1) == 1; }, 8s)) << "by its next renewal";
  ASSERT_TRUE(all_end()) << world->failure();
}

TEST_F(Loans, ANodeThatDrainsLendsAndRunsNothing) {
  start(2);
  world->drain(1, true);
  submit(1, {"1"});
  ASSERT_TRUE(world->run_until([&] { return is_running(1); }, 3s)) << world->failure();
  EXPECT_EQ(ran_at[0], 2u);
  EXPECT_EQ(lent_at(1), 1u);
  ASSERT_TRUE(all_end()) << world->failure();
}

TEST_F(Loans, NoTaskWaitsForNodesThatAreDown) {
  start(4);
  world->crash(1);
  world->crash(2);
  submit(6, {"1,2"});
  ASSERT_TRUE(world->run_until([&] { return is_running(6); }, 5s)) << world->failure();
  ASSERT_TRUE(all_end(20s)) << world->failure();
}

TEST_F(Loans, NoTaskWaitsForNodesThatDieWhileTasksRun) {
  start(3);
  submit(2, {"1,2"});
  ASSERT_TRUE(world->run_until([&] { return is_running(2); }, 5s)) << world->failure();
  world->crash(1);
  world->crash(2);
  world->run_for(10s);  // They are known to be lost.
  ASSERT_TRUE(all_end(40s)) << world->failure();
}

}  // namespace
}  // namespace dunlin::test
