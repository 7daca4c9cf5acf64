// SPDX-License-Identifier: MIT
#include "sched/cell/replica_host.h"

#include <gtest/gtest.h>

#include "sched/cell/hosted_replica.h"
#include "tests/support/cell_stage.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kHost = 50;

class ReplicaHostTest : public ::testing::Test {
 protected:
  void run(Duration span) {
    stage.store.commit();
    for (const Time end = stage.now + span; due() <= end;) {
      stage.now = std::max(stage.now, due());
      for (const auto& hosted : host.all()) host.wake(stage.turn(), *hosted);
      stage.store.commit();
    }
  }
  Time due() const {
    Time earliest = kNever;
    for (const auto& hosted : host.all()) earliest = std::min(earliest, hosted->group.deadline());
    return earliest;
  }
  /// A cell of this node alone, which it manages.
  HostedReplica& establish() {
    host.establish(stage.turn(), 0, member);
    run(10s);
    return *host.all().front();
  }

  test::CellStage stage;
  SharingParams params;
  CellGossip gossip{params.cell};
  ReplicaHost host{params, test::CellStage::at(kHost), gossip};
  CellMember member{params.cell, 0, PeerId{kHost}};
};

TEST_F(ReplicaHostTest, ACellIsEstablishedByItsFirstMember) {
  HostedReplica& hosted = establish();
  EXPECT_EQ(hosted.level(), 0);
  EXPECT_EQ(member.cell(), hosted.cell());
  EXPECT_EQ(member.contacts().front().node, PeerId{kHost});
  ASSERT_TRUE(hosted.manager);
  EXPECT_EQ(stage.seen<ManagerElected>(), 1u);
  EXPECT_EQ(host.find(hosted.cell()), &hosted);
  EXPECT_EQ(host.replica_of(hosted.cell()), hosted.group.replica());
  EXPECT_EQ(host.find(CellId{99}), nullptr);
  EXPECT_EQ(host.replica_of(CellId{99}), std::nullopt);
}

TEST_F(ReplicaHostTest, ANodeHostsSoManyReplicasAndNoMore) {
  for (std::uint64_t i = 1; i <= ReplicaHost::kReplicasMax + 1; ++i) {
    host.receive(stage.turn(), stage.at(7), cell::Enlist{.cell = cell_id(0, i << 8)});
  }
  EXPECT_EQ(host.all().size(), ReplicaHost::kReplicasMax);
  EXPECT_EQ(stage.told<cell::Enlisted>(7).size(), ReplicaHost::kReplicasMax);
  host.establish(stage.turn(), 0, member);
  EXPECT_EQ(member.state(), CellMember::State::seeking);
  // Asked again, it tells the replica that it has.
  host.receive(stage.turn(), stage.at(7), cell::Enlist{.cell = cell_id(0, 1 << 8)});
  const auto told = stage.told<cell::Enlisted>(7);
  EXPECT_EQ(told.back(), told.front());
}

TEST_F(ReplicaHostTest, WhatAnEarlierLifeStoredGoesOn) {
  const CellId cell = establish().cell();
  ReplicaHost next(params, test::CellStage::at(kHost), gossip);
  CellMember again(params.cell, 0, PeerId{kHost});
  ASSERT_TRUE(next.restore(stage.turn(), stage.store.disk(), again));
  ASSERT_NE(next.find(cell), nullptr);
  EXPECT_EQ(again.cell(), cell);  // It asks to be a member still.
  // A newcomer would look elsewhere by now. This one waits for a manager.
  for (int tries = 0; tries < 20; ++tries) {
    stage.now = std::max(stage.now, again.deadline());
    again.wake(stage.turn(), gossip.hints(), [] { return cell::MemberReport{}; });
  }
  EXPECT_EQ(again.state(), CellMember::State::joining);
  EXPECT_EQ(again.cell(), cell);
}

TEST_F(ReplicaHostTest, DamagedBooksAreToldAndTheOthersGoOn) {
  const CellId cell = establish().cell();
  auto stored = stage.store.disk();
  StoredRaft damaged = stored.front();
  damaged.state.checksum ^= 1;
  stored.insert(stored.begin(), damaged);
  ReplicaHost next(params, test::CellStage::at(kHost), gossip);
  const auto restored = next.restore(stage.turn(), std::move(stored), member);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().kind, ErrorKind::corrupt);
  EXPECT_NE(next.find(cell), nullptr);
}

TEST_F(ReplicaHostTest, OnlyMembersOfTheGroupDischargeAReplica) {
  HostedReplica& hosted = establish();
  const cell::Discharge word{
      .cell = hosted.cell(), .replica = hosted.group.replica(), .index = hosted.group.last_index()};
  EXPECT_FALSE(host.receive(stage.turn(), stage.at(66), word));
  ASSERT_EQ(host.all().size(), 1u);
  // A log that goes further may count again.
  EXPECT_TRUE(host.receive(stage.turn(), stage.at(kHost),
      cell::Discharge{.cell = word.cell, .replica = word.replica, .index = word.index - 1}));
  ASSERT_EQ(host.all().size(), 1u);
  EXPECT_TRUE(host.receive(stage.turn(), stage.at(kHost), word));
  EXPECT_TRUE(host.all().empty());
}

