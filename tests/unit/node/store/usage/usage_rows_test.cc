// SPDX-License-Identifier: MIT
#include "node/store/usage/usage_rows.h"

#include "node/wall_clock.h"
#include "tests/unit/node/store/store_fixture.h"

namespace dunlin::node::store_test {
namespace {

std::int64_t this_hour() {
  return sched::hour_of(wall_clock_ns());
}

/// A job that was submitted just now.
sched::Job fresh(std::uint32_t number) {
  sched::Job fresh = job(number);
  fresh.submitted_at = wall_clock_ns();
  return fresh;
}

sched::UsageNote row(std::int64_t hours_ago, const std::string& user, std::int64_t tasks = 1) {
  return {.row = {.key = {.hour = this_hour() - hours_ago,
                      .home = kHome,
                      .user = user,
                      .service_class = "web"},
              .sums = {.tasks = tasks, .cpu_used = 10, .cpu_held = 20, .memory_held = 30}},
      .job = id(1)};
}

/// All rows of a store, read a few at a time.
std::vector<StoredUsage> all(SqliteStore& store, std::int64_t hours = sched::kUsageHours) {
  std::vector<StoredUsage> found;
  UsageQuery query{.after = {.log = 0, .key = {.hour = this_hour() - hours}},
      .until_hour = this_hour() + 1,
      .limit = 2};
  for (;;) {
    const auto page = store.history().usage(query);
    EXPECT_TRUE(page) << page.error().text;
    if (!page || page->empty()) return found;
    found.insert(found.end(), page->begin(), page->end());
    query.after = page->back().at;
  }
}

sched::UsageSums total(SqliteStore& store) {
  sched::UsageSums total;
  for (const StoredUsage& each : all(store)) sched::add(total, each.sums);
  return total;
}

TEST_F(Store, UsageAddsUpAndOutlivesARestart) {
  {
    auto store = open();
    store->jobs().put_usage(row(0, "anna", 2));
    store->jobs().put_usage(row(0, "anna", 3));
    store->jobs().put_usage(row(1, "anna"));
    store->jobs().put_usage(row(0, "bob"));
    EXPECT_TRUE(store->jobs_dirty());
    ASSERT_TRUE(store->commit());
    store->jobs().put_usage(row(0, "bob"));
    ASSERT_TRUE(store->commit());
  }
  auto store = open();
  const auto rows = all(*store);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].at.key, row(1, "anna").row.key) << "by the hour first";
  EXPECT_EQ(rows[1].at.key, row(0, "anna").row.key);
  EXPECT_EQ(rows[1].sums,
      (sched::UsageSums{.tasks = 5, .cpu_used = 20, .cpu_held = 40, .memory_held = 60}));
  EXPECT_EQ(rows[2].sums.tasks, 2);
  EXPECT_EQ(all(*store, 0).size(), 2u) << "from this hour on";
}

TEST_F(Store, UsageOfALossIsTakenBackWhenTheAttemptTurnsUp) {
  const sched::Job job = fresh(1);
  const sched::Attempt lost{.index = 0, .attempt = 1};
  const std::int64_t now = wall_clock_ns();
  {
    auto store = open();
    store->jobs().put_job(job);
    for (int i = 0; i < 2; ++i) {
      store->jobs().put_usage(usage_of_loss(job, lost, now));
      store->jobs().put_loss(job.id, lost, kWorker);
    }
    ASSERT_TRUE(store->commit());
    EXPECT_EQ(total(*store).lost, 1) << "the same attempt, lost twice";
  }
  auto store = open();
  const sched::Report end = report(0);
  store->jobs().put_usage(usage_of_end(job, end, kWorker, true, {.cpu = 1000}, now));
  store->jobs().put_report(job.id, end, kWorker, true);
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(total(*store).lost, 0);
  EXPECT_EQ(total(*store).tasks, 1);
}

