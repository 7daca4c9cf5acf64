// SPDX-License-Identifier: MIT
#include "node/store/log_tables.h"

#include <filesystem>
#include <gmock/gmock.h>

#include "node/store/log_blobs.h"
#include "overlay/rng.h"
#include "sched/raft/raft_check.h"
#include "tests/unit/node/store/store_fixture.h"

namespace dunlin::node {
namespace {

using sched::replica::Batch;
using sched::replica::Entry;
using sched::replica::HomeRecord;
using sched::replica::LogFacts;
using sched::replica::Member;
using sched::replica::Set;
using sched::replica::StoredLog;
using store_test::kHome;
using store_test::kWorker;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kLog = 0xfedcba9876543211;
constexpr std::uint64_t kOther = 7;

class LogTablesTest : public store_test::Store {
 protected:
  /// Opens the logs, as an agent does at its start.
  std::unique_ptr<SqliteStore> open_logs(const LogTables::Risks& risks = {.boot = "one"}) {
    auto store = open();
    if (store == nullptr) return store;
    const auto opened = store->logs().open(risks, rng_);
    EXPECT_TRUE(opened) << opened.error().text;
    return store;
  }
  static Member member(const SqliteStore& store, sched::PeerId node) {
    return {{const_cast<SqliteStore&>(store).logs().replica() ^ node.value},
        {node, overlay::Address::v4(0x0a000001, 7700)}};
  }
  static Member other() { return {{99}, {kWorker, overlay::Address::v4(0x0a000002, 7700)}}; }
  static LogFacts facts(std::uint64_t log) {
    return {.log = log,
        .origin = kHome,
        .cell = {12},
        .contacts = {{.node = kWorker, .address = overlay::Address::v4(0x0a000003, 7700)}}};
  }
  /// A log that this node is the home of, with `batches`; `standby`: with one.
  static void put(SqliteStore& store, std::uint64_t log, std::uint64_t batches, bool standby) {
    Set set{member(store, kHome)};
    if (standby) set.push_back(other());
    const std::uint64_t version = standby ? 2 : 1;
    store.logs().put_log(facts(log));
    store.logs().put_office(log, {.epoch = 1, .version = version, .set = set, .intents = {}});
    store.logs().put_entry(log, {.epoch = 1, .version = version, .home = set[0], .set = set});
    for (std::uint64_t i = 1; i <= batches; ++i) {
      store.logs().put_batch(log, i, batch("batch " + std::to_string(i)));
    }
  }
  static Batch batch(std::string records) {
    return {.stamp = {.epoch = 1, .life = 3}, .records = std::move(records)};
  }

