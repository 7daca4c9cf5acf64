// SPDX-License-Identifier: MIT
#include "node/store/store.h"

#include <filesystem>
#include <fstream>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/node/store/store_fixture.h"

namespace dunlin::node::store_test {
namespace {

TEST_F(Store, RestoresWhatWasCommitted) {
  {
    auto store = open();
    store->jobs().put_job(job(1));
    store->jobs().put_job(job(2, 5));
    store->jobs().put_progress(id(1), {.cancelled = true});
    store->jobs().put_progress(
        id(2), {.restarts = 4, .cancelled = true, .cancelled_by = sched::CancelledBy::deadline});
    store->jobs().put_report(id(2), report(3), kWorker, true);
    store->jobs().put_report(id(2), report(1, 1, 9), kWorker, false);
    store->jobs().put_report(id(2), report(1, 2, 9), kWorker, true);
    store->jobs().put_loss(id(2), {.index = 0, .attempt = 1}, kWorker);
    store->jobs().put_loss(id(2), {.index = 0, .attempt = 2}, kWorker);
    EXPECT_TRUE(store->dirty());
    ASSERT_TRUE(store->commit());
    EXPECT_FALSE(store->dirty());
  }
  const auto jobs = open()->jobs().restore();
  ASSERT_TRUE(jobs) << jobs.error().text;
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ((*jobs)[0].job, job(1));
  EXPECT_TRUE((*jobs)[0].tasks.empty());
  const auto& second = (*jobs)[1];
  EXPECT_EQ(second.job, job(2, 5));
  EXPECT_EQ((*jobs)[0].progress, (sched::JobProgress{.cancelled = true}));
  EXPECT_EQ(second.progress,
      (sched::JobProgress{
          .restarts = 4, .cancelled = true, .cancelled_by = sched::CancelledBy::deadline}));
  ASSERT_EQ(second.tasks.size(), 3u);
  EXPECT_EQ(second.tasks[0].index, 0u);
  EXPECT_EQ(second.tasks[0].losses, 2);
  EXPECT_FALSE(second.tasks[0].finished);
  EXPECT_EQ(second.tasks[1].index, 1u);
  EXPECT_EQ(second.tasks[1].failures, 1);
  EXPECT_TRUE(second.tasks[1].finished);
  EXPECT_EQ(second.tasks[1].status, 9);
  EXPECT_EQ(second.tasks[1].wall, 5ms);
  EXPECT_EQ(second.tasks[2].index, 3u);
}

// Two logs of this node had one job, and no commit went through any more.
TEST_F(Store, AJobThatIsPutAgainHoldsNothingUp) {
  auto store = open();
  store->jobs().put_job(job(1));
  store->jobs().put_progress(id(1), {.cancelled = true});
  ASSERT_TRUE(store->commit());
  store->jobs().put_job(job(1));
  store->jobs().put_progress(id(1), {.restarts = 2});
  store->jobs().put_job(job(2));
  ASSERT_TRUE(store->commit());
  store.reset();
  const auto jobs = open()->jobs().restore();
  ASSERT_TRUE(jobs) << jobs.error().text;
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ((*jobs)[0].job, job(1));
  EXPECT_EQ((*jobs)[0].progress, (sched::JobProgress{.restarts = 2}));
}

TEST_F(Store, RestoresChangesAndTasksThatRunAgain) {
  const sched::JobProgress changed{.restarts = 2,
      .held = true,
      .terms = {.priority = 9, .deadline = sched::OptionalDuration(5min)}};
  {
    auto store = open();
    store->jobs().put_job(job(1));
    store->jobs().put_progress(id(1), changed);
    store->jobs().put_report(id(1), report(0, 1, 4), kWorker, false);
    store->jobs().put_loss(id(1), {.index = 0, .attempt = 2}, kWorker);
    store->jobs().put_report(id(1), report(0, 3, 5), kWorker, true);
    store->jobs().put_retry(id(1), {.index = 0, .attempt = 4});
    store->jobs().put_report(id(1), report(1), kWorker, true);
    store->jobs().put_retry(id(1), {.index = 1, .attempt = 1});
    store->jobs().put_report(id(1), report(1, 2, 6), kWorker, false);
    store->jobs().put_report(id(1), report(1, 3), kWorker, true);
    ASSERT_TRUE(store->commit());
    EXPECT_EQ(store->history().job(id(1)).value(), job(1));
    EXPECT_EQ(store->history().job(id(2)).error().kind, ErrorKind::not_found);
    EXPECT_EQ(store->history().results({.job = id(1)})->size(), 1u);
    ASSERT_EQ(store->history().attempts(id(1), 0)->size(), 3u);
    EXPECT_EQ((*store->history().attempts(id(1), 0))[2].report, report(0, 3, 5));
  }
  auto store = open();
  const auto jobs = store->jobs().restore();
  ASSERT_EQ(jobs->size(), 1u);
  EXPECT_EQ(jobs->front().progress, changed);
  const auto& tasks = jobs->front().tasks;
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_FALSE(tasks[0].finished);
  EXPECT_EQ(tasks[0].retried, 4);
  EXPECT_EQ(tasks[0].losses, 4) << "numbers go on from there";
  EXPECT_EQ(tasks[0].failures, 0) << "and failures are forgiven anew";
  EXPECT_TRUE(tasks[1].finished);
  EXPECT_EQ(tasks[1].retried, 1);
  EXPECT_EQ(tasks[1].failures, 1);
  EXPECT_EQ(tasks[1].ended, 2);
  EXPECT_TRUE(store->damage().lines().empty());
}

// The result that a disk has spoilt must not become a sound record of an attempt.
TEST_F(Store, ADamagedResultIsStillDamagedWhenItsTaskRunsAgain) {
  {
    auto store = open();
    store->jobs().put_job(job(1));
    store->jobs().put_report(id(1), report(0), kWorker, true);
    ASSERT_TRUE(store->commit());
  }
  run_sql("update results set status = 1");
  auto store = open();
  store->jobs().put_retry(id(1), {.index = 0, .attempt = 1});
  ASSERT_TRUE(store->commit());
  const auto jobs = store->jobs().restore();
  ASSERT_EQ(jobs->size(), 1u);
  ASSERT_EQ(jobs->front().tasks.size(), 1u);
  EXPECT_EQ(jobs->front().tasks[0].losses, 1) << "its number is not given again";
  EXPECT_THAT(store->damage().lines(), ::testing::ElementsAre(HasSubstr("counts as lost")));
}

// The fixture gives every third job a deadline.
TEST_F(Store, RestoresDeadlines) {
  sched::Job late = job(3);
  late.past_deadline = sched::PastDeadline::cancel;
  {
    auto store = open();
    store->jobs().put_job(late);
    ASSERT_TRUE(store->commit());
  }
  const auto jobs = open()->jobs().restore();
  ASSERT_TRUE(jobs) << jobs.error().text;
  EXPECT_EQ(jobs->at(0).job, late);
}

TEST_F(Store, LosesWhatWasNotCommitted) {
  open()->jobs().put_job(job(1));
  EXPECT_TRUE(open()->jobs().restore()->empty());
}

// kill -9 right after commit(): what it promised is there.
TEST_F(Store, SurvivesAKill) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto store = SqliteStore::open(scratch_.path());
    if (!store) ::_exit(1);
    (*store)->jobs().put_job(job(1));
    if (!(*store)->commit()) ::_exit(1);
    (*store)->jobs().put_job(job(2));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto jobs = open()->jobs().restore();
  ASSERT_EQ(jobs->size(), 1u);
  EXPECT_EQ((*jobs)[0].job, job(1));
}

TEST_F(Store, ForgetsAJobALittleAtATime) {
  auto store = open();
  store->jobs().put_job(job(1, 5000));
  store->jobs().put_job(job(2));
  for (std::uint32_t i = 0; i < 5000; ++i)
    store->jobs().put_report(id(1), report(i), kWorker, true);
  store->jobs().put_report(id(2), report(0), kWorker, true);
  ASSERT_TRUE(store->commit());
  store->jobs().forget_job(id(1));
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(store->jobs().restore()->size(), 1u);
  EXPECT_TRUE(store->dirty()) << "there are results left";
  store.reset();
  store = open();  // A life that ends in between does not leave them for good.
  ASSERT_TRUE(store->jobs().restore());
  EXPECT_TRUE(store->dirty());
  for (int i = 0; i < 10 && store->dirty(); ++i) ASSERT_TRUE(store->commit());
  EXPECT_FALSE(store->dirty());
  EXPECT_TRUE(store->history().results({.job = id(1)})->empty());
  EXPECT_EQ(store->history().results({.job = id(2)})->size(), 1u);
}

TEST_F(Store, KeepsTheIncarnation) {
  EXPECT_EQ(open()->incarnation().value(), 0u);
  ASSERT_TRUE(open()->put_incarnation(1'800'000'000));
  auto store = open();
  EXPECT_EQ(store->incarnation().value(), 1'800'000'000u);
  ASSERT_TRUE(store->put_incarnation(1'800'000'001));
  EXPECT_EQ(store->incarnation().value(), 1'800'000'001u);
}

TEST_F(Store, HoldsAMillionLines) {
  auto large = job(1, 1'000'000);
  const auto begin = std::chrono::steady_clock::now();
  {
    auto store = open();
    store->jobs().put_job(large);
    ASSERT_TRUE(store->commit());
  }
  const auto jobs = open()->jobs().restore();
  ASSERT_TRUE(jobs) << jobs.error().text;
  EXPECT_TRUE((*jobs)[0].job == large);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

TEST_F(Store, KnowsTheHighestNumberEverGiven) {
  auto store = open();
  EXPECT_EQ(store->jobs().job_last().value(), 0u);
  store->jobs().put_job(job(3));
  store->jobs().put_report(id(5), report(0), kWorker, true);
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(store->jobs().job_last().value(), 5u) << "what is left of a forgotten job counts";
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
  store->jobs().put_job(job(1));
  ASSERT_TRUE(store->commit());
  const auto ballast = scratch_ / "ballast";
  {
    std::ofstream file(ballast, std::ios::binary);
    const std::string block(4096, 'b');
    while (file.write(block.data(), 4096).flush()) {
    }
  }
  store->jobs().put_job(job(2, 2000));
  store->jobs().put_report(id(1), report(0), kWorker, true);
  for (int i = 0; i < 3; ++i) {
    const auto done = store->commit();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, ErrorKind::io);
    EXPECT_THAT(done.error().text, HasSubstr("free"));
    EXPECT_TRUE(store->dirty());
  }
  EXPECT_EQ(store->jobs().restore()->size(), 1u) << "not half of it";
  std::filesystem::remove(ballast);
  const auto done = store->commit();
  ASSERT_TRUE(done) << done.error().text;
  store.reset();
  store = open();
  const auto jobs = store->jobs().restore();
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ((*jobs)[1].job, job(2, 2000));
  EXPECT_EQ(store->history().results({.job = id(1)})->size(), 1u);
  store.reset();
}

// The log goes with the records of the same turn, counts on in the next life, and is bounded.

}  // namespace
}  // namespace dunlin::node::store_test
