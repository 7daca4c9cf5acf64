// SPDX-License-Identifier: MIT
#include "node/store/store.h"

#include <chrono>
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "node/store/job_blob.h"
#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr sched::PeerId kHome{0xffeeddccbbaa9988};
constexpr sched::PeerId kWorker{0x8000000000000001};

sched::Job job(std::uint32_t number, std::uint32_t count = 3) {
  sched::Job job{.id = {.home = kHome, .number = number},
      .name = "train \"x\"",
      .groups = {},
      .submitted_at = 1'700'000'000'000'000'000,
      .owner = "anna",
      .service_class = number % 2 == 0 ? "web" : ""};
  sched::TaskGroup group{.name = "main",
      .count = count,
      .demand = {.cpu = 1500, .memory = 64, .custom = {{"gpu", 2}}},
      .constraints = {{"os", sched::Comparison::not_equal, "plan9"}},
      .priority = 70,
      .retries = 2,
      .time_limit = 90s,
      .duration = 30s,
      .spec = std::string("\0\xff spec", 7),
      .entries = {}};
  for (std::uint32_t i = 0; i < count; ++i) group.entries.push_back("line " + std::to_string(i));
  job.groups = {group};
  return job;
}
sched::JobId id(std::uint32_t number) {
  return {.home = kHome, .number = number};
}
sched::Report report(std::uint32_t index, std::uint16_t attempt = 1, std::int32_t status = 0) {
  return {.index = index,
      .attempt = attempt,
      .outcome = sched::Outcome::exited,
      .status = status,
      .wall = 5ms,
      .cpu = 3ms,
      .memory_peak = 1u << 20,
      .out_bytes = 7,
      .err_bytes = 8,
      .started_at = 9,
      .detail = "d"};
}

class Store : public ::testing::Test {
 protected:
  std::unique_ptr<SqliteStore> open() {
    auto store = SqliteStore::open(scratch_.path());
    EXPECT_TRUE(store) << store.error().text;
    return store ? std::move(*store) : nullptr;
  }
  Error open_fails() {
    auto store = SqliteStore::open(scratch_.path());
    EXPECT_FALSE(store);
    return store ? Error{} : store.error();
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

TEST_F(Store, RestoresWhatWasCommitted) {
  {
    auto store = open();
    store->put_job(job(1));
    store->put_job(job(2, 5));
    store->put_progress(id(2), {.restarts = 4, .cancelled = true});
    store->put_report(id(2), report(3), kWorker, true);
    store->put_report(id(2), report(1, 1, 9), kWorker, false);
    store->put_report(id(2), report(1, 2, 9), kWorker, true);
    store->put_loss(id(2), {.index = 0, .attempt = 1}, kWorker);
    store->put_loss(id(2), {.index = 0, .attempt = 2}, kWorker);
    EXPECT_TRUE(store->dirty());
    ASSERT_TRUE(store->commit());
    EXPECT_FALSE(store->dirty());
  }
  const auto jobs = open()->restore();
  ASSERT_TRUE(jobs) << jobs.error().text;
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ((*jobs)[0].job, job(1));
  EXPECT_TRUE((*jobs)[0].tasks.empty());
  const auto& second = (*jobs)[1];
  EXPECT_EQ(second.job, job(2, 5));
  EXPECT_EQ(second.progress, (sched::JobProgress{.restarts = 4, .cancelled = true}));
  ASSERT_EQ(second.tasks.size(), 3u);
  EXPECT_EQ(second.tasks[0].index, 0u);
  EXPECT_EQ(second.tasks[0].losses, 2);
  EXPECT_FALSE(second.tasks[0].finished);
  EXPECT_EQ(second.tasks[1].index, 1u);
  EXPECT_EQ(second.tasks[1].failures, 1);
  EXPECT_TRUE(second.tasks[1].finished);
  EXPECT_EQ(second.tasks[1].status, 9);
  EXPECT_EQ(second.tasks[2].index, 3u);
}

TEST_F(Store, LosesWhatWasNotCommitted) {
  open()->put_job(job(1));
  EXPECT_TRUE(open()->restore()->empty());
}

// kill -9 right after commit(): what it promised is there.
TEST_F(Store, SurvivesAKill) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto store = SqliteStore::open(scratch_.path());
    if (!store) ::_exit(1);
    (*store)->put_job(job(1));
    if (!(*store)->commit()) ::_exit(1);
    (*store)->put_job(job(2));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto jobs = open()->restore();
  ASSERT_EQ(jobs->size(), 1u);
  EXPECT_EQ((*jobs)[0].job, job(1));
}

TEST_F(Store, RecordsEachResultOnce) {
  auto store = open();
  store->put_job(job(1));
  store->put_report(id(1), report(0, 1, 0), kWorker, true);
  ASSERT_TRUE(store->commit());
  store->put_report(id(1), report(0, 2, 5), kWorker, true);
  store->put_report(id(1), report(1, 1, 6), kWorker, true);
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(store->duplicates(), 1u);
  const auto rows = store->results({.job = 1});
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].report, report(0, 1, 0)) << "the first one counts";
  EXPECT_EQ((*rows)[0].worker, kWorker);
}

