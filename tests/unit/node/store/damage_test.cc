// SPDX-License-Identifier: MIT
#include <filesystem>
#include <gmock/gmock.h>
#include <random>

#include "tests/unit/node/store/damaged_store.h"

// What a disk does to a database: bits flip. Each is noticed, or says what was said before; a row
// that is damaged is left out and named, and the agent starts all the same.
namespace dunlin::node {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// In the rows of every table. Source of the pages: sqlite.org/fileformat2.html.
TEST_F(Damage, EveryFlippedBitOfARowIsNoticedAndNoneRefusesTheAgent) {
  std::mt19937 random(7);
  for (const char* const table :
      {"meta", "jobs", "results", "attempts", "raft_state", "raft_log"}) {
    SCOPED_TRACE(table);
    restore_file(good_);
    const auto [begin, end] = rows_of(table);
    ASSERT_LT(begin, end);
    int silent = 0;
    constexpr int kFlips = 150;
    for (int i = 0; i < kFlips; ++i) {
      std::string bytes = good_;
      const std::size_t byte = begin + random() % (end - begin);
      bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << random() % 8));
      restore_file(bytes);
      const auto content = read();
      ASSERT_TRUE(content) << "byte " << byte - begin << ": " << content.error().text;
      if (!content->damage.empty()) continue;
      ++silent;
      EXPECT_TRUE(content->says_what(intact_)) << "byte " << byte - begin << " is not noticed";
    }
    EXPECT_LT(silent, kFlips / 4);
  }
}

TEST_F(Damage, EveryFlippedBitAnywhereIsNoticed) {
  std::mt19937 random(8);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = good_;
    const std::size_t byte = random() % bytes.size();
    bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << random() % 8));
    restore_file(bytes);
    const auto content = read();  // It may be refused: a page that is lost is no row.
    if (!content || !content->damage.empty()) continue;
    EXPECT_TRUE(content->says_what(intact_)) << "byte " << byte << " is not noticed";
  }
}

TEST_F(Damage, AJobWithoutItsRowIsLeftOutAndKeepsItsNumber) {
  run_sql("update jobs set owner = 'eve' where number = 3");
  auto store = std::move(*SqliteStore::open(scratch_.path()));
  const auto jobs = store->jobs().restore();
  ASSERT_TRUE(jobs);
  EXPECT_EQ(jobs->size(), 2u);
  EXPECT_THAT(store->damage().lines(), ElementsAre("job 3, which is left out"));
  EXPECT_EQ(store->damage().count(), 1u);
  EXPECT_EQ(store->jobs().job_last().value(), 3u) << "or the next job would get its results";
  store->jobs().put_job(job(4));
  ASSERT_TRUE(store->commit());
  EXPECT_FALSE(store->dirty()) << "its results wait for somebody to look at them";
}

TEST_F(Damage, ATaskWithoutItsResultRunsAgainAndHasOneThen) {
  run_sql("update results set status = 0 where job = 2 and task = 3");
  auto store = std::move(*SqliteStore::open(scratch_.path()));
  const auto jobs = store->jobs().restore();
  ASSERT_EQ(jobs->size(), 3u);
  const auto& tasks = (*jobs)[1].tasks;
  const auto task = std::ranges::find(tasks, 3u, &sched::StoredTask::index);
  EXPECT_TRUE(task == tasks.end() || !task->finished);
  EXPECT_THAT(store->damage().lines(), ElementsAre(HasSubstr("the result of task 3 of job 2")));
  EXPECT_EQ(store->history().results({.job = id(2)})->size(), 3u);

  store->jobs().put_report(id(2), report(3, 9), kWorker, true);
  store->jobs().put_report(id(2), report(3, 10), kWorker, true);
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(store->jobs().duplicates(), 1u) << "the second of the two, and not the first";
  const auto rows = store->history().results({.job = id(2), .first = 3});
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(rows->front().report, report(3, 9));
}

