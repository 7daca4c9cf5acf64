// SPDX-License-Identifier: MIT
#include "node/agent/records.h"

#include <atomic>
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <thread>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

/// As long as it lives, no file of this process can grow: a full disk.
class FullDisk {
 public:
  FullDisk() {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

/// Another program that writes to the database.
class Holder {
 public:
  explicit Holder(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &handle_), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle_, "begin immediate", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  ~Holder() { sqlite3_close(handle_); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  void let_go() const { sqlite3_exec(handle_, "commit", nullptr, nullptr, nullptr); }

 private:
  sqlite3* handle_ = nullptr;
};

class RecordsTest : public ::testing::Test {
 protected:
  static sched::Job job(std::uint32_t number) {
    sched::Job job{.id = {.home = {7}, .number = number}, .name = "train"};
    job.groups.emplace_back().count = 2;
    return job;
  }
  static sched::Report report(std::uint32_t index) {
    sched::Report report;
    report.index = index;
    report.attempt = 1;
    return report;
  }

  test::Scratch scratch;
  Metrics metrics;
  Log log{overlay::Level::error, LogFormat::text, metrics};
  IdentityMarks marks{*IdentityMarks::open(scratch.path())};
  std::atomic<int> wakes = 0;
  Records records{*SqliteStore::open(scratch.path()), marks, log, metrics, [this] { ++wakes; }};
  overlay::Time now{100s};
};

TEST_F(RecordsTest, WhatIsPutIsDurableAfterTheCommit) {
  EXPECT_TRUE(records.durable());
  records.jobs().put_job(job(1));
  EXPECT_FALSE(records.durable());
  records.commit_and_wait(now);
  EXPECT_TRUE(records.durable());
  EXPECT_EQ(records.error(), "");
  EXPECT_EQ(metrics.commits, 1u);
  records.commit_and_wait(now);
  EXPECT_EQ(metrics.commits, 1u) << "nothing was left to write";
}

TEST_F(RecordsTest, OnlyResultsThatCountAreTold) {
  std::vector<std::uint32_t> told;
  records.jobs().put_report({.home = {7}, .number = 1}, report(0), {2}, true);
  records.tell_results(
      [&](const sched::JobId& id, const sched::Report& report, overlay::PeerId worker) {
        EXPECT_EQ(id.number, 1u);
        EXPECT_EQ(worker.value, 2u);
        told.push_back(report.index);
      });
  records.jobs().put_report({.home = {7}, .number = 1}, report(1), {2}, false);
  records.jobs().put_report({.home = {7}, .number = 1}, report(1), {2}, true);
  EXPECT_THAT(told, ::testing::ElementsAre(1));
}

TEST_F(RecordsTest, AFullDiskIsToldAndTriedAgainASecondLater) {
  records.jobs().put_job(job(1));
  {
    const FullDisk full;
    records.commit_and_wait(now);
  }
  EXPECT_FALSE(records.durable());
  EXPECT_NE(records.error(), "");
  EXPECT_EQ(metrics.commits_failed, 1u);
  records.commit(now + 999ms);
  EXPECT_FALSE(records.busy()) << "too early";
  records.commit(now + 1s);
  EXPECT_TRUE(records.busy());
  EXPECT_FALSE(records.durable());
  records.commit_and_wait(now + 1s);
  EXPECT_TRUE(records.durable());
  EXPECT_EQ(records.error(), "");
  const auto restored = records.store().jobs().restore();
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->size(), 1u) << "nothing was lost meanwhile";
}

TEST_F(RecordsTest, WhileAnotherProgramHoldsTheDatabaseOnlyTheCommitWaits) {
  records.jobs().put_job(job(1));
  records.commit_and_wait(now);
  records.jobs().put_report(job(1).id, report(0), {2}, true);
  records.commit_and_wait(now);

  // The thread wakes the loop after commit_and_wait() has its outcome.
  while (wakes < 2) std::this_thread::sleep_for(1ms);
  const Holder holder(scratch / "dunlin.sqlite");
  records.jobs().put_job(job(2));
  const Records::Mark second = records.mark();
  const auto before = std::chrono::steady_clock::now();
  records.commit(now);
  records.jobs().put_job(job(3));
  const Records::Mark third = records.mark();
  records.commit(now + 300ms);
  const auto results = records.store().history().results({.job = job(1).id});
  EXPECT_LT(std::chrono::steady_clock::now() - before, 3s) << "the loop waited";
  ASSERT_TRUE(results) << results.error().text;
  EXPECT_EQ(results->size(), 1u);
  EXPECT_TRUE(records.busy());
  EXPECT_EQ(records.error(), "") << "slow is not wrong";
  EXPECT_FALSE(records.durable(second));
  EXPECT_LT(second, third);
  EXPECT_EQ(wakes, 2);

  holder.let_go();
  while (wakes < 3) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(records.durable(second)) << "not before the loop looked";
  records.commit(now + 4s);
  EXPECT_TRUE(records.durable(second));
  EXPECT_FALSE(records.durable(third)) << "it came after the commit had begun";
  records.commit_and_wait(now + 4s);
  EXPECT_TRUE(records.durable(third));
  EXPECT_TRUE(records.durable());
}

TEST_F(RecordsTest, BooksDoNotWaitForRecordsOfJobs) {
  const Holder holder(scratch / "dunlin.sqlite");
  records.jobs().put_job(job(1));
  EXPECT_FALSE(records.durable(records.jobs_mark()));
  EXPECT_TRUE(records.durable(records.books_mark()));
  records.commit(now);
  EXPECT_FALSE(records.durable(records.jobs_mark()));
  EXPECT_TRUE(records.durable(records.books_mark()));
  sched::RaftState state{.group = 5, .replica = 6, .term = 1};
  records.books().put_state(state);
  EXPECT_FALSE(records.durable(records.books_mark()));
  holder.let_go();
  records.commit_and_wait(now);
  EXPECT_TRUE(records.durable(records.books_mark()));
}

TEST_F(RecordsTest, ADeletionThatGoesOnHoldsNothingUp) {
  for (std::uint32_t number = 1; number <= 2; ++number) {
    records.jobs().put_job(job(number));
    records.jobs().put_report(job(number).id, report(0), {2}, true);
  }
  records.commit_and_wait(now);
  for (std::uint32_t number = 1; number <= 2; ++number) records.jobs().forget_job(job(number).id);
  records.commit_and_wait(now);
  EXPECT_TRUE(records.store().dirty()) << "there are results to delete";
  EXPECT_TRUE(records.durable());
}

}  // namespace
}  // namespace dunlin::node
