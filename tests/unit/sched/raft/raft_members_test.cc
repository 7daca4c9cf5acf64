// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "sched/raft/raft_group.h"
#include "tests/support/raft_steps.h"

namespace dunlin::sched {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;
using namespace test;

// A change that leaves too few voters that answer would never be committed.
TEST(RaftMembers, RemovesNobodyWhomTheRestNeedsForAMajority) {
  auto three = world(3, 3);
  const std::size_t chief = elected(three);
  settle(three);
  const std::size_t dead = (chief + 1) % 3;
  const std::size_t living = (chief + 2) % 3;
  const auto gone = three.group(dead).replica();
  three.kill(dead);
  // By what is committed without it, the manager knows that it does not answer.
  ASSERT_TRUE(three.propose(chief, {.id = 1, .from = 0, .to = 1, .amount = 1}));
  three.run_for(10s);
  const auto remove = [&](sched::ReplicaId replica) {
    return three.act(
        chief, [&](const auto& turn, auto& group) { return group.remove(turn, replica); });
  };
  const auto refused = remove(three.group(living).replica());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("too few"));
  EXPECT_TRUE(remove(gone));
  three.run_for(2s);
  EXPECT_EQ(three.group(chief).members().size(), 2u);
  // Either of two that answer may go.
  EXPECT_TRUE(remove(three.group(living).replica()));
}

TEST(RaftMembers, GrowsFromOneToFiveAndShrinks) {
  auto five = world(1, 5);
  elected(five);
  reconcile(five);
  settle(five);
  const std::size_t chief = five.manager();
  EXPECT_EQ(five.group(chief).members().size(), 5u);
  const auto spare = five.group((chief + 1) % 5).replica();
  EXPECT_TRUE(
      five.act(chief, [&](const auto& turn, auto& group) { return group.remove(turn, spare); }));
  // One at a time.
  EXPECT_THAT(
      five.act(chief,
              [&](const auto& turn, auto& group) { return group.remove(turn, group.replica()); })
          .error()
          .text,
      HasSubstr("under way"));
  five.run_for(2s);
  EXPECT_EQ(five.group(chief).members().size(), 4u);
  EXPECT_FALSE(five.act(chief, [&](const auto& turn, auto& group) {
    return group.add(turn, 99, five.endpoint(chief));
  })) << "a node has one replica";
}

// A disk that is lost takes its vote with it: with one other voter dead there is no majority,
// though three nodes would answer. When it is replaced, all is well.
TEST(RaftMembers, LostDiskIsAnotherReplicaWithoutAVote) {
  auto three = world(3, 3);
  const std::size_t chief = elected(three);
  const std::size_t lost = (chief + 1) % 3;
  settle(three);
  const auto before = three.group(lost).replica();
  three.lose_disk(lost);
  three.restart(lost);
  EXPECT_NE(three.group(lost).replica(), before);
  three.kill(chief);
  three.run_for(60s);
  EXPECT_EQ(three.manager(), 3u);
  EXPECT_EQ(three.group(lost).role(), RaftRole::follower);
  EXPECT_EQ(three.group(lost).last_index(), 0u);
  three.restart(chief);
  elected(three);
  reconcile(three);
  settle(three);
  EXPECT_EQ(three.group(lost).last_epoch(), three.group(chief).last_epoch());
}

// libraft 0.15 goes wrong here in two ways: see RaftEngine::make_way().
TEST(RaftMembers, ForgetsAChangeOfMembersThatWasNeverCommitted) {
  for (const bool restart : {false, true}) {
    for (const bool compact : {false, true}) {
      RaftParams params{.snapshot_threshold = compact ? 4u : 1000u, .snapshot_trailing = 1};
      auto four = world(3, 4, params);
      const std::size_t old = elected(four);
      for (std::uint64_t id = 1; id <= 10; ++id) {
        ASSERT_TRUE(four.propose(old, {.id = id}));
        four.run_for(100ms);
      }
      EXPECT_EQ(four.store(old).disk()->snapshot.has_value(), compact);
      four.network().split({old}, 4);
      ASSERT_TRUE(four.act(old, [&](const auto& turn, auto& group) {
        return group.add(turn, four.group(3).replica(), four.endpoint(3));
      }));
      EXPECT_EQ(four.group(old).members().size(), 4u);
      if (restart) {
        four.kill(old);
        four.restart(old);
        EXPECT_EQ(four.group(old).members().size(), 4u);
      }
      four.run_for(10s);
      const std::size_t next = four.manager();
      ASSERT_NE(next, four.size());
      ASSERT_NE(next, old);
      ASSERT_TRUE(four.propose(next, {.id = 100}));
      four.network().mend_all();
      ASSERT_TRUE(four.run_until([&] { return four.bank(old).did(100); }, kSoon));
      EXPECT_EQ(four.group(old).members(), four.group(next).members());
      EXPECT_EQ(four.group(old).members().size(), 3u);
      EXPECT_EQ(four.bank(old).snapshot(), four.bank(next).snapshot());
      EXPECT_EQ(four.violation(), "");
    }
  }
}

// Commands before a change of members are committed while it is not: no moment for a snapshot.
TEST(RaftMembers, TakesNoSnapshotOfMembersThatAreNotCommitted) {
  auto four = world(3, 4, {.snapshot_threshold = 4, .snapshot_trailing = 50});
  const std::size_t chief = elected(four);
  for (std::uint64_t id = 1; id <= 8; ++id) ASSERT_TRUE(four.propose(chief, {.id = id}));
  ASSERT_TRUE(four.act(chief, [&](const auto& turn, auto& group) {
    return group.add(turn, four.group(3).replica(), four.endpoint(3));
  }));
  ASSERT_TRUE(four.run_until([&] { return four.bank(chief).did(8); }, kSoon));
  EXPECT_EQ(four.violation(), "");
  four.run_for(1s);
  ASSERT_TRUE(four.propose(chief, {.id = 9}));
  four.run_for(1s);
  ASSERT_TRUE(four.store(chief).disk()->snapshot);
  EXPECT_EQ(four.store(chief).disk()->snapshot->members.size(), 4u);
}

}  // namespace
}  // namespace dunlin::sched