TEST_F(Damage, AnAttemptWithoutItsRowCountsAsLost) {
  run_sql("update attempts set status = 77 where job = 1 and task = 2");
  auto store = std::move(*SqliteStore::open(scratch_.path()));
  const auto jobs = store->jobs().restore();
  const auto& tasks = jobs->front().tasks;
  const auto task = std::ranges::find(tasks, 2u, &sched::StoredTask::index);
  ASSERT_NE(task, tasks.end());
  EXPECT_EQ(task->failures, 0u);
  EXPECT_EQ(task->losses, 1u) << "its number was given";
  EXPECT_THAT(store->damage().lines(), Contains(HasSubstr("an attempt of task 2 of job 1")));
}

TEST_F(Damage, WhatChangesAboutAJobDoesNotMakeItsDamageGood) {
  run_sql("update jobs set owner = 'eve' where number = 1");
  {
    auto store = std::move(*SqliteStore::open(scratch_.path()));
    store->jobs().put_progress(id(1), {.restarts = 9, .cancelled = true});
    ASSERT_TRUE(store->commit());
  }
  EXPECT_THAT(read()->damage, ElementsAre(HasSubstr("job 1")));
}

TEST_F(Damage, AnIncarnationThatIsDamagedIsNone) {
  run_sql("update meta set value = 4000000000");
  const auto content = read();
  ASSERT_TRUE(content);
  EXPECT_EQ(content->incarnation, 0u);
  EXPECT_THAT(content->damage, ElementsAre(HasSubstr("incarnation")));
}

TEST_F(Damage, BooksThatAreDamagedAreSetAsideAndDoNotComeBack) {
  run_sql("update raft_log set data = 'more tickets' where entry = 3");
  const auto content = read();
  ASSERT_TRUE(content) << content.error().text;
  EXPECT_THAT(content->books, IsEmpty());
  EXPECT_THAT(content->damage, ElementsAre(HasSubstr("fedcba9876543210")));
  EXPECT_EQ(content->jobs.size(), 3u);
  const auto again = read();
  EXPECT_THAT(again->damage, IsEmpty()) << "said once";
  auto store = std::move(*SqliteStore::open(scratch_.path()));
  store->raft().put_state({.group = kGroup, .replica = 99});
  EXPECT_TRUE(store->commit()) << "a new replica begins with nothing";
}

// The last entry of a log cannot be missed by those before it.
TEST_F(Damage, ARowThatLostItsGroupIsMissed) {
  run_sql("update raft_log set raft_group = 'fedcba9876543211' where entry = 6");
  const auto content = read();
  ASSERT_TRUE(content) << content.error().text;
  EXPECT_THAT(content->books, IsEmpty());
  EXPECT_FALSE(content->damage.empty());
  EXPECT_THAT(read()->damage, IsEmpty());
}

// A backup that was brought back: its replica has promised more since.
TEST_F(Damage, BooksOfAnOlderDatabaseAreSetAside) {
  auto store = std::move(*SqliteStore::open(scratch_.path()));
  const auto aside = store->raft().set_damaged_aside(true);
  ASSERT_TRUE(aside);
  EXPECT_THAT(*aside, ElementsAre(HasSubstr("older")));
  EXPECT_THAT(*store->raft().restore(), IsEmpty());
}

TEST_F(Damage, ADatabaseWithManyLostRowsIsLeftToAHuman) {
  std::string bytes = good_;
  const auto [begin, end] = rows_of("results");
  for (std::size_t i = (begin / kPage) * kPage; i < end; ++i) bytes[i] = static_cast<char>(i * 31);
  restore_file(bytes);
  const auto content = read();
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().kind, ErrorKind::corrupt);
  EXPECT_THAT(content.error().text, HasSubstr("move it away"));
  EXPECT_EQ(test::file_text(path_), bytes) << "it is as it was";
}

}  // namespace
}  // namespace dunlin::node
