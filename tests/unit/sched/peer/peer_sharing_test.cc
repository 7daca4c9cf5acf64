// SPDX-License-Identifier: MIT
#include "sched/peer_sharing.h"

#include <algorithm>
#include <chrono>

#include "sched/cell/cell_node.h"
#include "sched/ledger/class_name.h"
#include "sched/peer.h"
#include "sched/worker/worker.h"
#include "tests/unit/sched/peer/lone_peer.h"

// When sharing wakes on a node, and when it stays asleep. The scenarios have what it does then.
namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class PeerSharingTest : public test::LonePeer {
 protected:
  static books::Classes gold(std::uint64_t version) {
    books::Classes classes;
    classes.version = version;
    classes.classes.push_back({.class_id = class_id_of("gold"), .name = "gold", .share = 1});
    return classes;
  }
  Peer peer_of(SharingMode mode) {
    params.sharing.cell.sharing = mode;
    return {params, spec(), {}};
  }
  /// Lets the peer act until nothing is due before `end`.
  void run_until(Peer& peer, Time end) {
    for (; peer.deadline() < end; peer.wake(host())) now = std::max(now, peer.deadline());
  }
};

TEST_F(PeerSharingTest, SleepsUntilClassesAreSet) {
  Peer peer = peer_of(SharingMode::bank);
  run_until(peer, now + 1min);
  EXPECT_EQ(peer.cells(), nullptr);
  EXPECT_EQ(peer.classes().version, 0u);
  EXPECT_TRUE(cells.sent.empty());

  ASSERT_TRUE(peer.sharing().set_classes(host(), gold(3)));
  ASSERT_NE(peer.cells(), nullptr);
  EXPECT_EQ(peer.classes().version, 3u);
  EXPECT_LT(peer.deadline(), kNever);
  const auto again = peer.sharing().set_classes(host(), gold(3));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::conflict);
}

TEST_F(PeerSharingTest, IsWokenByGossipWithClassesAlone) {
  Peer peer = peer_of(SharingMode::bank);
  peer.receive(host(), at(2), cell::Message(cell::Gossip{}));
  peer.receive(host(), at(2), cell::Message(cell::Lease{}));
  EXPECT_EQ(peer.cells(), nullptr) << "messages to a sleeping node are stale";
  peer.receive(host(), at(2), cell::Message(cell::Gossip{.version = 2, .classes = gold(2)}));
  EXPECT_EQ(peer.classes().version, 2u);
}

TEST_F(PeerSharingTest, IsWokenByWhateverNeedsCells) {
  Peer here = peer_of(SharingMode::bank);
  ASSERT_TRUE(here.sharing().need(host(), CellNeed::replicas));
  ASSERT_NE(here.cells(), nullptr);
  EXPECT_EQ(here.classes().version, 0u);
  Peer there = peer_of(SharingMode::bank);
  there.receive(host(), at(2), cell::Message(cell::Gossip{.needs = 2}));
  EXPECT_NE(there.cells(), nullptr);
}

TEST_F(PeerSharingTest, BeginsAtOnceWhereCellsAreToBeFormedAlways) {
  params.sharing.cell.form = CellForm::always;
  Peer peer = peer_of(SharingMode::bank);
  EXPECT_LE(peer.deadline(), now);
  peer.wake(host());
  ASSERT_NE(peer.cells(), nullptr);
  EXPECT_GT(peer.deadline(), Time{}) << "only once";
  Peer none = peer_of(SharingMode::none);
  run_until(none, now + 1min);
  EXPECT_EQ(none.cells(), nullptr);
}

TEST_F(PeerSharingTest, NeverWakesWhereNothingIsShared) {
  Peer peer = peer_of(SharingMode::none);
  const auto set = peer.sharing().set_classes(host(), gold(1));
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().kind, ErrorKind::usage);
  EXPECT_NE(set.error().text.find("cell.sharing"), std::string::npos) << "and how to change it";
  peer.receive(host(), at(2), cell::Message(cell::Gossip{.version = 2, .classes = gold(2)}));
  EXPECT_FALSE(peer.sharing().need(host(), CellNeed::replicas));
  peer.receive(host(), at(2), cell::Message(cell::Gossip{.needs = 2}));
  EXPECT_TRUE(peer.sharing().restore_books(host(), {StoredRaft{}})) << "they stay on the disk";
  EXPECT_EQ(peer.cells(), nullptr);
}

// Alone it establishes a cell of itself, whose manager grants the class what the node has.
TEST_F(PeerSharingTest, TheWorkerGetsTheTicketsOfTheCell) {
  params.sharing.cell.cell_size = 1;
  Peer peer = peer_of(SharingMode::bank);
  ASSERT_TRUE(peer.sharing().set_classes(host(), gold(1)));
  for (int i = 0; i < 2000 && now >= peer.cells()->member().until(); ++i) {
    now = std::max(now, peer.deadline());
    peer.wake(host());
    for (std::size_t j = 0; j < cells.sent.size(); ++j) {
      const auto [to, message] = cells.sent[j];
      if (to.id == PeerId{1}) peer.receive(host(), at(1), message);
    }
    cells.sent.clear();
  }
  ASSERT_TRUE(now < peer.cells()->member().until());
  ASSERT_NE(peer.worker(), nullptr);
  EXPECT_FALSE(peer.cells()->tickets(now).empty());
  EXPECT_FALSE(peer.sharing().departed(now)) << "its own cell needs it";
}

TEST_F(PeerSharingTest, WhatNeedsACellFailsWithoutOne) {
  Peer peer = peer_of(SharingMode::bank);
  const auto written = peer.sharing().write_off(host(), {1}, {2}, false);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::not_found);
  peer.sharing().drain(host(), true);
  peer.sharing().depart(host());
  peer.sharing().leave(host());
  EXPECT_EQ(peer.cells(), nullptr) << "nor does it make one";
  EXPECT_TRUE(peer.sharing().departed(now));
}

}  // namespace
}  // namespace dunlin::sched