TEST_F(Store, UsageOfALogIsSetAnewByItsHome) {
  auto store = open();
  sched::UsageNote of_log = row(0, "anna", 7);
  of_log.log = 0xfedcba9876543210;
  of_log.epoch = 1;
  store->jobs().put_usage(row(0, "anna"));
  store->jobs().put_usage(of_log);
  ASSERT_TRUE(store->commit());
  sched::UsageTable table;
  table.add(row(2, "anna", 4).row);
  store->jobs().put_usage(of_log);  // What the log says has it, too.
  store->jobs().set_usage(of_log.log, 3, table);
  of_log.epoch = 3;
  store->jobs().put_usage(of_log);
  ASSERT_TRUE(store->commit());
  const auto rows = all(*store);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].at.log, of_log.log);
  EXPECT_EQ(rows[0].epoch, 3u);
  EXPECT_EQ(rows[0].sums.tasks, 4);
  EXPECT_EQ(rows[1].at.log, 0u);
  EXPECT_EQ(rows[1].sums.tasks, 1) << "that of no log stays";
  EXPECT_EQ(rows[2].sums.tasks, 7);
}

TEST_F(Store, UsageGoesAfter400DaysAndIsNeverOfTheFuture) {
  auto store = open();
  store->jobs().put_usage(row(sched::kUsageHours, "old"));
  store->jobs().put_usage(row(-50, "ahead"));
  store->jobs().put_usage(row(3, "anna"));
  ASSERT_TRUE(store->commit());
  auto rows = all(*store);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].at.key.user, "ahead");
  EXPECT_EQ(rows[1].at.key.hour, this_hour());
  store = nullptr;
  run_sql("update usage set hour = hour - 9600 where user = 'anna'");
  store = open();
  store->jobs().put_usage(row(0, "bob"));
  ASSERT_TRUE(store->commit());
  store = nullptr;
  run_sql("update usage set hour = hour + 9600 where user = 'anna'");
  EXPECT_EQ(all(*open()).size(), 2u) << "the old row was deleted";
}

TEST_F(Store, UsageHasABoundOfRows) {
  auto store = open();
  const std::int64_t hour = this_hour();
  store->jobs().put_usage(row(300, "first"));
  ASSERT_TRUE(store->commit());
  store = nullptr;
  // As many as there may be, in a hundred hours.
  run_sql("with recursive n(i) as (select 1 union all select i + 1 from n where i < " +
      std::to_string(UsageRows::kRowsMax) + ") insert into usage select " +
      std::to_string(hour - 199) +
      " + i % 100, '', 'f', i, '', 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0 from n");
  store = open();
  store->jobs().put_usage(row(0, "last"));
  ASSERT_TRUE(store->commit());
  const auto oldest = store->history().usage({.after = {}, .until_hour = hour + 2, .limit = 5});
  ASSERT_TRUE(oldest);
  ASSERT_FALSE(oldest->empty());
  EXPECT_EQ(oldest->front().at.key.hour, hour - 198) << "the oldest hours go";
}

TEST_F(Store, UsageThatIsTooMuchStaysTheGreatestNumber) {
  auto store = open();
  sched::UsageNote much = row(0, "anna");
  much.row.sums.memory_held = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 2; ++i) {
    store->jobs().put_usage(much);
    ASSERT_TRUE(store->commit());
  }
  EXPECT_EQ(total(*store).memory_held, std::numeric_limits<std::int64_t>::max());
}

// As an agent of before left it: there is no such table, and the version is the same.
TEST_F(Store, UsageBeginsInADatabaseOfBefore) {
  {
    auto store = open();
    store->jobs().put_job(fresh(1));
    ASSERT_TRUE(store->commit());
  }
  run_sql("drop table usage");
  auto store = open();
  ASSERT_NE(store, nullptr);
  EXPECT_TRUE(all(*store).empty());
  store->jobs().put_usage(row(0, "anna"));
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(total(*store).tasks, 1);
  EXPECT_EQ(store->jobs().restore()->size(), 1u);
}

}  // namespace
}  // namespace dunlin::node::store_test
