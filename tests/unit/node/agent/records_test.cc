// SPDX-License-Identifier: MIT
#include "node/agent/records.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

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
  Records records{*SqliteStore::open(scratch.path()), marks, log, metrics};
  overlay::Time now{100s};
};

TEST_F(RecordsTest, WhatIsPutIsDurableAfterTheCommit) {
  EXPECT_TRUE(records.durable());
  records.jobs().put_job(job(1));
  EXPECT_FALSE(records.durable());
  records.commit(now);
  EXPECT_TRUE(records.durable());
  EXPECT_EQ(records.error(), "");
  EXPECT_EQ(metrics.commits, 1u);
  records.commit(now);
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
    records.commit(now);
  }
  EXPECT_FALSE(records.durable());
  EXPECT_NE(records.error(), "");
  EXPECT_EQ(metrics.commits_failed, 1u);
  records.commit(now + 999ms);
  EXPECT_FALSE(records.durable()) << "too early";
  records.commit(now + 1s);
  EXPECT_TRUE(records.durable());
  EXPECT_EQ(records.error(), "");
  const auto restored = records.store().restore();
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->size(), 1u) << "nothing was lost meanwhile";
}

}  // namespace
}  // namespace dunlin::node
