// SPDX-License-Identifier: MIT
#include "sched/cell/raft_group.h"

#include <algorithm>
#include <gmock/gmock.h>

#include "sched/cell/raft_check.h"
#include "sched/cell/raft_members.h"
#include "sched/cell/snapshot_pieces.h"
#include "tests/support/raft_world.h"

namespace dunlin::sched {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;
using test::BankMachine;
using test::RaftWorld;

constexpr Duration kSoon = 30s;

RaftWorld world(std::size_t founders, std::size_t nodes, const RaftParams& params = {}) {
  return RaftWorld({.founders = founders, .nodes = nodes, .params = params, .codec = true});
}

std::size_t elected(RaftWorld& world) {
  EXPECT_TRUE(world.run_until([&] { return world.manager() != world.size(); }, kSoon));
  return world.manager();
}

void settle(RaftWorld& world) {
  EXPECT_TRUE(world.run_until([&] { return world.settled(); }, kSoon)) << world.describe();
  EXPECT_EQ(world.violation(), "");
}

/// Members are whoever is there.
void reconcile(RaftWorld& world) {
  for (int i = 0; i < 100 && !world.reconcile(); ++i) world.run_for(1s);
  EXPECT_TRUE(world.reconcile()) << world.describe();
}

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

TEST(RaftGroup, GrowsFromOneToFiveAndShrinks) {
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

// A disk that is lost takes its vote with it: with one other voter dead there is no majority,
// though three nodes would answer. When it is replaced, all is well.
TEST(RaftGroup, LostDiskIsAnotherReplicaWithoutAVote) {
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
TEST(RaftGroup, ForgetsAChangeOfMembersThatWasNeverCommitted) {
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
TEST(RaftGroup, TakesNoSnapshotOfMembersThatAreNotCommitted) {
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

class Recorder final : public overlay::Port<cell::Message> {
 public:
  void send(const Endpoint&, const cell::Message& message) override { sent.push_back(message); }
  std::vector<cell::Message> sent;
};

/// One replica of three, whose others are played by the test.
class LoneReplica : public ::testing::Test {
 protected:
  LoneReplica() {
    StoredRaft stored = new_replica(turn_, 7);
    const auto member = [](ReplicaId replica, std::uint64_t node) {
      return RaftMember{.replica = replica,
          .node = {node},
          .address = Address::v4(0x0a000001, static_cast<std::uint16_t>(node)),
          .role = MemberRole::voter};
    };
    const RaftMember members[] = {member(stored.state.replica, 1), member(20, 2), member(30, 3)};
    found(turn_, stored, members);
    auto made = RaftGroup::restore(
        turn_, {}, {{1}, members[0].address}, stored, std::make_unique<BankMachine>(history_));
    EXPECT_TRUE(made);
    group_.emplace(std::move(*made));
  }
  cell::Header header(ReplicaId sender, RaftTerm term) const {
    return {.group = 7, .sender = sender, .receiver = group_->replica(), .term = term};
  }
  void receive(std::uint64_t node, const cell::Message& message) {
    out_.sent.clear();
    group_->receive(turn_, {{node}, Address::v4(0x0a000001, 9)}, message);
    store_.commit();
  }
  cell::AppendEntriesResult result() const {
    EXPECT_EQ(out_.sent.size(), 1u);
    return std::get<cell::AppendEntriesResult>(out_.sent.at(0));
  }
  static cell::Entry command(RaftTerm term) { return {term, EntryKind::command, "xxxxxxxxx"}; }

  test::History history_;
  Recorder out_;
  test::MemoryRaftStore store_;
  Rng rng_{3};
  RaftTurn turn_{Time{1h}, rng_, out_, store_};
  std::optional<RaftGroup> group_;
};

// What a follower has behind the entries it was asked about may be another leader's.
TEST_F(LoneReplica, AnswersOnlyForWhatItWasAskedAbout) {
  receive(2, cell::AppendEntries{header(20, 2), 1, 1, 1, {command(2), command(2), command(2)}});
  EXPECT_EQ(result().last_index, 4u);
  receive(3, cell::AppendEntries{header(30, 3), 2, 2, 1, {}});
  EXPECT_EQ(result().rejected, 0u);
  EXPECT_EQ(result().last_index, 2u);
}

TEST_F(LoneReplica, VotesOnceInATerm) {
  const auto ask = [&](ReplicaId sender) {
    receive(sender / 10, cell::RequestVote{header(sender, 5), 9, 4, false, true});
    return std::get<cell::RequestVoteResult>(out_.sent.at(0)).granted;
  };
  EXPECT_TRUE(ask(20));
  EXPECT_FALSE(ask(30));
  EXPECT_TRUE(ask(20));
  EXPECT_EQ(store_.disk()->state.vote, 20u);
  // Neither does a new life of it, ...
  auto again = RaftGroup::restore(turn_, {}, {{1}, Address::v4(0x0a000001, 1)}, *store_.disk(),
      std::make_unique<BankMachine>(history_));
  ASSERT_TRUE(again);
  group_ = std::move(*again);
  EXPECT_FALSE(ask(30));
  // ... and what is asked of another replica is not for this one.
  auto other = header(30, 6);
  other.receiver = 40;
  receive(3, cell::RequestVote{other, 9, 4, false, true});
  EXPECT_TRUE(out_.sent.empty());
}

// A voter of a later term and a shorter log: the other must hear of that term, or both ask for
// ever.
TEST_F(LoneReplica, RefusesAPreVoteInItsOwnTerm) {
  receive(2, cell::RequestVote{header(20, 10), 0, 0, false, true});
  EXPECT_EQ(group_->term(), 10u);
  receive(3, cell::RequestVote{header(30, 6), 9, 5, true, false});
  const auto answer = std::get<cell::RequestVoteResult>(out_.sent.at(0));
  EXPECT_FALSE(answer.granted);
  EXPECT_TRUE(answer.pre_vote);
  EXPECT_EQ(answer.header.term, 10u);
}

// It may be a voter by an entry that only the candidate has.
TEST_F(LoneReplica, VotesThoughItIsASpareByItsOwnLog) {
  auto members = group_->members();
  members[0].role = MemberRole::spare;
  receive(2,
      cell::AppendEntries{
          header(20, 2), 1, 1, 2, {{2, EntryKind::change, encode_members(members)}}});
  EXPECT_EQ(group_->members()[0].role, MemberRole::spare);
  EXPECT_EQ(group_->deadline(), kNever);
  const cell::RequestVote ask{header(20, 3), 9, 2, false, false};
  const auto granted = [&] { return std::get<cell::RequestVoteResult>(out_.sent.at(0)).granted; };
  receive(2, ask);
  EXPECT_FALSE(granted()) << "it has just heard of its leader";
  turn_.now += 1min;
  receive(2, ask);
  EXPECT_TRUE(granted());
  EXPECT_EQ(group_->members()[0].role, MemberRole::spare);
  EXPECT_EQ(store_.disk()->state.vote, 20u);
}

TEST_F(LoneReplica, IgnoresMembersThatSpeakFromTheWrongNode) {
  receive(3, cell::AppendEntries{header(20, 2), 1, 1, 1, {}});
  EXPECT_TRUE(out_.sent.empty());
  EXPECT_EQ(group_->term(), 1u);
}

// Late, and from before the snapshot: libraft 0.15 would put it behind the log.
TEST_F(LoneReplica, IgnoresWhatItsSnapshotStandsFor) {
  RaftSnapshot snapshot{.index = 50,
      .term = 2,
      .configuration_index = 1,
      .members = group_->members(),
      .data = std::string(8, '\0') + BankMachine(history_).snapshot()};
  snapshot.checksum = checksum_of(7, snapshot);
  receive(2, pieces_of(snapshot, header(20, 2)).front());
  EXPECT_EQ(result().last_index, 50u);
  const auto first = store_.disk()->snapshot->members;
  receive(2,
      cell::AppendEntries{header(20, 2), 0, 0, 1,
          {{1, EntryKind::change, encode_members(first)}, command(2), command(2)}});
  EXPECT_TRUE(out_.sent.empty());
  EXPECT_EQ(group_->last_index(), 50u);
  EXPECT_EQ(group_->trouble(), std::nullopt);
  receive(2, cell::AppendEntries{header(20, 2), 49, 2, 1, {command(2), command(2)}});
  EXPECT_EQ(result().last_index, 51u);
}

}  // namespace
}  // namespace dunlin::sched
