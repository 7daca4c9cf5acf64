// SPDX-License-Identifier: MIT
#include "node/store/plan_tables.h"

#include <string>
#include <vector>

#include "tests/unit/node/store/store_fixture.h"

namespace dunlin::node::store_test {
namespace {

constexpr sched::CellId kCell{7};

/// What other programs read.
class PlanRows : public Store {
 protected:
  std::vector<std::string> rows(const std::string& query) {
    std::vector<std::string> found;
    auto database = Database::open(scratch_ / "dunlin.sqlite");
    EXPECT_TRUE(database);
    auto statement = database->prepare(query.c_str());
    for (auto row = statement.step(); row && *row; row = statement.step()) {
      found.emplace_back(statement.text(0));
    }
    return found;
  }
  static PlanRow plan(std::uint64_t number) {
    return {.cell = kCell,
        .epoch = 3,
        .number = number,
        .made_at = 5,
        .cause = "jobs",
        .policy = "edf",
        .slots = 8,
        .moved = 2,
        .jobs = 2,
        .given = {{.job = id(1), .node = kWorker, .slots = 4, .need = 3, .slack_ns = -9},
            {.job = id(2), .need = 1}}};
  }
};

TEST_F(PlanRows, TellWhatNodesDoAndWhatWasPlanned) {
  auto store = open();
  store->plans().put_worker(kCell, kWorker, {.all = 4, .occupied = 1, .busy = 2}, 11);
  store->plans().put_plan(plan(1));
  EXPECT_TRUE(store->dirty());
  EXPECT_FALSE(store->jobs_dirty()) << "no message waits for it";
  ASSERT_TRUE(store->commit());
  EXPECT_FALSE(store->dirty());
  EXPECT_THAT(rows("select cell || ' ' || node || ' ' || available || occupied || busy || down || "
                   "' ' || changed_at from workers"),
      ::testing::ElementsAre("0000000000000007 8000000000000001 1120 11"));
  EXPECT_THAT(rows("select epoch || ' ' || number || ' ' || cause || ' ' || policy || ' ' || slots "
                   "|| ' ' || moved || ' ' || jobs from plans"),
      ::testing::ElementsAre("3 1 jobs edf 8 2 2"));
  EXPECT_THAT(rows("select job || ' ' || node || ' ' || slots || ' ' || need || ' ' || "
                   "coalesce(slack_ns, 'none') from plan_slots order by job"),
      ::testing::ElementsAre("1 8000000000000001 4 3 -9", "2  0 1 none"));
}

TEST_F(PlanRows, ANodeHasItsLastStateUntilItsCellIsManagedElsewhere) {
  auto store = open();
  store->plans().put_worker(kCell, kWorker, {.all = 4, .busy = 2}, 11);
  ASSERT_TRUE(store->commit());
  store->plans().put_worker(kCell, kWorker, {.all = 4, .busy = 3}, 12);
  store->plans().put_worker(kCell, kHome, {.all = 2, .down = 2}, 12);
  ASSERT_TRUE(store->commit());
  EXPECT_THAT(rows("select busy from workers order by node"), ::testing::ElementsAre("3", "0"));
  store->plans().put_worker(kCell, kHome, {.all = 2}, 13);
  store->plans().forget_workers(kCell);
  store->plans().put_worker(sched::CellId{8}, kHome, {.all = 2}, 13);
  ASSERT_TRUE(store->commit());
  EXPECT_THAT(rows("select cell from workers"), ::testing::ElementsAre("0000000000000008"));
}

TEST_F(PlanRows, TheLastHundredPlansAreKept) {
  auto store = open();
  for (std::uint64_t number = 1; number <= 60; ++number) store->plans().put_plan(plan(number));
  ASSERT_TRUE(store->commit());
  for (std::uint64_t number = 61; number <= 130; ++number) store->plans().put_plan(plan(number));
  ASSERT_TRUE(store->commit());
  EXPECT_THAT(rows("select count(*) || ' ' || min(number) || ' ' || max(number) from plans"),
      ::testing::ElementsAre("100 31 130"));
  EXPECT_THAT(rows("select count(*) from plan_slots"), ::testing::ElementsAre("200"));
}

TEST_F(PlanRows, WhatACommitCouldNotWriteWaitsForTheNext) {
  auto store = open();
  store->plans().put_worker(kCell, kWorker, {.all = 4, .busy = 1}, 11);
  store->plans().put_plan(plan(1));
  store->begin_commit();
  store->plans().put_worker(kCell, kWorker, {.all = 4, .busy = 2}, 12);
  store->plans().put_plan(plan(2));
  store->end_commit(false);
  ASSERT_TRUE(store->commit());
  EXPECT_THAT(rows("select busy from workers"), ::testing::ElementsAre("2"));
  EXPECT_THAT(rows("select number from plans order by id"), ::testing::ElementsAre("1", "2"));
}

TEST_F(PlanRows, AfterARestartPlansAreThereAndNoCellIsManagedYet) {
  auto store = open();
  store->plans().put_worker(kCell, kWorker, {.all = 4}, 11);
  store->plans().put_plan(plan(1));
  ASSERT_TRUE(store->commit());
  store.reset();
  store = open();
  EXPECT_THAT(rows("select node from workers"), ::testing::IsEmpty());
  EXPECT_THAT(rows("select number from plans"), ::testing::ElementsAre("1"));
}

}  // namespace
}  // namespace dunlin::node::store_test
