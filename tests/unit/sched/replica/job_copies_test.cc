// SPDX-License-Identifier: MIT
#include "sched/replica/job_copies.h"

#include <gtest/gtest.h>

#include "sched/replica/codec_record.h"
#include "sched/replica/record_writer.h"
#include "tests/support/memory_store.h"
#include "tests/unit/sched/replica/stored_twice.h"

// Whatever a frontend stores, a standby that read it in the log goes on with the same jobs as the
// frontend would after a restart. The store of the tests says what those are.
namespace dunlin::sched::replica {
namespace {

using test::MemoryStore;

TEST(JobCopies, AJobComesBackWithAllThatItHas) {
  Frontends both;
  both.put([](Store& store) { store.put_job(full_job(1, 3)); });
  expect_same(both.copies.jobs(), both.disk.load());
  EXPECT_EQ(both.copies.jobs().front().job, full_job(1, 3));
}

// The records of its tasks stay in the log, for builds that do not know of it; who reads them does
// not take its tasks for such that wait.
TEST(JobCopies, APrunedJobHasItsEndAndNoTask) {
  Frontends both;
  const Job job = full_job(1, 3);
  JobProgress progress{.ended = EndFacts{.after = std::chrono::seconds(9), .failed = 1}};
  both.put([&](Store& store) {
    store.put_job(job);
    for (std::uint32_t i = 0; i < 5; ++i) {
      store.put_report(job.id, {.index = i, .attempt = 1}, PeerId{4}, true);
    }
    store.put_progress(job.id, progress);
  });
  ASSERT_EQ(both.copies.jobs().size(), 1u);
  EXPECT_EQ(both.copies.jobs()[0].progress, progress);
  EXPECT_EQ(both.copies.jobs()[0].tasks.size(), 5u);
  progress.ended->pruned = true;
  both.put([&](Store& store) { store.put_progress(job.id, progress); });
  expect_same(both.copies.jobs(), both.disk.load());
  EXPECT_EQ(both.copies.jobs()[0].progress, progress);
  EXPECT_TRUE(both.copies.jobs()[0].tasks.empty());
  MemoryStore heir;
  both.copies.put(heir);
  heir.commit(heir.take_turn());
  expect_same(heir.load(), both.disk.load());
  EXPECT_EQ(heir.finals(job.id), 0u);
}

// Its submission may be said again, wherever the log is by then.
TEST(JobCopies, WhatWasSaidOfAForgottenJobIsKnown) {
  Frontends both;
  Job without_key = full_job(2, 3);
  without_key.key = {};
  both.put([&](Store& store) {
    store.put_job(full_job(1, 3));
    store.put_job(without_key);
  });
  EXPECT_TRUE(both.copies.forgotten().empty());
  const Job said = full_job(1, 3);
  both.put([&](Store& store) {
    store.forget_job(said.id);
    store.forget_job(without_key.id);
  });
  EXPECT_TRUE(both.copies.jobs().empty());
  ASSERT_EQ(both.copies.forgotten().size(), 1u);
  const JobCopies::Forgotten& known = both.copies.forgotten().front();
  EXPECT_EQ(known.key, said.key);
  EXPECT_EQ(known.id, said.id);
  EXPECT_EQ(known.owner, said.owner);
  EXPECT_EQ(known.name, said.name);
  EXPECT_EQ(known.tasks, said.task_count());
}

// Each is flags in the records, and a word everywhere else.
TEST(JobCopies, WordsComeBack) {
  std::uint32_t number = 0;
  for (const auto word :
      {OnPreempt::never, OnPreempt::requeue, OnPreempt::checkpoint, OnPreempt::suspend}) {
    Frontends both;
    Job job = full_job(++number, 1);
    job.on_preempt = word;
    both.put([&](Store& store) { store.put_job(job); });
    EXPECT_EQ(both.copies.jobs().front().job.on_preempt, word);
  }
  for (const auto word : {CancelledBy::user, CancelledBy::deadline, CancelledBy::after}) {
    Frontends both;
    const Job job = full_job(++number, 1);
    JobProgress progress;
    progress.cancelled = true;
    progress.cancelled_by = word;
    both.put([&](Store& store) {
      store.put_job(job);
      store.put_progress(job.id, progress);
    });
    EXPECT_EQ(both.copies.jobs().front().progress.cancelled_by, word);
  }
}

TEST(JobCopies, InputsThatMakeNoSenseAreNoJob) {
  RecordWriter writer;
  Job job = full_job(1, 3);
  job.groups[0].inputs.tasks[1].set = 77;
  writer.put_job(job);
  JobCopies copies;
  for (const std::string& batch : writer.take()) EXPECT_FALSE(copies.apply(batch));
}

TEST(JobCopies, GroupsThatWaitForEachOtherAreNoJob) {
  RecordWriter writer;
  Job job = full_job(1, 3);
  job.groups[1].after = {0};
  writer.put_job(job);
  JobCopies copies;
  for (const std::string& batch : writer.take()) EXPECT_FALSE(copies.apply(batch));
}

TEST(JobCopies, ALargeJobComesInParts) {
  Job job = full_job(1, 20'000);
  job.groups[0].entries = {};
  for (int i = 0; i < 20'000; ++i) job.groups[0].entries.push_back(std::string(40, 'x'));
  job.groups[0].entries.text += std::string(60'000, 'y');
  job.groups[0].entries.ends.back() += 60'000;
  Frontends both;
  both.put([&](Store& store) { store.put_job(job); });
  EXPECT_GT(both.batches, 3u);
  expect_same(both.copies.jobs(), both.disk.load());
}

// A home that dies within a turn leaves a job in parts: no client was told of it.
TEST(JobCopies, AJobOfWhichPartsAreMissingIsNone) {
  RecordWriter writer;
  writer.put_job(full_job(1, 3));
  std::vector<Record> records = *decode_records(writer.take().front());
  while (records.size() > 1) {
    records.pop_back();
    JobCopies copies;
    std::string batch;
    for (const Record& record : records) append(batch, record);
    ASSERT_TRUE(copies.apply(batch));
    EXPECT_TRUE(copies.jobs().empty());
    MemoryStore disk;
    copies.put(disk);
    EXPECT_FALSE(disk.turn_has_records());
  }
}

TEST(JobCopies, RecordsThatMakeNoSenseAreRefused) {
  const JobId job = full_job(1, 3).id;
  const auto refuses = [&](const std::vector<Record>& records) {
    JobCopies copies;
    RecordWriter writer;
    writer.put_job(full_job(1, 3));
    EXPECT_TRUE(copies.apply(writer.take().front()));
    std::string batch;
    for (const Record& record : records) append(batch, record);
    const bool refused = !copies.apply(batch);
    EXPECT_TRUE(!refused || !copies.apply("")) << "and all that follows";
    return refused;
  };
  EXPECT_FALSE(refuses({PutProgress{.job = job}}));
  EXPECT_TRUE(refuses({PutProgress{.job = {.home = {8}, .number = 1}}}));
  EXPECT_TRUE(refuses({PutJob{.job = job, .groups = 1}}));
  EXPECT_TRUE(refuses({PutJob{.job = {.number = 2}, .groups = 0}}));
  EXPECT_TRUE(refuses({PutGroup{.job = job, .count = 1}})) << "one more than was said";
  EXPECT_TRUE(refuses({PutLines{.job = job, .sizes = {1}, .text = "x"}}));
  EXPECT_TRUE(refuses({PutReport{.job = job, .report = {.index = 5}}}));
  EXPECT_TRUE(refuses({PutLoss{.job = job, .lost = {.index = 5}}}));
  EXPECT_TRUE(refuses({PutRetry{.job = job, .last = {.index = 0}}})) << "it has no result";
  EXPECT_TRUE(refuses({ForgetJob{.job = job}, ForgetJob{.job = job}}));
  const PutJob other{.job = {.number = 2}, .groups = 1};
  EXPECT_TRUE(refuses({other, PutReport{.job = other.job}})) << "it is not whole";
  EXPECT_TRUE(refuses({other, PutGroup{.job = other.job, .count = 2, .lines = 1}}));
  EXPECT_TRUE(refuses({other, PutGroup{.job = other.job, .count = 1, .lines = 1},
      PutLines{.job = other.job, .sizes = {3}, .text = "xx"}}));
  EXPECT_FALSE(refuses({other, PutGroup{.job = other.job, .count = 1, .lines = 1},
      PutLines{.job = other.job, .sizes = {2}, .text = "xx"}}));
}

}  // namespace
}  // namespace dunlin::sched::replica
