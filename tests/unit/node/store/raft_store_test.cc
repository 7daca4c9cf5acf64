// SPDX-License-Identifier: MIT
#include "node/store/raft_store.h"

#include <csignal>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/store/store.h"
#include "sched/raft/raft_check.h"
#include "sched/raft/raft_log.h"
#include "sched/raft/raft_members.h"
#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

using sched::EntryKind;
using ::testing::HasSubstr;

constexpr sched::GroupId kGroup = 0xfedcba9876543210;
constexpr sched::ReplicaId kReplica = 0x8000000000000001;

std::vector<sched::RaftMember> members() {
  return {{.replica = kReplica,
      .node = {0x9000000000000002},
      .address = overlay::Address::v4(0x0a000001, 7700),
      .role = sched::MemberRole::voter}};
}

sched::RaftEntry entry(sched::RaftTerm term, std::string data) {
  return {.term = term, .kind = EntryKind::command, .data = std::move(data)};
}

class RaftStore : public ::testing::Test {
 protected:
  std::unique_ptr<SqliteStore> open() {
    auto store = SqliteStore::open(scratch_.path());
    EXPECT_TRUE(store) << store.error().text;
    return store ? std::move(*store) : nullptr;
  }
  /// Leaves the records of a life of a replica: a founder's entry and `count` commands of term 3.
  void live(SqliteStore& store, int count) {
    sched::RaftLog log({.state = {.group = kGroup, .replica = kReplica}, .entries = {}});
    log.set_term(store.raft(), 1);
    log.append(store.raft(),
        {{.term = 1, .kind = EntryKind::change, .data = sched::encode_members(members())}});
    log.set_term(store.raft(), 3);
    log.set_vote(store.raft(), kReplica);
    std::vector<sched::RaftEntry> commands;
    for (int i = 0; i < count; ++i) commands.push_back(entry(3, std::string("c\0\xff", 3)));
    log.append(store.raft(), commands);
  }
  sched::StoredRaft only(SqliteStore& store) {
    const auto found = store.raft().restore();
    EXPECT_TRUE(found) << found.error().text;
    EXPECT_EQ(found->size(), 1u);
    return found->empty() ? sched::StoredRaft() : found->front();
  }
  void run_sql(const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open((scratch_ / "dunlin.sqlite").c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }
  test::Scratch scratch_;
};

TEST_F(RaftStore, RestoresWhatWasCommitted) {
  {
    auto store = open();
    live(*store, 5);
    EXPECT_TRUE(store->dirty());
    ASSERT_TRUE(store->commit());
    EXPECT_FALSE(store->dirty());
  }
  auto store = open();
  const auto stored = only(*store);
  EXPECT_TRUE(sched::verify(stored)) << sched::verify(stored).error().text;
  EXPECT_EQ(stored.state.group, kGroup);
  EXPECT_EQ(stored.state.replica, kReplica);
  EXPECT_EQ(stored.state.term, 3u);
  EXPECT_EQ(stored.state.vote, kReplica);
  ASSERT_EQ(stored.entries.size(), 6u);
  EXPECT_EQ(stored.entries[0].kind, EntryKind::change);
  EXPECT_EQ(stored.entries[5].data, std::string("c\0\xff", 3));
  EXPECT_EQ(stored.entries[5].index, 6u);
}

TEST_F(RaftStore, TruncatesTakesAndInstallsSnapshots) {
  {
    auto store = open();
    live(*store, 9);
    ASSERT_TRUE(store->commit());
    sched::RaftLog log(only(*store));
    log.truncate(store->raft(), 9);
    log.append(store->raft(), {entry(3, "other")});
    sched::RaftSnapshot snapshot{.index = 7,
        .term = 3,
        .configuration_index = 1,
        .members = members(),
        .data = std::string("\0\1state", 7)};
    log.take(store->raft(), snapshot, 2);
    ASSERT_TRUE(store->commit());
  }
  {
    auto store = open();
    const auto stored = only(*store);
    EXPECT_TRUE(sched::verify(stored)) << sched::verify(stored).error().text;
    ASSERT_TRUE(stored.snapshot);
    EXPECT_EQ(stored.snapshot->members, members());
    EXPECT_EQ(stored.snapshot->data, std::string("\0\1state", 7));
    ASSERT_EQ(stored.entries.size(), 4u);
    EXPECT_EQ(stored.entries.front().index, 6u);
    EXPECT_EQ(stored.entries.back().data, "other");
    sched::RaftLog log(stored);
    log.install(store->raft(),
        {.index = 40, .term = 3, .configuration_index = 1, .members = members(), .data = "x"});
    log.append(store->raft(), {entry(3, "next")});
    ASSERT_TRUE(store->commit());
  }
  auto store = open();
  const auto stored = only(*store);
  EXPECT_TRUE(sched::verify(stored)) << sched::verify(stored).error().text;
  ASSERT_EQ(stored.entries.size(), 1u);
  EXPECT_EQ(stored.entries.front().index, 41u);
}

// kill -9 right after commit(), with more on its way: what was committed is there, and no more.
TEST_F(RaftStore, SurvivesAKill) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto store = SqliteStore::open(scratch_.path());
    if (!store) ::_exit(1);
    live(**store, 100);
    if (!(*store)->commit()) ::_exit(2);
    sched::RaftLog log(*(*store)->raft().restore()->begin());
    log.truncate((*store)->raft(), 50);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  auto store = open();
  const auto stored = only(*store);
  EXPECT_TRUE(sched::verify(stored));
  EXPECT_EQ(stored.entries.size(), 101u);
}

TEST_F(RaftStore, ForgetsAGroupAndKeepsTheOthers) {
  auto store = open();
  live(*store, 3);
  store->raft().put_state({.group = 7, .replica = 8});
  ASSERT_TRUE(store->commit());
  store->raft().forget_group(kGroup);
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(only(*store).state.group, 7u);
  EXPECT_TRUE(only(*store).entries.empty());
}

// A disk that rots is told from one that does not, whatever it spoils.
TEST_F(RaftStore, FindsWhatADiskSpoilt) {
  const std::pair<const char*, const char*> cases[] = {
      {"delete from raft_log where entry = 4", "entry 4 is missing"},
      {"delete from raft_log where entry = 1", "entry 1 is missing"},
      {"update raft_log set data = x'00' where entry = 5", "entry 5 has a wrong checksum"},
      {"update raft_log set kind = 'rumour' where entry = 1", "entry 1"},
      {"update raft_log set term = 2 where entry = 6", "entry 6 has a wrong checksum"},
      {"update raft_state set term = 2", "term and vote"},
      {"update raft_state set vote = '0000000000000001'", "term and vote"},
  };
  {
    auto store = open();
    live(*store, 8);
    ASSERT_TRUE(store->commit());
  }
  for (const auto& [sql, words] : cases) {
    run_sql(
        "create table kept_log as select * from raft_log; "
        "create table kept_state as select * from raft_state");
    run_sql(sql);
    const auto fine = sched::verify(only(*open()));
    ASSERT_FALSE(fine) << sql;
    EXPECT_EQ(fine.error().kind, ErrorKind::corrupt);
    EXPECT_THAT(fine.error().text, HasSubstr(words)) << sql;
    EXPECT_THAT(fine.error().text, HasSubstr("comes back as a new replica")) << sql;
    run_sql(
        "delete from raft_log; insert into raft_log select * from kept_log; "
        "delete from raft_state; insert into raft_state select * from kept_state; "
        "drop table kept_log; drop table kept_state");
  }
  EXPECT_TRUE(sched::verify(only(*open())));
}

}  // namespace
}  // namespace dunlin::node