TEST_F(Store, ListsResultsByPageAndFailure) {
  auto store = open();
  store->put_job(job(1, 10));
  for (std::uint32_t i = 0; i < 10; ++i) {
    store->put_report(id(1), report(9 - i, 1, i % 3 == 0 ? 1 : 0), kWorker, true);
  }
  auto oom = report(0);
  oom.outcome = sched::Outcome::out_of_memory;
  store->put_job(job(2));
  store->put_report(id(2), oom, kWorker, true);
  ASSERT_TRUE(store->commit());
  const auto page = store->results({.job = 1, .first = 4, .limit = 3});
  ASSERT_EQ(page->size(), 3u);
  EXPECT_EQ((*page)[0].report.index, 4u);
  EXPECT_EQ((*page)[2].report.index, 6u);
  EXPECT_EQ(store->results({.job = 1, .failed_only = true})->size(), 4u);
  EXPECT_EQ(store->results({.job = 2, .failed_only = true})->size(), 1u);
  EXPECT_EQ(store->values(1, Measure::wall)->size(), 10u);
  EXPECT_EQ(store->values(1, Measure::memory_peak)->front(), 1 << 20);
}

TEST_F(Store, KeepsTheHistoryOfATask) {
  auto store = open();
  store->put_job(job(1));
  store->put_report(id(1), report(0, 1, 7), kWorker, false);
  store->put_loss(id(1), {.index = 0, .attempt = 2}, kWorker);
  ASSERT_TRUE(store->commit());
  const auto history = store->attempts(1, 0);
  ASSERT_EQ(history->size(), 2u);
  EXPECT_EQ((*history)[0].report, report(0, 1, 7));
  EXPECT_FALSE((*history)[0].lost);
  EXPECT_TRUE((*history)[1].lost);
  EXPECT_EQ((*history)[1].report.attempt, 2);
}

// An attempt that was lost may come back, one that was reported never. Each counts once.
TEST_F(Store, TellsWhatBecameOfEachAttempt) {
  {
    auto store = open();
    store->put_job(job(1));
    auto stopped = report(0, 2, 15);
    stopped.outcome = sched::Outcome::killed;
    store->put_report(id(1), report(0, 1, 7), kWorker, false);
    store->put_report(id(1), stopped, kWorker, false);
    store->put_loss(id(1), {.index = 0, .attempt = 3}, kWorker);
    // The first one was lost, came back and failed; the second one was lost twice.
    store->put_loss(id(1), {.index = 1, .attempt = 1}, kWorker);
    store->put_report(id(1), report(1, 1, 7), kWorker, false);
    store->put_loss(id(1), {.index = 1, .attempt = 2}, kWorker);
    ASSERT_TRUE(store->commit());
    store->put_loss(id(1), {.index = 1, .attempt = 2}, kWorker);
    ASSERT_TRUE(store->commit());
  }
  const auto jobs = open()->restore();
  ASSERT_TRUE(jobs) << jobs.error().text;
  const auto& tasks = jobs->front().tasks;
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].failures, 1);
  EXPECT_EQ(tasks[0].losses, 2);
  EXPECT_EQ(tasks[0].ended, 2);
  EXPECT_EQ(tasks[0].lost, 3);
  EXPECT_EQ(tasks[1].failures, 1);
  EXPECT_EQ(tasks[1].losses, 1);
  EXPECT_EQ(tasks[1].ended, 1);
  EXPECT_EQ(tasks[1].lost, 2);
}