  overlay::Rng rng_{5};
};

TEST_F(LogTablesTest, KeepsWhatWasPut) {
  std::uint64_t name = 0;
  {
    auto store = open_logs();
    name = store->logs().replica();
    put(*store, kLog, 2, true);
    store->logs().put_batch(kLog, 3, batch(std::string("\0\xff", 2)));
    const Set set{member(*store, kHome), other()};
    store->logs().put_office(kLog,
        {.epoch = 4, .version = 5, .set = set, .intents = {{.epoch = 4, .version = 5, .set = {}}}});
    ASSERT_TRUE(store->commit());
  }
  auto store = open_logs();
  EXPECT_EQ(store->logs().replica(), name) << "a database keeps its name";
  const auto logs = store->logs().take_stored();
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs[0].facts, facts(kLog));
  EXPECT_EQ(logs[0].office.epoch, 4u);
  EXPECT_EQ(logs[0].office.version, 5u);
  EXPECT_EQ(logs[0].office.set, (Set{member(*store, kHome), other()}));
  ASSERT_EQ(logs[0].office.intents.size(), 1u);
  EXPECT_EQ(logs[0].entry.version, 2u);
  EXPECT_EQ(logs[0].entry.home, member(*store, kHome));
  ASSERT_EQ(logs[0].log.end(), 3u);
  EXPECT_EQ(logs[0].log.at(2), batch("batch 2"));
  EXPECT_EQ(logs[0].log.at(3).records, std::string("\0\xff", 2));
}

TEST_F(LogTablesTest, TruncatesAndForgets) {
  {
    auto store = open_logs();
    put(*store, kLog, 5, true);
    put(*store, kOther, 1, true);
    store->logs().truncate(kLog, 2);
    store->logs().put_batch(kLog, 3, batch("another"));
    store->logs().forget_log(kOther);
    ASSERT_TRUE(store->commit());
  }
  auto store = open_logs();
  const auto logs = store->logs().take_stored();
  ASSERT_EQ(logs.size(), 1u);
  ASSERT_EQ(logs[0].log.end(), 3u);
  EXPECT_EQ(logs[0].log.at(3), batch("another"));
}

TEST_F(LogTablesTest, PutsThatWereNotCommittedAreGone) {
  {
    auto store = open_logs();
    put(*store, kLog, 1, false);
    EXPECT_TRUE(store->jobs_dirty());
  }
  EXPECT_THAT(open_logs()->logs().take_stored(), IsEmpty());
}

// A set that counts on what this database once had must not find it under the same name.
TEST_F(LogTablesTest, ADamagedBatchMakesAnotherReplica) {
  std::uint64_t name = 0;
  {
    auto store = open_logs();
    name = store->logs().replica();
    put(*store, kLog, 3, true);
    put(*store, kOther, 3, true);
    ASSERT_TRUE(store->commit());
  }
  run_sql("update log_batches set records = x'00' where position = 2 and log like 'fedc%'");
  auto store = open_logs();
  EXPECT_NE(store->logs().replica(), name);
  EXPECT_THAT(store->logs().take_stored(), IsEmpty());
  EXPECT_THAT(store->damage().lines(),
      ElementsAre(HasSubstr("log fedcba9876543211"), HasSubstr("log 0000000000000007")));
  store.reset();
  EXPECT_TRUE(open_logs()->damage().lines().empty()) << "what is set aside is told once";
}

TEST_F(LogTablesTest, ALostBatchMakesAnotherReplica) {
  std::uint64_t name = 0;
  {
    auto store = open_logs();
    name = store->logs().replica();
    put(*store, kLog, 3, true);
    ASSERT_TRUE(store->commit());
  }
  run_sql("delete from log_batches where position = 2");
  EXPECT_NE(open_logs()->logs().replica(), name);
}

// No other node was promised anything of it, so none is misled: as without replicas, the last
// records may be gone.
TEST_F(LogTablesTest, ALogWithoutStandbysGoesOnAfterAPowerCut) {
  std::uint64_t name = 0;
  const LogTables::Risks lazy{.boot = "one", .power_cut_takes = true};
  {
    auto store = open_logs(lazy);
    name = store->logs().replica();
    put(*store, kLog, 3, false);
    put(*store, kOther, 3, true);
    ASSERT_TRUE(store->commit());
  }
  EXPECT_EQ(open_logs(lazy)->logs().replica(), name) << "the same boot";
  auto store = open_logs({.boot = "two", .power_cut_takes = true});
  EXPECT_NE(store->logs().replica(), name);
  const auto logs = store->logs().take_stored();
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_NE(logs[0].facts.log, kLog) << "books that name the old replica do not know it";
  EXPECT_EQ(logs[0].facts.cell, sched::CellId{});
  EXPECT_EQ(logs[0].office.set, Set{member(*store, kHome)});
  EXPECT_EQ(logs[0].entry.home, member(*store, kHome));
  EXPECT_EQ(logs[0].log.end(), 3u);
  EXPECT_THAT(store->damage().lines(), ElementsAre(HasSubstr("another replica goes on")));
  store.reset();
  EXPECT_EQ(open_logs({.boot = "two", .power_cut_takes = true})->logs().take_stored().size(), 1u);
}

// A standby took such a log over, this node went on with it under another name, and all saw its
// jobs twice.
TEST_F(LogTablesTest, AnOlderDatabaseThatHasALogAloneDoesNotGoOnWithOneThatHadAStandby) {
  {
    auto store = open_logs();
    put(*store, kLog, 2, false);
    put(*store, kOther, 2, false);
    ASSERT_TRUE(store->commit());
  }
  const std::string database = open()->path();
  std::filesystem::copy_file(database, database + ".older");
  {
    auto store = open_logs();
    const Set set{member(*store, kHome), other()};
    store->logs().put_office(kLog,
        {.epoch = 1,
            .version = 1,
            .set = {set[0]},
            .intents = {{.epoch = 1, .version = 2, .set = set}}});
    ASSERT_TRUE(store->commit());
  }
  for (const char* const behind : {"-wal", "-shm"}) std::filesystem::remove(database + behind);
  std::filesystem::rename(database + ".older", database);
  auto store = open_logs({.boot = "one", .outdated = true});
  const auto kept = store->logs().take_stored();
  ASSERT_EQ(kept.size(), 1u) << "the log that was always alone goes on";
  EXPECT_NE(kept[0].facts.log, kLog);
  EXPECT_NE(kept[0].facts.log, kOther);
  EXPECT_EQ(kept[0].log.end(), 2u);
}

TEST_F(LogTablesTest, AFullSyncSurvivesAPowerCut) {
  {
    auto store = open_logs({.boot = "one"});
    put(*store, kLog, 3, true);
    ASSERT_TRUE(store->commit());
  }
  EXPECT_EQ(open_logs({.boot = "two"})->logs().take_stored().size(), 1u);
}

TEST_F(LogTablesTest, ADatabaseThatWasBroughtBackIsAnotherReplica) {
  std::uint64_t name = 0;
  {
    auto store = open_logs();
    name = store->logs().replica();
    put(*store, kLog, 1, true);
    ASSERT_TRUE(store->commit());
  }
  auto store = open_logs({.boot = "one", .outdated = true});
  EXPECT_NE(store->logs().replica(), name);
  EXPECT_THAT(store->logs().take_stored(), IsEmpty());
}

TEST(LogBlobs, MalformedOnesAreRefused) {
  const Entry entry{
      .epoch = 3, .version = 4, .home = {{5}, {kHome, {}}}, .set = {{{5}, {kHome, {}}}}};
  const std::string bytes = encode_entry(entry);
  EXPECT_EQ(decode_entry(bytes).value(), entry);
  EXPECT_EQ(decode_entry(bytes.substr(1)).error().kind, ErrorKind::corrupt);
  EXPECT_FALSE(decode_entry(bytes + "x"));
  EXPECT_FALSE(decode_office(""));
  EXPECT_FALSE(decode_contacts(bytes));
}

}  // namespace
}  // namespace dunlin::node
