// SPDX-License-Identifier: MIT
#include "sched/cell/parent_links.h"

#include <gtest/gtest.h>

#include "sched/cell/hosted_replica.h"
#include "tests/support/cell_stage.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSelf = 50;
const CellId kTheParent = cell_id(1, 0x110);

class ParentLinksTest : public ::testing::Test {
 protected:
  ParentLinksTest() {
    params.cell.cell_min = 0;
    host.establish(stage.turn(), 0, member);
    hosted = host.all().front().get();
    run(10s);
  }

  void run(Duration span) {
    for (const Time end = stage.now + span; stage.now < end; stage.now += 100ms) {
      host.wake(stage.turn(), *hosted);
      if (hosted->manager) links.wake(stage.turn(), *hosted);
      stage.store.commit();
    }
  }
  void hear(CellId cell, std::uint32_t room) {
    auto hint = test::CellStage::hint(cell, 3, room);
    hint.manager = contact_of(test::CellStage::at(7));
    gossip.hear(stage.now, hint);
  }
  const cell::MemberReport& last_report() const {
    return std::get<cell::MemberReport>(stage.sent.back().second);
  }

  test::CellStage stage;
  SharingParams params;
  LocalNode local{.endpoint = test::CellStage::at(kSelf), .tickets = 4000, .born = stage.now};
  CellGossip gossip{params.cell};
  ReplicaHost host{params, local.endpoint, gossip};
  ParentLinks links{params, local, gossip, host};
  CellMember member{params.cell, 0, PeerId{kSelf}};
  HostedReplica* hosted = nullptr;
};

TEST_F(ParentLinksTest, ACellAloneWantsNoParent) {
  run(1min);
  EXPECT_FALSE(hosted->above);
  EXPECT_EQ(host.all().size(), 1u);
}

// One without members might rather merge: it waits for twice merge_rounds periods.
TEST_F(ParentLinksTest, ACellJoinsTheParentOfAnother) {
  hear(cell_id(0, 0x220), 1);
  hear(kTheParent, 5);
  run(19s);
  EXPECT_FALSE(hosted->above);
  run(2s);
  ASSERT_TRUE(hosted->above);
  EXPECT_EQ(hosted->above->cell(), kTheParent);
  ASSERT_FALSE(stage.told<cell::MemberReport>(7).empty());
  EXPECT_EQ(last_report().member, hosted->cell());
  EXPECT_EQ(last_report().capacity, 4000);

  const cell::Lease lease{.cell = kTheParent,
      .epoch = 3,
      .member = hosted->cell(),
      .standing = cell::Standing::member,
      .sequence = last_report().sequence,
      .contacts = {contact_of(test::CellStage::at(7))}};
  EXPECT_FALSE(links.receive(stage.turn(), stage.at(66), lease, *hosted));
  EXPECT_FALSE(hosted->above->is_member());
  EXPECT_TRUE(links.receive(stage.turn(), stage.at(7), lease, *hosted));
  EXPECT_TRUE(hosted->above->is_member());
  EXPECT_EQ(hosted->books().roster().parent, kTheParent);
}

// Among cells without a parent, the one with the lowest id need not wait for chance.
TEST_F(ParentLinksTest, WhereThereIsNoParentOneIsEstablished) {
  hear(cell_id(0, ~0ull), 1);
  for (int i = 0; i < 30 && host.all().size() == 1; ++i) {
    hear(cell_id(0, ~0ull), 1);
    run(1s);
  }
  ASSERT_EQ(host.all().size(), 2u);
  EXPECT_EQ(host.all().back()->level(), 1);
  EXPECT_EQ(hosted->above->cell(), host.all().back()->cell());
}

// The books name the parent: a new manager goes on where the one before it was.
TEST_F(ParentLinksTest, ANewManagerKnowsTheParent) {
  hosted->manager->set_parent(stage.turn(), hosted->context(gossip.hints()),
      {.parent = kTheParent, .contacts = {contact_of(test::CellStage::at(8))}});
  run(1s);
  ASSERT_TRUE(hosted->above);
  EXPECT_EQ(hosted->above->cell(), kTheParent);
  EXPECT_FALSE(stage.told<cell::MemberReport>(8).empty());
}

TEST_F(ParentLinksTest, ACellThatEndsLeavesItsParent) {
  const LeaderContext context = hosted->context(gossip.hints());
  hosted->manager->set_parent(stage.turn(), context,
      {.parent = kTheParent, .contacts = {contact_of(test::CellStage::at(8))}});
  run(1s);
  hosted->manager->dissolve(stage.turn(), hosted->context(gossip.hints()), {});
  run(1s);
  EXPECT_EQ(hosted->above->state(), CellMember::State::leaving);
  EXPECT_TRUE(last_report().leaving);
}

}  // namespace
}  // namespace dunlin::sched
