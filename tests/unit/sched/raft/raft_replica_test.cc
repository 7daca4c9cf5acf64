// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gmock/gmock.h>
#include <optional>
#include <variant>
#include <vector>

#include "sched/raft/raft_check.h"
#include "sched/raft/raft_group.h"
#include "sched/raft/raft_members.h"
#include "sched/raft/snapshot_pieces.h"
#include "tests/support/bank_machine.h"
#include "tests/support/memory_raft_store.h"

// One replica alone, message by message; raft_group_test.cc has whole groups.
namespace dunlin::sched {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;
using test::BankMachine;

class Recorder final : public overlay::Port<raft::Rpc> {
 public:
  void send(const Endpoint&, const raft::Rpc& message) override { sent.push_back(message); }
  std::vector<raft::Rpc> sent;
};

/// One replica of three; the test plays the others.
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
    establish(turn_, stored, members);
    auto made = RaftGroup::restore(
        turn_, {}, {{1}, members[0].address}, stored, std::make_unique<BankMachine>(history_));
    EXPECT_TRUE(made);
    group_.emplace(std::move(*made));
    store_.commit();
  }
  raft::Header header(ReplicaId sender, RaftTerm term) const {
    return {.group = 7, .sender = sender, .receiver = group_->replica(), .term = term};
  }
  void receive(std::uint64_t node, const raft::Rpc& message) {
    out_.sent.clear();
    group_->receive(turn_, {{node}, Address::v4(0x0a000001, 9)}, message);
    store_.commit();
  }
  raft::AppendEntriesResult result() const {
    EXPECT_EQ(out_.sent.size(), 1u);
    return std::get<raft::AppendEntriesResult>(out_.sent.at(0));
  }
  /// A message of small numbers, so that now and then it fits.
  raft::Rpc mad_message(Rng& chance) const {
    const auto small = [&chance] { return std::uint64_t{chance.below(8)}; };
    const raft::Header from = header(10 * (2 + chance.below(2)), 1 + small());
    switch (chance.below(9)) {
      case 0:
        return raft::RequestVote{from, small(), small(), chance.chance(0.5), chance.chance(0.5)};
      case 1:
        return raft::RequestVoteResult{from, chance.chance(0.9), chance.chance(0.5)};
      case 2:
        return raft::AppendEntriesResult{from, chance.chance(0.5) ? small() : 0, small()};
      case 3:
        return raft::TimeoutNow{from, small(), small()};
      case 4: {
        test::History history;
        const BankMachine bank(history);
        RaftSnapshot snapshot{.index = 1 + small(),
            .term = 1 + small(),
            .configuration_index = 1,
            .members = group_->members(),
            .data = std::string(8, '\0') + bank.snapshot()};
        snapshot.checksum = checksum_of(7, snapshot);
        return pieces_of(snapshot, from).front();
      }
      default: {
        raft::AppendEntries append{from, small(), small(), small(), {}};
        RaftTerm term = std::max<RaftTerm>(append.previous_term, 1);
        for (std::uint64_t i = small() / 2; i-- > 0;) {
          term += chance.below(2);
          append.entries.push_back(command(term));
          if (chance.chance(0.3)) {
            append.entries.back() = {term, EntryKind::change, encode_members(group_->members())};
          }
        }
        return append;
      }
    }
  }
  static raft::Entry command(RaftTerm term) { return {term, EntryKind::command, "xxxxxxxxx"}; }

  test::History history_;
  Recorder out_;
  test::MemoryRaftStore store_;
  Rng rng_{3};
  RaftTurn turn_{Time{1h}, rng_, out_, store_};
  std::optional<RaftGroup> group_;
};

// A follower's entries behind those it was asked about may come from another leader.
TEST_F(LoneReplica, AnswersOnlyForWhatItWasAskedAbout) {
  receive(2, raft::AppendEntries{header(20, 2), 1, 1, 1, {command(2), command(2), command(2)}});
  EXPECT_EQ(result().last_index, 4u);
  receive(3, raft::AppendEntries{header(30, 3), 2, 2, 1, {}});
  EXPECT_EQ(result().rejected, 0u);
  EXPECT_EQ(result().last_index, 2u);
}