// Its node may go, but the books stay: the vote still counts.
TEST_F(ReplicaHostTest, OnlyMembersOfTheGroupExcuseAReplica) {
  HostedReplica& hosted = establish();
  const cell::Excuse word{.cell = hosted.cell(), .replica = hosted.group.replica()};
  EXPECT_FALSE(host.receive(stage.at(66), word));
  EXPECT_FALSE(hosted.excused);
  EXPECT_TRUE(host.receive(stage.at(kHost), {.cell = word.cell, .replica = word.replica + 1}));
  EXPECT_FALSE(hosted.excused) << "of another replica, which this node had before";
  EXPECT_TRUE(host.receive(stage.at(kHost), word));
  EXPECT_TRUE(hosted.excused);
  EXPECT_EQ(host.all().size(), 1u);
}

// Index 0 said so before there was Excuse. Now it means what it says: up to no entry.
TEST_F(ReplicaHostTest, ADischargeExcusesNobody) {
  HostedReplica& hosted = establish();
  EXPECT_TRUE(host.receive(stage.turn(), stage.at(kHost),
      cell::Discharge{.cell = hosted.cell(), .replica = hosted.group.replica(), .index = 0}));
  EXPECT_FALSE(hosted.excused);
  EXPECT_EQ(host.all().size(), 1u);
}

TEST_F(ReplicaHostTest, ASpareThatNoGroupAddsIsForgotten) {
  host.receive(stage.turn(), stage.at(7), cell::Enlist{.cell = cell_id(0, 0x110)});
  stage.now += 4 * params.cell.voter_lost - 1s;
  host.forget_ended(stage.turn());
  EXPECT_EQ(host.all().size(), 1u);
  stage.now += 1s;
  host.forget_ended(stage.turn());
  EXPECT_TRUE(host.all().empty());
}

TEST_F(ReplicaHostTest, ClosedBooksAreKeptForAWhile) {
  HostedReplica& hosted = establish();
  hosted.manager->dissolve(stage.turn(), hosted.context(gossip.hints()), {});
  hosted.manager->wake(stage.turn(), hosted.context(gossip.hints()));
  ASSERT_TRUE(hosted.books().roster().closed);
  host.forget_ended(stage.turn());
  stage.now += 30 * params.cell.lease - 1s;
  host.forget_ended(stage.turn());
  EXPECT_EQ(host.all().size(), 1u);
  stage.now += 1s;
  host.forget_ended(stage.turn());
  EXPECT_TRUE(host.all().empty());
}

// A node that was down comes back, and asks where the books of its log are.
TEST_F(ReplicaHostTest, ClosedBooksThatHadLogsAreKeptForLonger) {
  HostedReplica& hosted = establish();
  const auto wake = [&] {
    stage.now += params.cell.period;
    hosted.manager->wake(stage.turn(), hosted.context(gossip.hints()));
    stage.store.commit();
    host.settle(stage.turn(), hosted);
  };
  const auto home = stage.at(1);
  hosted.manager->receive(stage.turn(), hosted.context(gossip.hints()), home,
      cell::LogRequest{.cell = hosted.cell(),
          .wish =
              books::OpenLog{.log = 77, .home = {.replica = 1001, .contact = contact_of(home)}}});
  ASSERT_EQ(hosted.books().roster().logs.size(), 1u);
  hosted.manager->dissolve(stage.turn(), hosted.context(gossip.hints()), {});
  for (int i = 0; i < 5; ++i) wake();
  ASSERT_TRUE(hosted.books().roster().closed);
  host.forget_ended(stage.turn());
  stage.now += 100 * params.cell.lease - 1s;
  host.forget_ended(stage.turn());
  EXPECT_EQ(host.all().size(), 1u);
  stage.now += 1s;
  host.forget_ended(stage.turn());
  EXPECT_TRUE(host.all().empty());
}

// It was removed while it was away, and asks for votes.
TEST_F(ReplicaHostTest, AReplicaThatIsNoMemberIsToldSo) {
  HostedReplica& hosted = establish();
  host.receive(stage.turn(), stage.at(9),
      raft::RequestVote{.header = {.group = hosted.cell().value,
                            .sender = 999,
                            .receiver = hosted.group.replica(),
                            .term = 1}});
  ASSERT_EQ(stage.told<cell::Discharge>(9).size(), 1u);
  EXPECT_EQ(stage.told<cell::Discharge>(9).front().replica, 999u);
}

}  // namespace
}  // namespace dunlin::sched
