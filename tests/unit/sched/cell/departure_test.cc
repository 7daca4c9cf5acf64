// SPDX-License-Identifier: MIT
#include "sched/cell/departure.h"

#include <gtest/gtest.h>

#include "sched/cell/hosted_replica.h"
#include "tests/support/cell_stage.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kLeaver = 50;

class DepartureTest : public ::testing::Test {
 protected:
  HostedReplica& establish() {
    host.establish(stage.turn(), 0, member);
    HostedReplica& hosted = *host.all().front();
    for (int i = 0; i < 100 && !hosted.manager; ++i) {
      stage.now = std::max(stage.now, hosted.group.deadline());
      host.wake(stage.turn(), hosted);
      stage.store.commit();
    }
    return hosted;
  }
  LeaderContext context(HostedReplica& hosted) { return hosted.context(gossip.hints()); }
  /// A member reports to the manager here, so that it is one.
  void join(HostedReplica& hosted, std::uint64_t number) {
    for (const std::uint64_t sequence : {1u, 2u}) {
      hosted.manager->receive(stage.turn(), context(hosted), stage.at(number),
          cell::MemberReport{.cell = hosted.cell(),
              .member = PeerId{number},
              .sequence = sequence,
              .tickets = 4000});
      stage.store.commit();
      host.settle(stage.turn(), hosted);
    }
  }

  test::CellStage stage;
  SharingParams params;
  LocalNode local{.endpoint = test::CellStage::at(kLeaver), .tickets = 4000, .born = stage.now};
  CellGossip gossip{params.cell};
  CellMember member{params.cell, 0, PeerId{kLeaver}};
  ReplicaHost host{params, local.endpoint, gossip};
  Departure departure{params.cell, local, member, gossip, host};
};

TEST_F(DepartureTest, ANodeWithoutACellMayGoAtOnce) {
  EXPECT_FALSE(departure.departed(stage.now));  // No driver asked it to.
  departure.depart(stage.turn());
  EXPECT_TRUE(local.draining);
  EXPECT_TRUE(departure.departed(stage.now));
}

TEST_F(DepartureTest, AManagerWithASuccessorIsNeededUntilThatTookOver) {
  HostedReplica& hosted = establish();
  join(hosted, 7);
  departure.depart(stage.turn());
  EXPECT_EQ(departure.left_behind(stage.now), (std::vector{hosted.cell()}));
  EXPECT_FALSE(departure.departed(stage.now));
  EXPECT_LE(departure.deadline(), stage.now + params.cell.retry);
  departure.wake(stage.turn());
  EXPECT_FALSE(hosted.books().roster().dissolving);
  EXPECT_EQ(departure.deadline(), stage.now + params.cell.retry / 4);
}

// Without a node to take over and a cell for its savings, to wait would not help.
TEST_F(DepartureTest, ANodeThatIsAloneNeedNotWait) {
  establish();
  departure.depart(stage.turn());
  EXPECT_TRUE(departure.left_behind(stage.now).empty());
}

TEST_F(DepartureTest, ALonelyCellWithSavingsEndsIntoAnother) {
  HostedReplica& hosted = establish();
  join(hosted, kLeaver);
  hosted.manager->set_classes(stage.turn(), context(hosted),
      {.version = 5, .classes = {{.class_id = 1, .name = "a", .share = 1}}});
  Proposer proposer(stage.now, context(hosted));
  proposer.propose(stage.turn(), hosted.group,
      books::Allocate{.period = 1,
          .until = Time{} + 10s,
          .release = Time{} + 12s,
          .sheets = {},
          .deposits =
              {{.node = PeerId{kLeaver}, .class_id = 1, .tickets = 1000, .expires = Time{} + 1h}},
          .draws = {}});
  ASSERT_EQ(hosted.books().ledger().balance(1), 1000);
  departure.depart(stage.turn());
  EXPECT_TRUE(departure.left_behind(stage.now).empty());
  const CellId other = cell_id(0, 0x330);
  gossip.hear(stage.now, test::CellStage::hint(other, 3, 1));
  EXPECT_EQ(departure.left_behind(stage.now).size(), 1u);
  departure.wake(stage.turn());
  EXPECT_TRUE(hosted.books().roster().dissolving);
  EXPECT_EQ(hosted.books().roster().into, other);
  EXPECT_EQ(member.state(), CellMember::State::leaving);
}

TEST_F(DepartureTest, ADrainingManagerAsksToBeReplaced) {
  HostedReplica& hosted = establish();
  departure.hand_over(stage.turn(), hosted);  // It does not drain: nothing happens.
  departure.drain(stage.turn(), true);
  EXPECT_TRUE(local.draining);
  EXPECT_EQ(departure.deadline(), stage.now + params.cell.retry / 4) << "others may drain, too";
  departure.drain(stage.turn(), false);
  EXPECT_FALSE(local.draining);
}

TEST_F(DepartureTest, LeavingWaitsForNobody) {
  establish();
  departure.leave(stage.turn());
  EXPECT_EQ(member.state(), CellMember::State::leaving);
  EXPECT_FALSE(departure.departed(stage.now));  // It did not depart: it just goes.
}

TEST_F(DepartureTest, AReportTellsThatTheNodeDrains) {
  stage.now += 5min;
  local.draining = true;
  const auto report = local.report(stage.now, 9);
  EXPECT_TRUE(report.draining);
  EXPECT_EQ(report.uptime, 5min);
  EXPECT_EQ(report.capacity, 4000);
  EXPECT_EQ(report.version, 9u);
}

}  // namespace
}  // namespace dunlin::sched
