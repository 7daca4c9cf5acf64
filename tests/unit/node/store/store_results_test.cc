// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "node/store/jobs/use_blob.h"
#include "node/store/store.h"
#include "tests/unit/node/store/store_fixture.h"

namespace dunlin::node::store_test {
namespace {

TEST_F(Store, RecordsEachResultOnce) {
  auto store = open();
  store->jobs().put_job(job(1));
  store->jobs().put_report(id(1), report(0, 1, 0), kWorker, true);
  ASSERT_TRUE(store->commit());
  store->jobs().put_report(id(1), report(0, 2, 5), kWorker, true);
  store->jobs().put_report(id(1), report(1, 1, 6), kWorker, true);
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(store->jobs().duplicates(), 1u);
  const auto rows = store->history().results({.job = id(1)});
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].report, report(0, 1, 0)) << "the first one counts";
  EXPECT_EQ((*rows)[0].worker, kWorker);
}

TEST_F(Store, ListsResultsByPageAndFailure) {
  auto store = open();
  store->jobs().put_job(job(1, 10));
  for (std::uint32_t i = 0; i < 10; ++i) {
    store->jobs().put_report(id(1), report(9 - i, 1, i % 3 == 0 ? 1 : 0), kWorker, true);
  }
  auto oom = report(0);
  oom.outcome = sched::Outcome::out_of_memory;
  auto stopped_task = report(1);
  stopped_task.outcome = sched::Outcome::killed;
  store->jobs().put_job(job(2, 2));
  store->jobs().put_report(id(2), oom, kWorker, true);
  store->jobs().put_report(id(2), stopped_task, kWorker, true);
  ASSERT_TRUE(store->commit());
  const auto page = store->history().results({.job = id(1), .first = 4, .limit = 3});
  ASSERT_EQ(page->size(), 3u);
  EXPECT_EQ((*page)[0].report.index, 4u);
  EXPECT_EQ((*page)[2].report.index, 6u);
  EXPECT_EQ(store->history().results({.job = id(1), .listed = Listed::failed})->size(), 4u);
  EXPECT_EQ(store->history().results({.job = id(1), .listed = Listed::cancelled})->size(), 0u);
  const auto failed = store->history().results({.job = id(2), .listed = Listed::failed});
  ASSERT_EQ(failed->size(), 1u);
  EXPECT_EQ(failed->front().report.index, 0u);
  const auto stopped = store->history().results({.job = id(2), .listed = Listed::cancelled});
  ASSERT_EQ(stopped->size(), 1u);
  EXPECT_EQ(stopped->front().report.index, 1u) << "what the user stopped has not failed";
  EXPECT_EQ(store->history().results({.job = id(2)})->size(), 2u);
}

TEST_F(Store, KeepsWhatTasksUsed) {
  const sched::TaskUse use{.cpu_peak = 1500,
      .disk_read = 1ull << 40,
      .disk_written = 7,
      .net_received = 8,
      .net_sent = 9,
      .disk_read_peak = 10,
      .disk_write_peak = 11,
      .net_in_peak = 12,
      .net_out_peak = 4'294'967'295,
      .has_disk = true,
      .has_net = true};
  auto store = open();
  store->jobs().put_job(job(1));
  auto used = report(0, 1, 7);
  used.use = use;
  store->jobs().put_report(id(1), used, kWorker, false);
  used.attempt = 2;
  store->jobs().put_report(id(1), used, kWorker, true);
  store->jobs().put_report(id(1), report(1), kWorker, true);
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(store->history().attempts(id(1), 0)->front().report.use, use);
  store.reset();
  store = open();
  const auto rows = store->history().results({.job = id(1)});
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].report.use, use);
  EXPECT_EQ((*rows)[1].report.use, sched::TaskUse{});
  EXPECT_TRUE(store->damage().lines().empty());
}

TEST(UseBlob, WhatCannotBeReadIsNotKnown) {
  EXPECT_EQ(encode_use({}), "") << "most tasks of old have none";
  const sched::TaskUse use{.cpu_peak = 5};
  const std::string bytes = encode_use(use);
  EXPECT_EQ(decode_use(bytes), use);
  EXPECT_EQ(decode_use(bytes.substr(1)), sched::TaskUse{});
  EXPECT_EQ(decode_use(bytes + '\0'), sched::TaskUse{});
  EXPECT_EQ(decode_use('\2' + bytes.substr(1)), sched::TaskUse{}) << "of a newer build";
}

TEST_F(Store, KeepsTheHistoryOfATask) {
  auto store = open();
  store->jobs().put_job(job(1));
  store->jobs().put_report(id(1), report(0, 1, 7), kWorker, false);
  store->jobs().put_loss(id(1), {.index = 0, .attempt = 2}, kWorker);
  ASSERT_TRUE(store->commit());
  const auto history = store->history().attempts(id(1), 0);
  ASSERT_EQ(history->size(), 2u);
  EXPECT_EQ((*history)[0].report, report(0, 1, 7));
  EXPECT_FALSE((*history)[0].lost);
  EXPECT_TRUE((*history)[1].lost);
  EXPECT_EQ((*history)[1].report.attempt, 2);
}

