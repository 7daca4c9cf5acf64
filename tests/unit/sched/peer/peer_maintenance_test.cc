// SPDX-License-Identifier: MIT
#include "sched/peer_maintenance.h"

#include <span>
#include <string>

#include "sched/peer.h"
#include "sched/peer/comeback.h"
#include "sched/peer_sharing.h"
#include "sched/worker/worker.h"
#include "tests/unit/sched/peer/lone_peer.h"

// What operators do to a node reaches all its parts. raise_test.cc has what other nodes see of it.
namespace dunlin::sched {
namespace {

class MaintenanceTest : public test::LonePeer {
 protected:
  Peer peer{params, spec(), {}};

  /// What the node answers when it is asked for facts.
  Facts facts() {
    out.clear();
    peer.receive(host(), at(2), Message(FactsRequest{.request = 1}));
    return out.only<Facts>();
  }
};

TEST_F(MaintenanceTest, ADrainedNodeTakesNoTaskUntilItIsUndrained) {
  peer.maintenance().drain(host(), true);
  EXPECT_TRUE(facts().draining);
  EXPECT_EQ(peer.overlay().self().cpu_free, 0u) << "and gossip says so at once";
  peer.receive(host(), at(2), Message(reserve_of(1, 2)));
  EXPECT_TRUE(out.all<GetTask>().empty());

  peer.maintenance().drain(host(), false);
  EXPECT_FALSE(facts().draining);
  EXPECT_EQ(peer.overlay().self().cpu_free, 4000u);
  peer.receive(host(), at(2), Message(reserve_of(2, 2)));
  EXPECT_EQ(out.all<GetTask>().size(), 1u);
}

TEST_F(MaintenanceTest, ANodeCanBeDrainedByAMessage) {
  peer.receive(host(), at(2), Message(DrainRequest{.request = 5, .on = true}));
  EXPECT_EQ(out.only<DrainReply>().request, 5u);
  EXPECT_TRUE(facts().draining);
}

TEST_F(MaintenanceTest, ADrainIsStoredWithItsReasonUntilItIsEnded) {
  const DrainTerms terms{.reason = "new disk", .by = "anna@wren", .since = 7};
  peer.receive(host(), at(2), Message(DrainRequest{.request = 5, .on = true, .terms = {terms}}));
  store.commit(store.take_turn());
  ASSERT_TRUE(store.drain());
  EXPECT_EQ(*store.drain(), terms);
  EXPECT_EQ(facts().drain, std::vector<DrainTerms>{terms});
  // As a client does that waits for the last task.
  peer.receive(host(), at(2), Message(DrainRequest{.request = 6, .on = true}));
  EXPECT_FALSE(store.turn_has_records());
  peer.receive(host(), at(2), Message(DrainRequest{.request = 7, .on = false}));
  store.commit(store.take_turn());
  EXPECT_FALSE(store.drain());
  EXPECT_TRUE(facts().drain.empty());
}

TEST_F(MaintenanceTest, ToStopIsNoDrainForTheNextStart) {
  peer.maintenance().depart(host());
  EXPECT_FALSE(store.turn_has_records());
}

TEST_F(MaintenanceTest, DepartDrains) {
  peer.maintenance().depart(host());
  EXPECT_TRUE(facts().draining);
  EXPECT_TRUE(peer.sharing().departed(now)) << "no cell knows it";
}

TEST_F(MaintenanceTest, ANodeThatPausesStretchesTheLeasesOfItsTasks) {
  NodeSpec later = spec();
  later.incarnation = 7;
  Peer restarted{params, later, {}};
  const KeptTask kept{.task = {reserve_of(1, 2).job, 0},
      .frontend = at(2),
      .demand = {.cpu = 1000, .memory = 1, .custom = {}},
      .ended = {}};
  restarted.comeback().take_back(host(), 5, std::span(&kept, 1));
  EXPECT_EQ(out.only<Renew>().since, 5u);
  EXPECT_EQ(out.only<Renew>().away, Duration{0});
  EXPECT_EQ(restarted.overlay().self().cpu_free, 3000u) << "its task was taken back first";

  out.clear();
  restarted.maintenance().pause(host());
  EXPECT_EQ(out.only<Renew>().away, params.worker.reattach_within);
  EXPECT_EQ(restarted.overlay().self().cpu_free, 0u);
  restarted.receive(host(), at(2), Message(reserve_of(2, 2)));
  EXPECT_TRUE(out.all<GetTask>().empty());
}

TEST_F(MaintenanceTest, ANodeIsRaisedToALaterIncarnationOnly) {
  peer.maintenance().raise(host(), 4);
  EXPECT_EQ(peer.self().incarnation, 4u);
  EXPECT_EQ(facts().incarnation, 4u);
  EXPECT_DEATH(peer.maintenance().raise(host(), 4), "not later");
}

TEST_F(MaintenanceTest, TroubleIsTakenBackByNothing) {
  peer.maintenance().set_trouble(host(), "its disk is slow");
  EXPECT_EQ(facts().trouble, "its disk is slow");
  peer.maintenance().set_trouble(host(), "");
  EXPECT_EQ(facts().trouble, "");
}

TEST_F(MaintenanceTest, ASickNodeOffersNothing) {
  peer.maintenance().set_health(host(), "too hot");
  EXPECT_EQ(facts().sick, "too hot");
  EXPECT_EQ(peer.overlay().self().cpu_total, 0u);
  peer.maintenance().set_health(host(), "");
  EXPECT_EQ(facts().sick, "");
  EXPECT_EQ(peer.overlay().self().cpu_total, 4000u);
}

}  // namespace
}  // namespace dunlin::sched
