// SPDX-License-Identifier: MIT
#include "sched/federation/local/member_table.h"

#include <gmock/gmock.h>

#include "tests/unit/sched/federation/rows.h"

namespace dunlin::sched::federation {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

MemberRow member_row(std::uint64_t version, std::uint32_t cpu, bool with_kind = true) {
  MemberRow row{.version = version, .free = {.cpu = cpu, .memory = 8192}};
  if (with_kind) row.kind = {rows::kind({"gpu=yes"})};
  return row;
}

class MemberTableTest : public ::testing::Test {
 protected:
  std::uint32_t free_at(std::uint64_t node) { return table_.find(PeerId{node})->free.cpu; }
  bool has_room(std::uint64_t node, std::uint32_t cpu) {
    return table_.has_room(PeerId{node}, {.cpu = cpu}, {});
  }

  MemberTable table_;
  Rng rng_{1};
};

TEST_F(MemberTableTest, KeepsTheLastWordOfEachMember) {
  EXPECT_EQ(table_.hear(member_row(1, 4000, false), {1}), MemberTable::Heard::no_kind);
  EXPECT_EQ(table_.size(), 0);
  EXPECT_EQ(table_.hear(member_row(3, 4000), {1}), MemberTable::Heard::news);
  EXPECT_EQ(table_.hear(member_row(2, 1000), {1}), MemberTable::Heard::known) << "it came late";
  EXPECT_EQ(free_at(1), 4000);
  EXPECT_EQ(table_.hear(member_row(4, 2000, false), {1}), MemberTable::Heard::news);
  EXPECT_EQ(free_at(1), 2000);
}

TEST_F(MemberTableTest, WhatIsSentThereIsTakenUntilItIsAnswered) {
  table_.hear(member_row(1, 4000), {1});
  table_.send(7, {1}, {.cpu = 3000});
  EXPECT_TRUE(has_room(1, 1000));
  EXPECT_FALSE(has_room(1, 1001));
  table_.hear(member_row(2, 1000), {1});
  EXPECT_FALSE(has_room(1, 1)) << "the row does not say that it counts the start";
  table_.settle(7);
  EXPECT_TRUE(has_room(1, 1000));
}

TEST_F(MemberTableTest, ANodeThatDeclinedIsNotAskedAgainBeforeItSpeaks) {
  table_.hear(member_row(1, 4000), {1});
  table_.distrust({1});
  EXPECT_FALSE(has_room(1, 1));
  EXPECT_EQ(table_.match({.cpu = 1}, {}, Pick::first, rng_), std::nullopt);
  table_.hear(member_row(1, 4000), {1});
  EXPECT_TRUE(has_room(1, 1)) << "it answered the roll call";
}

TEST_F(MemberTableTest, RoomIsAMatterOfConstraintsAndOfDraining) {
  table_.hear(member_row(1, 4000), {1});
  const Constraint gpu = rows::constraint("gpu=yes");
  const Constraint ssd = rows::constraint("ssd=yes");
  EXPECT_TRUE(table_.has_room({1}, {.cpu = 1}, {{gpu}}));
  EXPECT_FALSE(table_.has_room({1}, {.cpu = 1}, {{ssd}}));
  EXPECT_THAT(table_.match({.cpu = 1}, {{gpu}}, Pick::first, rng_), Optional(PeerId{1}));
  MemberRow drains = member_row(2, 4000);
  drains.draining = true;
  table_.hear(drains, {1});
  EXPECT_FALSE(has_room(1, 1));
}

TEST_F(MemberTableTest, TellsWhatHasChangedSinceAVersion) {
  table_.hear(member_row(1, 4000), {1});
  table_.hear(member_row(1, 3000), {2});
  const CellView all = table_.since(0);
  EXPECT_EQ(all.rows.size(), 2);
  EXPECT_EQ(all.kinds.size(), 1) << "they are of one kind";
  EXPECT_TRUE(all.last);
  EXPECT_TRUE(table_.since(all.version).rows.empty());

  table_.hear(member_row(2, 100), {2});
  const CellView delta = table_.since(all.version);
  ASSERT_EQ(delta.rows.size(), 1);
  EXPECT_EQ(delta.rows[0].node, PeerId{2});
  EXPECT_EQ(delta.rows[0].kind, 0) << "its kind was told before";
  table_.remove({1});
  EXPECT_THAT(table_.since(delta.version).gone, ElementsAre(1));
  EXPECT_TRUE(table_.since(0).gone.empty()) << "a global master without rows need not be told";
  EXPECT_EQ(table_.since(table_.version() + 5).from, 0) << "such a version was never told";
}

TEST_F(MemberTableTest, AViewOfManyComesInParts) {
  for (std::uint64_t node = 1; node <= 1200; ++node) table_.hear(member_row(1, 4000), {node});
  GlobalView view(PeerId{100});
  std::uint64_t from = 0;
  int parts = 0;
  for (bool last = false; !last; ++parts) {
    CellView part = table_.since(from);
    part.cell = {1};
    part.epoch = 1;
    ASSERT_EQ(view.learn(part, Time{}), federation::Heard::taken);
    // What changes while the parts come is told again.
    if (parts == 0) table_.hear(member_row(2, 7), {1});
    from = part.version;
    last = part.last;
  }
  EXPECT_EQ(parts, 3);
  EXPECT_EQ(view.size(), 1200);
  EXPECT_EQ(view.find({1}, {1})->free.cpu, 7);
}

TEST_F(MemberTableTest, WhoMissedMoreThanIsRememberedBeginsAnew) {
  table_.hear(member_row(1, 4000), {1});
  const std::uint64_t known = table_.version();
  for (std::uint64_t i = 0; i <= MemberTable::kGoneMax; ++i) {
    table_.hear(member_row(1, 4000), {2});
    table_.remove({2});
  }
  EXPECT_EQ(table_.since(known).from, 0);
  const std::uint64_t later = table_.version();
  EXPECT_EQ(table_.since(later).from, later);
}

TEST_F(MemberTableTest, MembersHaveOwnersAndChangeThem) {
  for (std::uint64_t node = 1; node <= 4; ++node) table_.hear(member_row(1, 4000), {node});
  const std::uint64_t shape = table_.shape();
  table_.attach({100});
  table_.attach({200});
  EXPECT_GT(table_.shape(), shape);
  int mine = 0;
  for (const ViewRow& row : table_.since(0).rows) mine += row.owner == PeerId{100} ? 1 : 0;
  EXPECT_EQ(mine, 2);
  table_.detach({100});
  for (const ViewRow& row : table_.since(0).rows) EXPECT_EQ(row.owner, PeerId{200});
}

// A member that changes is told later, and is new to a hearer of the parts before.
TEST_F(MemberTableTest, EachPartOfALargeTableHasTheKindsOfItsRows) {
  for (std::uint64_t node = 1; node <= 700; ++node) table_.hear(member_row(1, 4000), {node});
  table_.attach({1000});  // All change.
  CellView view = table_.since(0);
  EXPECT_FALSE(view.last);
  GlobalView hearer(PeerId{1000});
  for (;;) {
    view.epoch = 1;
    ASSERT_EQ(hearer.learn(view, Time{}), Heard::taken);
    if (view.last) break;
    view = table_.continued(view.version, 0);
  }
  EXPECT_EQ(hearer.size(), 700);
  EXPECT_EQ(hearer.internal_size(), 700);
}

}  // namespace
}  // namespace dunlin::sched::federation