TEST_F(Store, ForgetsAJobALittleAtATime) {
  auto store = open();
  store->put_job(job(1, 5000));
  store->put_job(job(2));
  for (std::uint32_t i = 0; i < 5000; ++i) store->put_report(id(1), report(i), kWorker, true);
  store->put_report(id(2), report(0), kWorker, true);
  ASSERT_TRUE(store->commit());
  store->forget_job(id(1));
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(store->restore()->size(), 1u);
  EXPECT_TRUE(store->dirty()) << "there are results left";
  store.reset();
  store = open();  // A life that ends in between does not leave them for good.
  EXPECT_TRUE(store->dirty());
  for (int i = 0; i < 10 && store->dirty(); ++i) ASSERT_TRUE(store->commit());
  EXPECT_FALSE(store->dirty());
  EXPECT_TRUE(store->results({.job = 1})->empty());
  EXPECT_EQ(store->results({.job = 2})->size(), 1u);
}

TEST_F(Store, CountsLives) {
  EXPECT_EQ(open()->next_incarnation().value(), 1u);
  auto store = open();
  EXPECT_EQ(store->next_incarnation().value(), 2u);
  EXPECT_EQ(store->next_incarnation().value(), 3u);
}

TEST_F(Store, HoldsAMillionLines) {
  auto large = job(1, 1'000'000);
  const auto begin = std::chrono::steady_clock::now();
  {
    auto store = open();
    store->put_job(large);
    ASSERT_TRUE(store->commit());
  }
  const auto jobs = open()->restore();
  ASSERT_TRUE(jobs) << jobs.error().text;
  EXPECT_TRUE((*jobs)[0].job == large);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

TEST_F(Store, NamesADamagedFile) {
  open()->next_incarnation();
  test::write_file(scratch_ / "dunlin.sqlite", std::string(8192, 'x'));
  const auto error = open_fails();
  EXPECT_EQ(error.kind, ErrorKind::corrupt);
  EXPECT_THAT(error.text, HasSubstr(scratch_ / "dunlin.sqlite"));
  EXPECT_THAT(error.text, HasSubstr("move it away"));
}

TEST_F(Store, NoticesDamageInTheMiddle) {
  {
    auto store = open();
    store->put_job(job(1, 5000));
    for (std::uint32_t i = 0; i < 5000; ++i) store->put_report(id(1), report(i), kWorker, true);
    ASSERT_TRUE(store->commit());
  }
  auto bytes = test::file_text(scratch_ / "dunlin.sqlite");
  ASSERT_GT(bytes.size(), 100'000u);
  for (std::size_t i = 8192; i < bytes.size() - 8192; ++i) bytes[i] = static_cast<char>(i * 31);
  test::write_file(scratch_ / "dunlin.sqlite", bytes);
  EXPECT_EQ(open_fails().kind, ErrorKind::corrupt);
}

TEST_F(Store, NoticesAMalformedJob) {
  {
    auto store = open();
    store->put_job(job(7));
    ASSERT_TRUE(store->commit());
  }
  run_sql("update jobs set groups = substr(groups, 1, length(groups) - 3)");
  const auto jobs = open()->restore();
  ASSERT_FALSE(jobs);
  EXPECT_EQ(jobs.error().kind, ErrorKind::corrupt);
  EXPECT_THAT(jobs.error().text, HasSubstr("job 7"));
}

TEST_F(Store, RefusesANewerDatabase) {
  open();
  run_sql("pragma user_version = 3");
  const auto error = open_fails();
  EXPECT_EQ(error.kind, ErrorKind::refused);
  EXPECT_THAT(error.text, HasSubstr("newer Dunlin"));
}

// Version 1 had no books of cells.
TEST_F(Store, UpgradesAnOlderDatabase) {
  {
    auto store = open();
    store->put_job(job(7));
    ASSERT_TRUE(store->commit());
  }
  run_sql(
      "drop table raft_state; drop table raft_log; drop table raft_snapshot; "
      "pragma user_version = 1");
  auto store = open();
  ASSERT_EQ(store->restore()->size(), 1u);
  store->raft().put_state({.group = 1, .replica = 2});
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(store->raft().restore()->size(), 1u);
}

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

TEST_F(Store, CanBeReadBesides) {
  auto store = open();
  store->put_job(job(1));
  store->put_report(id(1), report(2, 1, 4), kWorker, true);
  ASSERT_TRUE(store->commit());
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open((scratch_ / "dunlin.sqlite").c_str(), &handle), SQLITE_OK);
  std::string row;
  sqlite3_exec(
      handle,
      "select job || ' ' || task || ' ' || outcome || ' ' || status || ' ' || worker from results",
      [](void* to, int, char** columns, char**) {
        *static_cast<std::string*>(to) = columns[0];
        return 0;
      },
      &row, nullptr);
  sqlite3_close(handle);
  EXPECT_EQ(row, "1 2 exited 4 8000000000000001");
}

/// A file system of 2 MiB, where that may be mounted.
class FullDisk : public Store {
 protected:
  void SetUp() override {
    if (::mount("tmpfs", scratch_.path().c_str(), "tmpfs", 0, "size=2m") != 0) {
      GTEST_SKIP() << "SKIPPED: a tmpfs cannot be mounted here (needs root)";
    }
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) ::umount2(scratch_.path().c_str(), MNT_DETACH);
  }
  bool mounted_ = false;
};

