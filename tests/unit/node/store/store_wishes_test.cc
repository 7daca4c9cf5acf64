// SPDX-License-Identifier: MIT
#include <vector>

#include "tests/unit/node/store/store_fixture.h"

// What users wished of attempts that run; and jobs that are forgotten and come back.
namespace dunlin::node::store_test {
namespace {

TEST_F(Store, RestoresWhatUsersWishedOfAttempts) {
  {
    auto store = open();
    store->jobs().put_job(job(1));
    store->jobs().put_wishes(
        id(1), {}, sched::Wished::cancel, std::vector<sched::Attempt>{{0, 1}, {2, 4}});
    store->jobs().put_wishes(
        id(1), {}, sched::Wished::requeue, std::vector<sched::Attempt>{{2, 3}});
    ASSERT_TRUE(store->commit());
    store->jobs().put_wishes(
        id(1), {}, sched::Wished::requeue, std::vector<sched::Attempt>{{2, 5}});
    store->jobs().put_wishes(id(1), {}, sched::Wished::only, std::vector<sched::Attempt>{{0, 7}});
    ASSERT_TRUE(store->commit());
  }
  auto store = open();
  const auto jobs = store->jobs().restore();
  ASSERT_EQ(jobs->size(), 1u);
  const auto& tasks = jobs->front().tasks;
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].index, 0u);
  EXPECT_EQ(tasks[0].to_cancel, 1u);
  EXPECT_EQ(tasks[0].to_requeue, 0u);
  EXPECT_EQ(tasks[0].only, 7u);
  EXPECT_EQ(tasks[1].only, 0u);
  EXPECT_EQ(tasks[1].to_cancel, 4u);
  EXPECT_EQ(tasks[1].to_requeue, 5u) << "the last one counts";
  store->jobs().forget_job(id(1));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(store->commit());
  store.reset();
  run_sql(
      "create table left_over as select count(*) as n from wishes; "
      "create table one(n check (n = 0)); insert into one select n from left_over");
}

TEST_F(Store, AWishWithADamagedRowIsForgottenAndNamed) {
  auto store = open();
  store->jobs().put_job(job(1));
  store->jobs().put_wishes(id(1), {}, sched::Wished::cancel, std::vector<sched::Attempt>{{0, 1}});
  ASSERT_TRUE(store->commit());
  store.reset();
  run_sql("update wishes set task = 1");
  store = open();
  EXPECT_TRUE(store->jobs().restore()->front().tasks.empty());
  EXPECT_EQ(store->damage().count(), 1u);
}

// A log that was handed over comes back before the rows of its jobs are all deleted.
TEST_F(Store, AJobThatComesBackKeepsWhatItIsPutWith) {
  auto store = open();
  store->jobs().put_job(job(1, 9000));
  for (std::uint32_t i = 0; i < 9000; ++i)
    store->jobs().put_report(id(1), report(i), kWorker, true);
  ASSERT_TRUE(store->commit());
  store->jobs().forget_job(id(1));
  ASSERT_TRUE(store->commit());
  const auto put_again = [&] {
    store->jobs().put_job(job(1, 9000));
    for (std::uint32_t i = 0; i < 7; ++i)
      store->jobs().put_report(id(1), report(i, 1, 3), kWorker, true);
    store->jobs().put_loss(id(1), {.index = 8, .attempt = 1}, kWorker);
  };
  put_again();
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(store->commit());
  EXPECT_EQ(store->history().results({.job = id(1), .limit = 9000})->size(), 7u);
  EXPECT_EQ(store->history().attempts(id(1), 8)->size(), 1u);
  // The same within one commit.
  store->jobs().forget_job(id(1));
  put_again();
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(store->commit());
  EXPECT_EQ(store->history().results({.job = id(1), .limit = 9000})->size(), 7u);
  EXPECT_EQ(store->history().results({.job = id(1)})->front().report.status, 3);
  EXPECT_EQ(store->jobs().duplicates(), 0u);
}

}  // namespace
}  // namespace dunlin::node::store_test
