// SPDX-License-Identifier: MIT
#include "sched/raft/raft_engine_inbox.h"

#include <gtest/gtest.h>

#include "tests/support/memory_raft_store.h"

namespace dunlin::sched {
namespace {

constexpr GroupId kInboxGroup = 7;
constexpr ReplicaId kReplica = 5;

std::vector<RaftMember> inbox_members(std::uint64_t count) {
  std::vector<RaftMember> made;
  for (std::uint64_t i = 0; i < count; ++i) {
    made.push_back({.replica = kReplica + i,
        .node = {0xa0 + i},
        .address = Address::v4(0x0a000001 + static_cast<std::uint32_t>(i), 7700),
        .role = MemberRole::voter});
  }
  return made;
}

/// Entries 1 to 10 of term 2: the first and the seventh change members.
RaftLog ten_entries(test::MemoryRaftStore& store) {
  RaftLog log({.state = {.group = kInboxGroup, .replica = kReplica}, .entries = {}});
  log.set_term(store, 3);
  for (int i = 1; i <= 10; ++i) {
    const bool change = i == 1 || i == 7;
    log.append(store,
        {{.term = 2,
            .kind = change ? EntryKind::change : EntryKind::command,
            .data = change ? encode_members(inbox_members(i == 1 ? 1 : 3)) : "command"}});
  }
  return log;
}

raft::AppendEntries entries(std::uint64_t after, RaftTerm after_term, std::size_t count) {
  raft::AppendEntries message;
  message.header = {.group = kInboxGroup, .sender = 6, .receiver = kReplica, .term = 3};
  message.previous_index = after;
  message.previous_term = after_term;
  for (std::size_t i = 0; i < count; ++i) message.entries.push_back({.term = 3, .data = "new"});
  return message;
}

TEST(RaftEngineInbox, TakesTheMembersOfTheLastChangeStored) {
  test::MemoryRaftStore store;
  RaftLog log = ten_entries(store);
  EXPECT_EQ(stored_members(log), inbox_members(3));
  log.truncate(store, 7);
  EXPECT_EQ(stored_members(log), inbox_members(1));
  EXPECT_TRUE(is_sole_voter(stored_members(log), kReplica));
  EXPECT_FALSE(is_sole_voter(inbox_members(3), kReplica));
  EXPECT_FALSE(is_sole_voter(inbox_members(1), kReplica + 1));
}

TEST(RaftEngineInbox, CutsOffEntriesThatTheSnapshotStandsFor) {
  test::MemoryRaftStore store;
  RaftLog log = ten_entries(store);
  log.take(store,
      {.index = 8, .term = 2, .configuration_index = 7, .members = inbox_members(3), .data = "all"},
      0);
  ASSERT_EQ(log.first(), 9u);

  auto late = entries(5, 2, 4);
  for (raft::Entry& entry : late.entries) entry.term = 2;
  ASSERT_TRUE(begin_at_log(log, late));
  EXPECT_EQ(late.previous_index, 8u);
  EXPECT_EQ(late.previous_term, 2u);
  EXPECT_EQ(late.entries.size(), 1u);

  auto older = entries(1, 2, 3);
  EXPECT_FALSE(begin_at_log(log, older)) << "all of it is in the snapshot";
  auto contradicting = entries(5, 2, 4);
  EXPECT_FALSE(begin_at_log(log, contradicting)) << "entry 8 was committed in term 2";
  auto next = entries(8, 2, 1);
  EXPECT_TRUE(begin_at_log(log, next));
  EXPECT_EQ(next.entries.size(), 1u);
}

TEST(RaftEngineInbox, FindsTheChangeOfMembersThatALeaderOverrules) {
  test::MemoryRaftStore store;
  const RaftLog log = ten_entries(store);
  ::raft library{};
  library.current_term = 3;
  library.commit_index = 4;
  EXPECT_EQ(overruled_change(log, library, entries(5, 2, 3)), 6u);
  EXPECT_EQ(overruled_change(log, library, entries(7, 2, 3)), std::nullopt)
      << "no change after entry 7";
  EXPECT_EQ(overruled_change(log, library, entries(5, 1, 3)), std::nullopt)
      << "it does not meet this log";
  EXPECT_EQ(overruled_change(log, library, entries(10, 2, 3)), std::nullopt) << "it only appends";
  library.current_term = 4;
  EXPECT_EQ(overruled_change(log, library, entries(5, 2, 3)), std::nullopt)
      << "its leader is deposed";
}

TEST(RaftEngineInbox, TakesMessagesForThisReplicaFromTheNodeOfAMember) {
  test::MemoryRaftStore store;
  const RaftLog log = ten_entries(store);
  const ::raft library{};
  const raft::Header header{.group = kInboxGroup, .sender = 6, .receiver = kReplica, .term = 3};
  const Endpoint from{.id = {0xa1}, .address = Address::v4(0x0a000002, 7700)};
  EXPECT_TRUE(meant_for(log, library, from, header)) << "no members are known yet";
  auto wrong = header;
  wrong.receiver = 6;
  EXPECT_FALSE(meant_for(log, library, from, wrong));
  wrong = header;
  wrong.group = 8;
  EXPECT_FALSE(meant_for(log, library, from, wrong));
}

}  // namespace
}  // namespace dunlin::sched