TEST_F(LoneReplica, VotesOnceInATerm) {
  const auto ask = [&](ReplicaId sender) {
    receive(sender / 10, raft::RequestVote{header(sender, 5), 9, 4, false, true});
    return std::get<raft::RequestVoteResult>(out_.sent.at(0)).granted;
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
  receive(3, raft::RequestVote{other, 9, 4, false, true});
  EXPECT_TRUE(out_.sent.empty());
}

// A voter of a later term and a shorter log: the other must hear of that term, or both ask for
// ever.
TEST_F(LoneReplica, RefusesAPreVoteInItsOwnTerm) {
  receive(2, raft::RequestVote{header(20, 10), 0, 0, false, true});
  EXPECT_EQ(group_->term(), 10u);
  receive(3, raft::RequestVote{header(30, 6), 9, 5, true, false});
  const auto answer = std::get<raft::RequestVoteResult>(out_.sent.at(0));
  EXPECT_FALSE(answer.granted);
  EXPECT_TRUE(answer.pre_vote);
  EXPECT_EQ(answer.header.term, 10u);
}

// It may be a voter by an entry that only the candidate has.
TEST_F(LoneReplica, VotesThoughItIsASpareByItsOwnLog) {
  auto members = group_->members();
  members[0].role = MemberRole::spare;
  receive(2,
      raft::AppendEntries{
          header(20, 2), 1, 1, 2, {{2, EntryKind::change, encode_members(members)}}});
  EXPECT_EQ(group_->members()[0].role, MemberRole::spare);
  EXPECT_EQ(group_->deadline(), kNever);
  const raft::RequestVote ask{header(20, 3), 9, 2, false, false};
  const auto granted = [&] { return std::get<raft::RequestVoteResult>(out_.sent.at(0)).granted; };
  receive(2, ask);
  EXPECT_FALSE(granted()) << "it has just heard of its leader";
  turn_.now += 1min;
  receive(2, ask);
  EXPECT_TRUE(granted());
  EXPECT_EQ(group_->members()[0].role, MemberRole::spare);
  EXPECT_EQ(store_.disk()->state.vote, 20u);
}

TEST_F(LoneReplica, IgnoresMembersThatSpeakFromTheWrongNode) {
  receive(3, raft::AppendEntries{header(20, 2), 1, 1, 1, {}});
  EXPECT_TRUE(out_.sent.empty());
  EXPECT_EQ(group_->term(), 1u);
}

TEST_F(LoneReplica, DoesNotStartFromASnapshotOfSomethingElse) {
  StoredRaft stored = *store_.disk();
  stored.snapshot = {.index = 1,
      .term = 1,
      .configuration_index = 1,
      .members = group_->members(),
      .data = "epoch 12, and no bank"};
  stored.snapshot->checksum = checksum_of(7, *stored.snapshot);
  const auto again = RaftGroup::restore(turn_, {}, {{1}, Address::v4(0x0a000001, 1)}, stored,
      std::make_unique<BankMachine>(history_));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::corrupt);
  EXPECT_THAT(again.error().text, HasSubstr("not a snapshot of a bank"));
}

// A member may be mad: whatever it says, if it could be meant, this replica lives on or stops with
// a word. (What it then believes is another matter: the group trusts its members.)
TEST_F(LoneReplica, SurvivesAMadMember) {
  std::uint64_t heard = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng chance(seed);
    auto stored = *store_.disk();
    test::History history;
    auto made = RaftGroup::restore(turn_, {.snapshot_threshold = 3, .snapshot_trailing = 2},
        {{1}, Address::v4(0x0a000001, 1)}, stored, std::make_unique<BankMachine>(history));
    ASSERT_TRUE(made);
    for (int step = 0; step < 100; ++step) {
      const auto message = mad_message(chance);
      if (!plausible(message)) continue;
      ++heard;
      turn_.now += std::chrono::milliseconds(chance.below(300));
      const std::uint64_t node = header_of(message).sender / 10;
      made->receive(turn_, {{node}, Address::v4(0x0a000001, 9)}, message);
      if (chance.chance(0.2)) made->wake(turn_);
      out_.sent.clear();
      store_.crash();
    }
  }
  EXPECT_GT(heard, 5'000u);
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
      raft::AppendEntries{header(20, 2), 0, 0, 1,
          {{1, EntryKind::change, encode_members(first)}, command(2), command(2)}});
  EXPECT_TRUE(out_.sent.empty());
  EXPECT_EQ(group_->last_index(), 50u);
  EXPECT_EQ(group_->trouble(), std::nullopt);
  receive(2, raft::AppendEntries{header(20, 2), 49, 2, 1, {command(2), command(2)}});
  EXPECT_EQ(result().last_index, 51u);
}

}  // namespace
}  // namespace dunlin::sched
