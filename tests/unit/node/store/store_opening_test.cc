// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <iterator>

#include "node/store/store.h"
#include "node/store/store_schema.h"
#include "tests/unit/node/store/old_databases.h"
#include "tests/unit/node/store/store_fixture.h"

namespace dunlin::node::store_test {
namespace {

TEST_F(Store, NamesADamagedFile) {
  ASSERT_TRUE(open()->put_incarnation(1));
  test::write_file(scratch_ / "dunlin.sqlite", std::string(8192, 'x'));
  const auto error = open_fails();
  EXPECT_EQ(error.kind, ErrorKind::corrupt);
  EXPECT_THAT(error.text, HasSubstr(scratch_ / "dunlin.sqlite"));
  EXPECT_THAT(error.text, HasSubstr("move it away"));
}

TEST_F(Store, NoticesDamageInTheMiddle) {
  {
    auto store = open();
    store->jobs().put_job(job(1, 5000));
    for (std::uint32_t i = 0; i < 5000; ++i)
      store->jobs().put_report(id(1), report(i), kWorker, true);
    ASSERT_TRUE(store->commit());
  }
  auto bytes = test::file_text(scratch_ / "dunlin.sqlite");
  ASSERT_GT(bytes.size(), 100'000u);
  for (std::size_t i = 8192; i < bytes.size() - 8192; ++i) bytes[i] = static_cast<char>(i * 31);
  test::write_file(scratch_ / "dunlin.sqlite", bytes);
  EXPECT_EQ(open_fails().kind, ErrorKind::corrupt);
}

TEST_F(Store, LeavesAMalformedJobOutAndNamesIt) {
  {
    auto store = open();
    store->jobs().put_job(job(7));
    store->jobs().put_job(job(8));
    ASSERT_TRUE(store->commit());
  }
  run_sql("update jobs set groups = substr(groups, 1, length(groups) - 3) where number = 7");
  auto store = open();
  const auto jobs = store->jobs().restore();
  ASSERT_TRUE(jobs) << jobs.error().text;
  ASSERT_EQ(jobs->size(), 1u);
  EXPECT_EQ(jobs->front().job.id, id(8));
  EXPECT_THAT(store->damage().lines(), ::testing::ElementsAre(HasSubstr("job 7")));
}

TEST_F(Store, RefusesANewerDatabase) {
  open();
  run_sql("pragma user_version = 99");
  const auto error = open_fails();
  EXPECT_EQ(error.kind, ErrorKind::refused);
  EXPECT_THAT(error.text, HasSubstr("newer Dunlin"));
  EXPECT_THAT(error.text, HasSubstr("install that one, or give this agent another data directory"));
}

// A database as each earlier version left it: see old_databases.h.
TEST_F(Store, UpgradesAnOlderDatabase) {
  // Whoever adds a version adds a database of the one before.
  EXPECT_EQ(std::rbegin(test::kOldDatabases)->first, kSchemaVersion - 1);
  for (const auto& [version, sql] : test::kOldDatabases) {
    SCOPED_TRACE("version " + std::to_string(version));
    std::filesystem::remove(scratch_ / "dunlin.sqlite");
    run_sql(std::string(test::kTables1) + sql);
    auto store = open();
    const auto jobs = store->jobs().restore();
    ASSERT_TRUE(jobs) << jobs.error().text;
    ASSERT_EQ(jobs->size(), 1u);
    const sched::JobId old{.home = {0x00c0ffee00c0ffee}, .number = 7};
    EXPECT_EQ(jobs->front().job.id, old) << "jobs from before are of lineage 0";
    EXPECT_EQ(jobs->front().job.name, "old");
    EXPECT_EQ(jobs->front().progress.restarts, 2u);
    EXPECT_EQ(jobs->front().job.task_count(), 3u);
    ASSERT_EQ(jobs->front().tasks.size(), 2u);
    EXPECT_TRUE(jobs->front().tasks[0].finished);
    EXPECT_EQ(jobs->front().tasks[1].failures, 1u);
    EXPECT_EQ(jobs->front().tasks[1].retried, 0u);
    EXPECT_FALSE(jobs->front().progress.held);
    EXPECT_TRUE(store->damage().lines().empty());
    EXPECT_EQ(store->history().results({.job = old})->size(), 1u);
    EXPECT_EQ(store->history().attempts(old, 1)->size(), 1u);
    EXPECT_EQ(store->jobs().job_last().value(), 7u);
    EXPECT_EQ(store->incarnation().value(), 5u);
    store->jobs().put_job(job(8));
    store->jobs().put_report(old, report(2), kWorker, true);
    store->raft().put_state({.group = 1, .replica = 2});
    ASSERT_TRUE(store->commit());
    EXPECT_EQ(store->raft().restore()->size(), 1u);
    store.reset();
    EXPECT_EQ(open()->jobs().restore()->size(), 2u) << "it opens as a new one from now on";
  }
}

// What belongs to a job of the same number and another lineage is not this job's.
TEST_F(Store, RefusesADatabaseOfSomethingElse) {
  run_sql("create table t(x)");
  EXPECT_THAT(open_fails().text, HasSubstr("none of Dunlin's"));
}

TEST_F(Store, RefusesASecondAgent) {
  const auto first = open();
  const auto error = open_fails();
  EXPECT_EQ(error.kind, ErrorKind::refused);
  EXPECT_THAT(error.text, HasSubstr("process " + std::to_string(::getpid())));
  EXPECT_THAT(error.text, HasSubstr(scratch_.path()));
}

TEST_F(Store, NamesADirectoryThatCannotBeMade) {
  const auto store = SqliteStore::open("/proc/no/such");
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().text, HasSubstr("/proc/no/such"));
}

}  // namespace
}  // namespace dunlin::node::store_test
