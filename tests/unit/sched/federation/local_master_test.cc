// SPDX-License-Identifier: MIT
#include "tests/unit/sched/federation/local_master_stage.h"

namespace dunlin::sched::federation {
namespace {

using namespace std::chrono_literals;
using rows::at;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST_F(LocalMasterTest, CallsTheRollUntilAllHaveAnswered) {
  LocalMaster fresh(params_, kCell, 4);
  const Endpoint members[] = {at(1), at(2)};
  fresh.set_members(members);
  fresh.wake(turn());
  EXPECT_THAT(out_.all<RollCall>(), SizeIs(2));
  out_.clear();
  fresh.receive(
      turn(), at(1), MemberRow{.cell = kCell, .epoch = 4, .version = 1, .kind = {kind({})}});
  now_ = fresh.deadline();
  fresh.wake(turn());
  now_ = fresh.deadline();
  fresh.wake(turn());
  ASSERT_FALSE(out_.sent.empty());
  for (const auto& [to, message] : out_.sent) EXPECT_EQ(to.id, PeerId{2});
}

TEST_F(LocalMasterTest, AMemberSilentForLongIsGoneUntilItSpeaks) {
  for (int i = 0; i < 200 && master_.members().size() > 2; ++i) {
    now_ = master_.deadline();
    attach(100);
    master_.wake(turn());
    row(1, 1, 4000);
    row(2, 1, 4000);
  }
  EXPECT_EQ(master_.members().find({3}), nullptr);
  EXPECT_LE(now_, Time(3 * params_.heartbeat));
  row(3, 2, 4000);
  EXPECT_NE(master_.members().find({3}), nullptr);
}

TEST_F(LocalMasterTest, ALaunchIsSentOnAndAnsweredByItsMember) {
  receive(launch(1, 0, 2));
  const StartTasks start = started_at(2);
  EXPECT_EQ(start.born, 1);
  ASSERT_THAT(start.numbers, SizeIs(1));
  EXPECT_TRUE(out_.all<LaunchReply>().empty()) << "the member has the last word";
  out_.clear();
  row(2, 2, 1000, {{start.numbers[0], true}});
  EXPECT_EQ(verdict().fate, LaunchFate::placed);
  EXPECT_EQ(verdict().node, PeerId{2});
  const CellView view = out_.only<LaunchReply>().view;
  EXPECT_EQ(view.included, 1);
  EXPECT_EQ(master_.members().find({2})->free.cpu, 1000);
}

// Members remember how they answered the starts of an epoch, and global masters which rows of it
// they have seen.
TEST_F(LocalMasterTest, ASecondOneOfAnEpochGoesOnWithTheNumbers) {
  receive(launch(1, 0, 2));
  const std::uint64_t before = started_at(2).numbers.at(0);
  LocalMaster next(params_, kCell, kEpoch, {}, master_.number_last());
  const Endpoint members[] = {at(1), at(2)};
  next.set_members(members);
  const KnownView known{
      .cell = kCell, .epoch = kEpoch, .version = master_.number_last(), .floor = 1};
  next.receive(turn(), at(100), Attach{.incarnation = 1, .known = {known}}, &known);
  out_.clear();
  next.receive(turn(), at(2),
      MemberRow{.cell = kCell,
          .epoch = kEpoch,
          .version = std::uint64_t{1} << 32 | 9,
          .free = {.cpu = 4000, .memory = 8192},
          .kind = {kind({})}});
  for (int i = 0; i < 5 && out_.all<CellView>().empty(); ++i) {
    now_ = next.deadline();
    next.wake(turn());
  }
  ASSERT_FALSE(out_.all<CellView>().empty());
  EXPECT_GT(out_.all<CellView>().back().version, master_.number_last());
  out_.clear();
  next.receive(turn(), at(100), launch(2, 1, 2));
  EXPECT_GT(started_at(2).numbers.at(0), before);
}

TEST_F(LocalMasterTest, ALaunchThatComesTwiceGetsTheSameAnswer) {
  receive(launch(1, 0, 2));
  const StartTasks first = started_at(2);
  out_.clear();
  receive(launch(1, 0, 2));
  EXPECT_EQ(started_at(2).numbers, first.numbers) << "the start may be lost, so it is sent again";
  row(2, 2, 1000, {{first.numbers[0], true}});
  out_.clear();
  receive(launch(1, 0, 2));
  EXPECT_EQ(verdict().fate, LaunchFate::placed);
  EXPECT_TRUE(out_.all<StartTasks>().empty());
}

TEST_F(LocalMasterTest, RepairsALaunchToAMemberWithoutRoom) {
  row(2, 2, 500);
  receive(launch(1, 0, 2));
  EXPECT_NE(out_.sent.back().first.id, PeerId{2});
  EXPECT_THAT(out_.all<StartTasks>(), SizeIs(1));
  params_.repair = false;
  out_.clear();
  receive(launch(2, 1, 2));
  EXPECT_EQ(verdict().fate, LaunchFate::refused);
  EXPECT_TRUE(out_.all<StartTasks>().empty());
}

// Section IV-B6: the two failures of a launch are counted apart, once for each task.
TEST_F(LocalMasterTest, CountsInconsistenciesOfOwnMembersAndOfOthers) {
  attach(101);  // It gets one member of three.
  const auto& owners = master_.members().owners();
  const PeerId other = *owners.partitions().at({101}).begin();
  const PeerId own = *owners.partitions().at({100}).begin();
  for (const PeerId full : {own, other}) row(full.value, 2, 0);
  receive(launch(1, 0, own.value));
  receive(launch(2, 1, other.value));  // The last room went to the first.
  receive(launch(3, 2, 99));
  const LaunchCounts& counts = master_.masters().at({100}).counts;
  EXPECT_EQ(counts.launched, 3u);
  EXPECT_EQ(counts.internal, 1u);
  EXPECT_EQ(counts.external, 2u) << "a node that is no member is of nobody";
  EXPECT_EQ(counts.refused, 2u);
  receive(launch(1, 0, own.value));
  const std::uint64_t start = out_.all<StartTasks>().front().numbers.front();
  const PeerId third = out_.sent.back().first.id;
  row(third.value, 2, 0, {{.number = start, .started = false}});
  EXPECT_EQ(counts.launched, 3u);
  EXPECT_EQ(counts.internal + counts.external, 3u);
  EXPECT_EQ(counts.refused, 3u);
}

TEST_F(LocalMasterTest, CountsWhatAMemberDeclines) {
  receive(launch(1, 0, 2));
  const std::uint64_t start = started_at(2).numbers.front();
  row(2, 1, 4000, {{.number = start, .started = false}});
  const LaunchCounts& counts = master_.masters().at({100}).counts;
  EXPECT_EQ(counts.internal, 1u);
  EXPECT_EQ(counts.refused, 0u);
}

// One user has enough at all members, and these have room: others must not be kept from it.
TEST_F(LocalMasterTest, WhatAMemberDeclinesOfOneUserItMayTakeOfOthers) {
  receive(launch(1, 0, 2, 1000));
  for (int i = 0; i < 3; ++i) {
    const StartTasks start = out_.all<StartTasks>().back();
    const PeerId node = out_.sent.back().first.id;
    row(node.value, 1, 4000, {{.number = start.numbers[0], .started = false, .crowded = true}});
  }
  EXPECT_EQ(verdict().fate, LaunchFate::refused) << "no other member is asked a second time";
  out_.clear();
  receive(launch(2, 1, 3, 1000));
  EXPECT_EQ(started_at(3).numbers.size(), 1u);
}

TEST_F(LocalMasterTest, KnowsHowOldItsRowsAre) {
  now_ += 2s;
  row(1, 2, 4000);
  row(2, 2, 4000);
  EXPECT_EQ(master_.oldest_word(), Time{});
  row(3, 2, 4000);
  EXPECT_EQ(master_.oldest_word(), now_);
  EXPECT_FALSE(LocalMaster(params_, kCell, kEpoch).oldest_word());
}

TEST_F(LocalMasterTest, WhatIsUnderWayIsNotGivenTwice) {
  for (std::uint32_t i = 0; i < 3; ++i) receive(launch(i + 1, i, 2));
  std::vector<std::uint64_t> nodes;
  for (const auto& [to, message] : out_.sent) nodes.push_back(to.id.value);
  EXPECT_THAT(nodes, UnorderedElementsAre(1, 2, 3));
  out_.clear();
  receive(launch(4, 3, 2));
  EXPECT_EQ(verdict().fate, LaunchFate::refused) << "all are full, if those start";
}

TEST_F(LocalMasterTest, OnlyWhatWasDeclinedGoesToASecondMember) {
  receive(launch(1, 0, 2));
  const std::uint64_t start = started_at(2).numbers[0];
  out_.clear();
  row(2, 2, 4000, {{start, false}});
  const auto second = out_.only<StartTasks>();
  EXPECT_NE(out_.sent.front().first.id, PeerId{2});
  EXPECT_NE(second.numbers[0], start);
  // The first answer comes again, and says nothing about the second start.
  row(2, 2, 4000, {{start, false}});
  EXPECT_THAT(out_.all<StartTasks>(), SizeIs(1));
  EXPECT_TRUE(out_.all<LaunchReply>().empty());
}

TEST_F(LocalMasterTest, AnAttemptUnderWayIsNotLaunchedByAnotherNumber) {
  receive(launch(1, 0, 2));
  out_.clear();
  receive(launch(2, 0, 3));
  EXPECT_TRUE(out_.sent.empty());
  receive(launch(3, 0, 3, 3000, 2));
  EXPECT_THAT(out_.all<StartTasks>(), SizeIs(1)) << "the next attempt is another one";
}

TEST_F(LocalMasterTest, RefusesLaunchesOfAnotherEpoch) {
  LaunchTasks old = launch(1, 0, 2);
  old.known.epoch = kEpoch - 1;
  receive(old);
  EXPECT_EQ(verdict().fate, LaunchFate::unknown) << "the local master before may have started it";
  out_.clear();
  old.known.epoch = kEpoch + 1;
  receive(old);
  EXPECT_TRUE(out_.sent.empty()) << "this one was deposed";
  EXPECT_EQ(master_.ignored().epochs, 2);
}

TEST_F(LocalMasterTest, IgnoresLaunchesOfWhoIsNotAttachedAndOldOnes) {
  LaunchTasks stranger = launch(1, 0, 2);
  master_.receive(turn(), at(200), stranger);
  stranger.incarnation = 2;
  receive(stranger);
  EXPECT_TRUE(out_.sent.empty());
  EXPECT_EQ(master_.ignored().strangers, 2);
  floor_ = 9;
  receive(launch(10, 0, 2));
  out_.clear();
  receive(launch(8, 1, 3));
  EXPECT_TRUE(out_.sent.empty()) << "its global master has given it up";
}

TEST_F(LocalMasterTest, AStartGoesToNoOtherProcessOfTheMember) {
  receive(launch(1, 0, 2));
  out_.clear();
  master_.receive(turn(), at(2),
      MemberRow{.cell = kCell,
          .epoch = kEpoch,
          .version = std::uint64_t{2} << 32 | 1,
          .free = {.cpu = 4000, .memory = 8192}});
  receive(launch(1, 0, 2));
  EXPECT_EQ(started_at(2).born, 1) << "the process before may have started it";
}

TEST_F(LocalMasterTest, AGlobalMasterLosesItsPartitionWithItsLease) {
  attach(200);
  EXPECT_THAT(master_.members().owners().partitions(), SizeIs(2));
  now_ += params_.lease / 2;
  attach(100);
  now_ += params_.lease / 2;
  master_.wake(turn());
  EXPECT_THAT(master_.members().owners().partitions(), SizeIs(1));
  master_.receive(turn(), at(100), Attach{.incarnation = 1, .leave = true}, nullptr);
  EXPECT_TRUE(master_.masters().empty());
}

TEST_F(LocalMasterTest, TooManyGlobalMastersGetNoPartitionThenNoRows) {
  params_.masters_max = 1;
  attach(200);
  EXPECT_THAT(master_.members().owners().partitions(), SizeIs(1));
  EXPECT_EQ(out_.only<CellView>().rows.size(), 3) << "it is a guest";
  out_.clear();
  attach(300);
  EXPECT_TRUE(out_.only<CellView>().full);
  EXPECT_THAT(master_.masters(), SizeIs(2));
}

TEST_F(LocalMasterTest, TellsAllOfMembersThatComeOrGo) {
  attach(200);
  attach(100, 1, master_.members().version());
  master_.wake(turn());
  now_ = std::max(now_, master_.deadline());
  master_.wake(turn());
  out_.clear();
  row(1, 2, 2000);
  EXPECT_TRUE(out_.sent.empty()) << "of room alone it tells when it is asked, or answers";
  const Endpoint members[] = {at(1), at(2)};
  master_.set_members(members);
  master_.wake(turn());
  now_ = master_.deadline();
  master_.wake(turn());
  const auto views = out_.all<CellView>();
  ASSERT_THAT(views, SizeIs(2));
  EXPECT_THAT(views[0].gone, ElementsAre(3));
}

}  // namespace
}  // namespace dunlin::sched::federation
