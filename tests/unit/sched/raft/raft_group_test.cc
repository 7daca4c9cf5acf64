// SPDX-License-Identifier: MIT
#include "sched/raft/raft_group.h"

#include <gmock/gmock.h>

#include "tests/support/raft_steps.h"

namespace dunlin::sched {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;
using namespace test;

TEST(RaftGroup, ElectsOneManagerThatCommitsForAll) {
  auto three = world(3, 3);
  const std::size_t chief = elected(three);
  EXPECT_EQ(three.group(chief).role(), RaftRole::leader);
  EXPECT_EQ(three.group(chief).epoch(), three.group(chief).term());
  ASSERT_TRUE(three.propose(chief, {.id = 9, .from = 0, .to = 1, .amount = 30}));
  ASSERT_TRUE(three.propose(chief, {.id = 9, .from = 0, .to = 1, .amount = 30}));
  settle(three);
  EXPECT_TRUE(three.acknowledged().contains(9));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(three.bank(i).did(9));
    EXPECT_EQ(three.bank(i).applied(), 2u);
    EXPECT_EQ(three.bank(i).twice(), 1u);
    EXPECT_EQ(three.group(i).leader()->node, three.endpoint(chief).id);
    EXPECT_EQ(three.group(i).last_epoch(), three.group(chief).term());
    EXPECT_EQ(three.group(i).epoch().has_value(), i == chief);
  }
}

TEST(RaftGroup, RefusesWhatItCannotCommit) {
  auto three = world(3, 3, {.proposals_max = 4});
  const std::size_t chief = elected(three);
  const std::size_t other = (chief + 1) % 3;
  EXPECT_EQ(three.propose(other, {.id = 1}).error().kind, ErrorKind::refused);
  const auto propose = [&](const std::string& command) {
    return three.act(
        chief, [&](const auto& turn, auto& group) { return group.propose(turn, 1, command); });
  };
  EXPECT_EQ(propose("").error().kind, ErrorKind::usage);
  EXPECT_EQ(propose(std::string(kEntryMax, 'x')).error().kind, ErrorKind::usage);
  for (std::uint64_t id = 1; id <= 4; ++id) EXPECT_TRUE(three.propose(chief, {.id = id}));
  EXPECT_THAT(three.propose(chief, {.id = 5}).error().text, HasSubstr("try again later"));
  settle(three);
  EXPECT_TRUE(three.propose(chief, {.id = 5}));
}

