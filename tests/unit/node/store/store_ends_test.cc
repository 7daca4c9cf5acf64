// SPDX-License-Identifier: MIT
#include <cstdlib>

#include "tests/unit/node/store/store_fixture.h"

// How jobs ended, and jobs whose tasks' records are to go before them.
namespace dunlin::node::store_test {
namespace {

const sched::EndFacts kBadEnd{.after = 90s,
    .begun = 3s,
    .worst = sched::Outcome::time_limit,
    .exit = 124,
    .failed = 2,
    .cancelled = 1};

class StoreEnds : public Store {
 protected:
  /// Counts the rows of a table that are left of job 1.
  static std::size_t results(SqliteStore& store) {
    return store.history().results({.job = id(1), .limit = 100'000})->size();
  }
  static sched::JobProgress ended(bool pruned = false) {
    sched::JobProgress progress{.ended = kBadEnd};
    progress.ended->pruned = pruned;
    return progress;
  }
};

TEST_F(StoreEnds, AJobComesBackWithItsEnd) {
  {
    auto store = open();
    for (const std::uint32_t number : {1u, 2u, 3u}) store->jobs().put_job(job(number));
    store->jobs().put_progress(id(1), ended());
    store->jobs().put_progress(id(2), ended());
    store->jobs().put_progress(id(2), {.restarts = 4});  // It goes on.
    sched::JobProgress cancelled{.cancelled = true,
        .cancelled_by = sched::CancelledBy::after,
        .ended = sched::EndFacts{.exit = 1, .cancelled = 3}};
    store->jobs().put_progress(id(3), cancelled);
    ASSERT_TRUE(store->commit());
  }
  auto store = open();
  const auto jobs = store->jobs().restore();
  ASSERT_EQ(jobs->size(), 3u);
  EXPECT_EQ((*jobs)[0].progress, ended());
  EXPECT_EQ((*jobs)[1].progress, (sched::JobProgress{.restarts = 4}));
  EXPECT_TRUE((*jobs)[2].progress.cancelled);
  EXPECT_EQ((*jobs)[2].progress.cancelled_by, sched::CancelledBy::after);
  EXPECT_EQ((*jobs)[2].progress.ended, (sched::EndFacts{.exit = 1, .cancelled = 3}));
  EXPECT_EQ(store->damage().count(), 0u);
}

TEST_F(StoreEnds, TheRecordsOfTasksGoAPartAtATimeAndTheJobStays) {
  auto store = open();
  store->jobs().put_job(job(1, 9000));
  for (std::uint32_t i = 0; i < 9000; ++i)
    store->jobs().put_report(id(1), report(i), kWorker, true);
  store->jobs().put_loss(id(1), {.index = 8, .attempt = 1}, kWorker);
  store->jobs().put_progress(id(1), ended());
  ASSERT_TRUE(store->commit());
  store->jobs().put_progress(id(1), ended(true));
  ASSERT_TRUE(store->commit());
  std::size_t left = results(*store);
  EXPECT_EQ(left, 9000u);
  store.reset();
  store = open();  // A life that ends in between does not leave them for good.
  const auto jobs = store->jobs().restore();
  ASSERT_EQ(jobs->size(), 1u);
  EXPECT_EQ(jobs->front().job, job(1, 9000));
  EXPECT_EQ(jobs->front().progress, ended(true));
  EXPECT_TRUE(jobs->front().tasks.empty());
  EXPECT_EQ(store->damage().count(), 0u);
  for (int i = 0; i < 20 && store->dirty(); ++i) {
    ASSERT_TRUE(store->commit());
    const std::size_t now = results(*store);
    EXPECT_LE(left - now, 2000u);
    left = now;
  }
  EXPECT_FALSE(store->dirty());
  EXPECT_EQ(left, 0u);
  EXPECT_TRUE(store->history().attempts(id(1), 8)->empty());
  EXPECT_TRUE(store->history().job(id(1))) << "the job itself";
}

// It finds no records of the tasks, and must run none of them again.
TEST_F(StoreEnds, AnOlderDunlinTakesThemForCancelled) {
  auto store = open();
  store->jobs().put_job(job(1));
  store->jobs().put_progress(id(1), ended(true));
  ASSERT_TRUE(store->commit());
  store.reset();
  run_sql(
      "create table one(n check (n <> 0)); "
      "insert into one select cancelled from jobs where number = 1");
}

TEST_F(StoreEnds, ADamagedEndIsNamedAndTakenFromTheTasks) {
  auto store = open();
  for (const std::uint32_t number : {1u, 2u}) store->jobs().put_job(job(number));
  store->jobs().put_progress(id(1), ended());
  store->jobs().put_progress(id(2), ended(true));
  ASSERT_TRUE(store->commit());
  store.reset();
  run_sql("update ends set failed = 0");
  store = open();
  const auto jobs = store->jobs().restore();
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ((*jobs)[0].progress.ended, std::nullopt);
  ASSERT_TRUE((*jobs)[1].progress.ended) << "it has no tasks that could say it";
  EXPECT_TRUE((*jobs)[1].progress.ended->pruned);
  EXPECT_EQ((*jobs)[1].progress.ended->cancelled, 3u);
  EXPECT_EQ(store->damage().count(), 2u);
  EXPECT_THAT(store->damage().lines().front(), HasSubstr("how job 1 ended"));
}

TEST_F(StoreEnds, OfAForgottenJobNothingIsLeft) {
  auto store = open();
  for (std::uint32_t number = 1; number <= 300; ++number) {
    store->jobs().put_job(job(number, 1));
    store->jobs().put_report(id(number), report(0), kWorker, true);
    store->jobs().put_progress(id(number), ended());
  }
  ASSERT_TRUE(store->commit());
  for (std::uint32_t number = 1; number <= 300; ++number) store->jobs().forget_job(id(number));
  // Of many small jobs the rows go with few commits, or they would come faster than they go.
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(store->commit());
  EXPECT_FALSE(store->dirty());
  store.reset();
  run_sql(
      "create table left_over as select (select count(*) from ends) + "
      "(select count(*) from results) + (select count(*) from jobs) as n; "
      "create table one(n check (n = 0)); insert into one select n from left_over");
}

// A database of before has no table of ends.
TEST_F(StoreEnds, AStoreWithoutEndsIsOpened) {
  auto store = open();
  store->jobs().put_job(job(1));
  store->jobs().put_report(id(1), report(0), kWorker, true);
  ASSERT_TRUE(store->commit());
  store.reset();
  run_sql("drop table ends");
  store = open();
  const auto jobs = store->jobs().restore();
  ASSERT_EQ(jobs->size(), 1u);
  EXPECT_EQ(jobs->front().progress, sched::JobProgress{});
  ASSERT_EQ(jobs->front().tasks.size(), 1u);
  EXPECT_EQ(jobs->front().tasks.front().started_at, 9);
  store->jobs().put_progress(id(1), ended());
  ASSERT_TRUE(store->commit());
  store.reset();
  EXPECT_EQ(open()->jobs().restore()->front().progress, ended());
}

}  // namespace
}  // namespace dunlin::node::store_test