// A timeline reads the attempts of all tasks, a few at a time.
TEST_F(Store, PagesOfAttemptsHaveEachOnce) {
  auto store = open();
  store->jobs().put_job(job(1));
  for (const std::uint32_t task : {0u, 2u, 3u}) {
    for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
      store->jobs().put_report(id(1), report(task, attempt, 7), kWorker, false);
    }
  }
  ASSERT_TRUE(store->commit());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> seen;
  AttemptQuery query{.job = id(1), .limit = 2};
  for (;;) {
    const auto page = store->history().attempts(query);
    ASSERT_TRUE(page);
    if (page->empty()) break;
    EXPECT_LE(page->size(), 2u);
    for (const AttemptRow& row : *page) seen.emplace_back(row.report.index, row.report.attempt);
    std::tie(query.task, query.attempt) = seen.back();
  }
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> all = {
      {0, 1}, {0, 2}, {0, 3}, {2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2}, {3, 3}};
  EXPECT_EQ(seen, all);
}

// A node's fault is no failure of the task, also for a frontend that restarts.
TEST_F(Store, TellsWhoseFaultAnAttemptWas) {
  auto attempt = [](std::uint32_t number, sched::Outcome outcome, sched::Cause cause) {
    sched::Report ended = report(0, number, 0);
    ended.outcome = outcome;
    ended.cause = cause;
    return ended;
  };
  constexpr auto kFailed = sched::Outcome::spawn_failed;
  {
    auto store = open();
    store->jobs().put_job(job(1));
    store->jobs().put_report(id(1), attempt(1, kFailed, sched::Cause::start), {21}, false);
    store->jobs().put_report(id(1), attempt(2, kFailed, sched::Cause::lost), {22}, false);
    store->jobs().put_report(id(1), attempt(3, kFailed, sched::Cause::task), {23}, false);
    store->jobs().put_report(id(1), report(0, 4, 1), {24}, false);
    ASSERT_TRUE(store->commit());
    const auto history = store->history().attempts(id(1), 0);
    ASSERT_EQ(history->size(), 4u);
    EXPECT_EQ((*history)[0].report, attempt(1, kFailed, sched::Cause::start));
    EXPECT_EQ((*history)[1].report, attempt(2, kFailed, sched::Cause::lost));
    EXPECT_EQ((*history)[2].report, attempt(3, kFailed, sched::Cause::task));
  }
  const auto jobs = open()->jobs().restore();
  ASSERT_TRUE(jobs);
  const sched::StoredTask& task = jobs->at(0).tasks.at(0);
  EXPECT_EQ(task.losses, 2u);
  EXPECT_EQ(task.failures, 2u);
  EXPECT_EQ(task.ended, 4u);
  EXPECT_EQ(task.avoided, (std::vector<sched::PeerId>{{21}, {22}, {23}}));
}

TEST_F(Store, CountsPreemptions) {
  {
    auto store = open();
    store->jobs().put_job(job(1));
    auto yielded = report(0, 1, 15);
    yielded.outcome = sched::Outcome::preempted;
    yielded.detail = "for job 7";
    store->jobs().put_report(id(1), yielded, kWorker, false);
    store->jobs().put_report(id(1), report(0, 2, 1), kWorker, false);
    ASSERT_TRUE(store->commit());
    EXPECT_EQ(store->history().attempts(id(1), 0)->at(0).report, yielded);
  }
  const auto jobs = open()->jobs().restore();
  ASSERT_TRUE(jobs);
  const sched::StoredTask& task = jobs->at(0).tasks.at(0);
  EXPECT_EQ(task.preemptions, 1u);
  EXPECT_EQ(task.losses, 1u) << "so that no number is given twice";
  EXPECT_EQ(task.failures, 1u);
}

// An attempt that was lost may come back, one that was reported never. Each counts once.
TEST_F(Store, TellsWhatBecameOfEachAttempt) {
  {
    auto store = open();
    store->jobs().put_job(job(1));
    auto stopped = report(0, 2, 15);
    stopped.outcome = sched::Outcome::killed;
    store->jobs().put_report(id(1), report(0, 1, 7), kWorker, false);
    store->jobs().put_report(id(1), stopped, kWorker, false);
    store->jobs().put_loss(id(1), {.index = 0, .attempt = 3}, kWorker);
    // The first one was lost, came back and failed; the second one was lost twice.
    store->jobs().put_loss(id(1), {.index = 1, .attempt = 1}, kWorker);
    store->jobs().put_report(id(1), report(1, 1, 7), kWorker, false);
    store->jobs().put_loss(id(1), {.index = 1, .attempt = 2}, kWorker);
    ASSERT_TRUE(store->commit());
    store->jobs().put_loss(id(1), {.index = 1, .attempt = 2}, kWorker);
    ASSERT_TRUE(store->commit());
  }
  const auto jobs = open()->jobs().restore();
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

TEST_F(Store, TellsLineagesApart) {
  auto store = open();
  sched::JobId other = id(1);
  other.lineage = 5;
  store->jobs().put_job(job(1));
  store->jobs().put_report(other, report(0), kWorker, true);
  store->jobs().put_loss(other, {.index = 1, .attempt = 1}, kWorker);
  ASSERT_TRUE(store->commit());
  const auto jobs = store->jobs().restore();
  ASSERT_EQ(jobs->size(), 1u);
  EXPECT_EQ(jobs->front().job.id, id(1));
  EXPECT_TRUE(jobs->front().tasks.empty());
  EXPECT_TRUE(store->history().results({.job = id(1)})->empty());
  EXPECT_TRUE(store->history().attempts(id(1), 1)->empty());
  EXPECT_EQ(store->history().results({.job = other})->size(), 1u);
}

TEST_F(Store, CanBeReadBesides) {
  auto store = open();
  store->jobs().put_job(job(1));
  store->jobs().put_report(id(1), report(2, 1, 4), kWorker, true);
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

}  // namespace
}  // namespace dunlin::node::store_test