// A manager is one only when its claim is committed: here it is leader, and alone.
TEST(RaftGroup, LeaderIsNoManagerBeforeItsClaimIsCommitted) {
  auto three = world(3, 3);
  ASSERT_TRUE(three.run_until(
      [&] {
        for (std::size_t i = 0; i < 3; ++i) {
          if (three.group(i).role() == RaftRole::leader) return true;
        }
        return false;
      },
      kSoon));
  EXPECT_EQ(three.manager(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(three.propose(i, {.id = 1}));
  elected(three);
}

TEST(RaftGroup, LosesNothingWithItsManager) {
  auto three = world(3, 3);
  const std::size_t first = elected(three);
  for (std::uint64_t id = 1; id <= 20; ++id) {
    ASSERT_TRUE(three.propose(first, {.id = id, .to = 1, .amount = 1}));
  }
  settle(three);
  const Epoch before = *three.group(first).epoch();
  three.kill(first);
  const std::size_t second = elected(three);
  EXPECT_NE(first, second);
  EXPECT_GT(*three.group(second).epoch(), before);
  three.restart(first);
  settle(three);
  for (const auto id : three.acknowledged()) EXPECT_TRUE(three.bank(first).did(id));
  EXPECT_EQ(three.acknowledged().size(), 20u);
}

TEST(RaftGroup, ManagerOfAMinorityStepsDownAndItsCommandsAreUnsure) {
  auto five = world(5, 5);
  const std::size_t old = elected(five);
  settle(five);
  five.network().split({old, (old + 1) % 5}, 5);
  ASSERT_TRUE(five.propose(old, {.id = 77, .from = 0, .to = 1, .amount = 1}));
  ASSERT_TRUE(five.run_until([&] { return five.group(old).role() != RaftRole::leader; }, kSoon));
  EXPECT_TRUE(five.unsure().contains(77));
  const std::size_t next = elected(five);
  ASSERT_TRUE(five.propose(next, {.id = 78, .from = 0, .to = 1, .amount = 1}));
  five.network().mend_all();
  settle(five);
  EXPECT_FALSE(five.bank(old).did(77));
  EXPECT_TRUE(five.bank(old).did(78));
}

TEST(RaftGroup, DeathWithinATurnLeavesNothingHalf) {
  auto three = world(3, 3);
  for (int round = 0; round < 10; ++round) {
    const std::size_t chief = elected(three);
    ASSERT_TRUE(three.propose(chief, {.id = static_cast<std::uint64_t>(round), .to = 1}));
    three.doom(round % 2 == 0 ? chief : (chief + 1) % 3);
    three.run_for(5s);
    for (std::size_t i = 0; i < 3; ++i) three.restart(i);
    settle(three);
  }
}

TEST(RaftGroup, InstallsASnapshotOfManyPieces) {
  RaftWorld three({.founders = 3,
      .nodes = 3,
      .params = {.snapshot_threshold = 8, .snapshot_trailing = 2},
      .network = {.loss = 0.1},
      .codec = true,
      .padding = 500'000});
  const std::size_t chief = elected(three);
  const std::size_t late = (chief + 1) % 3;
  three.kill(late);
  for (std::uint64_t id = 1; id <= 40; ++id) {
    if (three.manager() != three.size()) {
      (void)three.propose(three.manager(), {.id = id, .from = 0, .to = 1, .amount = 1});
    }
    three.run_for(100ms);
  }
  elected(three);
  three.restart(late);
  settle(three);
  ASSERT_TRUE(three.store(late).disk()->snapshot);
  EXPECT_GT(three.store(late).disk()->snapshot->data.size(), 2 * kRpcDataMax);
  EXPECT_LT(three.store(late).disk()->entries.size(), 20u);
}

// libraft 0.15 makes the one that is left leader in the term of the one that went.
TEST(RaftGroup, SoleVoterLeadsInATermOfItsOwn) {
  auto two = world(2, 2);
  const std::size_t chief = elected(two);
  settle(two);
  const Epoch before = *two.group(chief).epoch();
  ASSERT_TRUE(two.act(
      chief, [&](const auto& turn, auto& group) { return group.remove(turn, group.replica()); }));
  ASSERT_TRUE(two.run_until([&] { return two.manager() == 1 - chief; }, kSoon));
  const Epoch after = *two.group(1 - chief).epoch();
  EXPECT_GT(after, before);
  // So does a new life of it.
  two.kill(1 - chief);
  two.restart(1 - chief);
  EXPECT_GT(two.group(1 - chief).epoch().value_or(0), after);
  EXPECT_EQ(two.violation(), "");
}

TEST(RaftGroup, HandsOver) {
  auto three = world(3, 3);
  const std::size_t chief = elected(three);
  settle(three);
  const std::size_t heir = (chief + 2) % 3;
  ASSERT_TRUE(three.act(chief, [&](const auto& turn, auto& group) {
    return group.transfer(turn, three.group(heir).replica());
  }));
  ASSERT_TRUE(three.run_until([&] { return three.manager() == heir; }, 2s));
}

TEST(RaftGroup, RefusesToStartOnABadLog) {
  auto three = world(3, 3);
  elected(three);
  settle(three);
  three.kill(0);
  three.store(0).spoil().entries.front().checksum ^= 1;
  three.restart(0);
  EXPECT_FALSE(three.alive(0));
  EXPECT_THAT(three.violation(), HasSubstr("entry 1 has a wrong checksum"));
}

TEST(RaftGroup, SaysWhenTheStateIsTooLargeForASnapshot) {
  RaftWorld one(
      {.founders = 1, .nodes = 1, .params = {.snapshot_threshold = 2}, .padding = kSnapshotMax});
  (void)one.propose(elected(one), {.id = 1});
  EXPECT_THAT(one.violation(), HasSubstr("beyond the most there can be"));
  EXPECT_EQ(one.group(0).role(), RaftRole::leader);
  EXPECT_FALSE(one.store(0).disk()->snapshot);
}

// Idle, a follower sleeps and a leader wakes once in a heartbeat.
TEST(RaftGroup, SleepsWhenIdle) {
  auto three = world(3, 3);
  const std::size_t chief = elected(three);
  settle(three);
  std::vector<std::uint64_t> before;
  for (std::size_t i = 0; i < 3; ++i) before.push_back(three.wakes(i));
  const auto messages = three.messages();
  three.run_for(100s);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LE(three.wakes(i) - before[i], i == chief ? 201u : 0u);
  }
  EXPECT_LE(three.messages() - messages, 804u);
}

}  // namespace
}  // namespace dunlin::sched
