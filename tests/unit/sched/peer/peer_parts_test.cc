// SPDX-License-Identifier: MIT
#include "sched/peer_parts.h"

#include <algorithm>
#include <utility>

#include "sched/cell/cell_node.h"
#include "sched/directory/directory.h"
#include "sched/frontend/frontend.h"
#include "sched/resources.h"
#include "sched/worker/worker.h"
#include "tests/unit/sched/peer/lone_peer.h"

// A node's statements about itself, from whatever parts there are.
namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class PeerPartsTest : public test::LonePeer {
 protected:
  PeerParts parts{params, spec(), at(1), 7, {}};

  bool knows_itself() const {
    const Surroundings around = parts.around(now);
    return std::ranges::any_of(
        around.known(), [](const overlay::Neighbour& node) { return node.peer.id == PeerId{1}; });
  }
};

TEST_F(PeerPartsTest, NoneIsThereBeforeItHasSomethingToDo) {
  EXPECT_EQ(parts.directory, nullptr);
  EXPECT_EQ(parts.frontend, nullptr);
  EXPECT_EQ(parts.worker, nullptr);
  EXPECT_EQ(parts.cells, nullptr);
  const Worker* made = &parts.ensure_worker();
  EXPECT_EQ(parts.worker.get(), made);
  EXPECT_EQ(&parts.ensure_worker(), made) << "made once";
}

// Many peers share one NodeSpec: what differs comes from the overlay.
TEST_F(PeerPartsTest, SelfHasTheAddressAndIncarnationOfThisPeer) {
  const PeerParts twin(params, overlay::Shared<NodeSpec>(spec()), at(2), 9, {});
  EXPECT_EQ(twin.self().endpoint, at(2));
  EXPECT_EQ(twin.self().incarnation, 9u);
  EXPECT_EQ(twin.self().name, "merlin");
  EXPECT_EQ(parts.self().incarnation, 7u);
}

TEST_F(PeerPartsTest, AnIdleNodeIsAllFree) {
  const Facts facts = parts.facts();
  EXPECT_EQ(facts.free, all_of(spec().total)) << "rates are not declared";
  EXPECT_EQ(facts.running, 0u);
  EXPECT_FALSE(facts.draining);
  EXPECT_EQ(facts.sick, "");
  EXPECT_EQ(facts.trouble, "");
  EXPECT_EQ(parts.overlay.self().cpu_free, 4000u) << "gossip says so from the start";
}

// Placement must mean by room what the views rank by.
TEST_F(PeerPartsTest, PlacementRanksByTheUtilityOfTheViews) {
  for (const auto utility : {overlay::Utility::cpu_memory, overlay::Utility::memory}) {
    params.gradient.utility = utility;
    const PeerParts ranked(params, overlay::Shared<NodeSpec>(spec()), at(1), 1, {});
    EXPECT_EQ(ranked.around(now).utility(), utility);
  }
}

// Nodes that seek a place read it in gossip, and publish() must not lose it.
TEST_F(PeerPartsTest, GossipHasTheSignatureOfTheAttributes) {
  NodeSpec tagged = spec();
  tagged.attributes = {{.key = "rack", .value = "r7"}};
  PeerParts rack(params, overlay::Shared<NodeSpec>(tagged), at(1), 1, {});
  EXPECT_NE(rack.overlay.self().signature, parts.overlay.self().signature);
  rack.publish(host());
  EXPECT_NE(rack.overlay.self().signature, parts.overlay.self().signature);
}

TEST_F(PeerPartsTest, PublishTellsGossipWhatTheWorkerHolds) {
  Turn turn = PeerParts::turn(host());
  const Reserve reserve = reserve_of(1, 99);
  parts.ensure_worker().on_message(turn, parts.around(now), at(99), reserve);
  ASSERT_EQ(out.all<GetTask>().size(), 1u);
  EXPECT_EQ(parts.overlay.self().cpu_free, 4000u);
  parts.publish(host());
  EXPECT_EQ(parts.overlay.self().cpu_free, 3000u);
  EXPECT_EQ(parts.overlay.self().cpu_total, 4000u);
}

TEST_F(PeerPartsTest, RunningTasksAreCounted) {
  Turn turn = PeerParts::turn(host());
  parts.ensure_worker().on_message(turn, parts.around(now), at(99), reserve_of(1, 99));
  const GetTask asked = out.only<GetTask>();
  Tasks answer{.job = asked.job, .probe = asked.probe};
  answer.request = asked.request;
  answer.tasks.push_back({0, 1, {}});
  parts.worker->on_message(turn, at(99), answer);
  EXPECT_EQ(parts.running(), 1u);
  EXPECT_EQ(parts.facts().running, 1u);
}

TEST_F(PeerPartsTest, TheDirectoryIsToldOfTheNodeItself) {
  parts.update_self(host());
  const auto known = parts.directory->nodes().find(PeerId{1});
  ASSERT_NE(known, parts.directory->nodes().end());
  ASSERT_TRUE(known->second.facts);
  EXPECT_EQ(known->second.facts->name, "merlin");
}

TEST_F(PeerPartsTest, ANodeIsAPlaceForItsOwnTasksUnlessItIsSick) {
  EXPECT_TRUE(knows_itself());
  parts.on_verdict(host(), HealthJudge::operators, "the disk is full");
  EXPECT_FALSE(knows_itself());
  EXPECT_EQ(parts.facts().sick, "the disk is full");
  EXPECT_EQ(parts.overlay.self().cpu_total, 0u) << "it seems to have nothing";
  parts.on_verdict(host(), HealthJudge::operators, "");
  EXPECT_TRUE(knows_itself());
  EXPECT_EQ(parts.overlay.self().cpu_total, 4000u);
}

TEST_F(PeerPartsTest, ThatAWellNodeIsWellNeedsNoWorker) {
  parts.on_verdict(host(), HealthJudge::starts, "");
  EXPECT_EQ(parts.worker, nullptr);
}

TEST_F(PeerPartsTest, MoveWithAllTheirState) {
  parts.on_verdict(host(), HealthJudge::operators, "its fan");
  const Worker* worker = parts.worker.get();
  const PeerParts moved = std::move(parts);
  EXPECT_EQ(moved.worker.get(), worker);
  EXPECT_EQ(moved.self().endpoint, at(1));
  EXPECT_EQ(moved.facts().sick, "its fan");
}

}  // namespace
}  // namespace dunlin::sched