TEST_F(FullDisk, LosesNothingAndGoesOnWhenThereIsRoom) {
  auto store = open();
  store->put_job(job(1));
  ASSERT_TRUE(store->commit());
  const auto ballast = scratch_ / "ballast";
  {
    std::ofstream file(ballast, std::ios::binary);
    const std::string block(4096, 'b');
    while (file.write(block.data(), 4096).flush()) {
    }
  }
  store->put_job(job(2, 2000));
  store->put_report(id(1), report(0), kWorker, true);
  for (int i = 0; i < 3; ++i) {
    const auto done = store->commit();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, ErrorKind::io);
    EXPECT_THAT(done.error().text, HasSubstr("free"));
    EXPECT_TRUE(store->dirty());
  }
  EXPECT_EQ(store->restore()->size(), 1u) << "not half of it";
  std::filesystem::remove(ballast);
  const auto done = store->commit();
  ASSERT_TRUE(done) << done.error().text;
  store.reset();
  store = open();
  const auto jobs = store->restore();
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ((*jobs)[1].job, job(2, 2000));
  EXPECT_EQ(store->results({.job = 1})->size(), 1u);
  store.reset();
}

TEST(JobBlob, RefusesWhatItDidNotWrite) {
  const auto bytes = encode_groups(job(1, 20).groups, "web");
  ASSERT_TRUE(decode_groups(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_groups(bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_groups(bytes + "x"));
  // Whatever one byte becomes: an error, or groups whose lines can be read.
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    const auto blob = decode_groups(damaged);
    if (!blob) continue;
    for (const auto& group : blob->groups) {
      for (std::size_t line = 0; line < group.entries.size(); ++line) (void)group.entries[line];
    }
  }
}

}  // namespace
}  // namespace dunlin::node
