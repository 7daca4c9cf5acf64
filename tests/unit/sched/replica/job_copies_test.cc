// SPDX-License-Identifier: MIT
#include "sched/replica/job_copies.h"

#include <gtest/gtest.h>

#include "sched/inputs/input_text.h"
#include "sched/replica/codec_record.h"
#include "sched/replica/record_writer.h"
#include "tests/support/memory_store.h"

// Whatever a frontend stores, a standby that read it in the log goes on with the same jobs as the
// frontend would after a restart. The store of the tests says what those are.
namespace dunlin::sched::replica {
namespace {

using test::MemoryStore;

/// A job with all that one can have. To name its members breaks the build when there is one more:
/// it must be a record, too.
Job full_job(std::uint32_t number, std::uint32_t tasks) {
  Job job;
  auto& [id, name, groups, submitted_at, owner, service_class, deadline, past_deadline, key, held,
      replicas, replicas_required, after_jobs, on_preempt, end_command] = job;
  id = {.home = {7}, .number = number, .lineage = 900 + number};
  name = "train";
  submitted_at = 123456789;
  owner = "anna";
  service_class = "gold";
  deadline = std::chrono::hours(3);
  past_deadline = PastDeadline::cancel;
  key = {1, number};
  held = true;
  replicas = 2;
  replicas_required = 1;
  after_jobs = {{.job = {.home = {8}, .number = 4, .lineage = 5},
      .any = true,
      .has_replicas = true,
      .address = overlay::Address::v4(0x0a000008, 7700)}};
  on_preempt = OnPreempt::checkpoint;
  end_command = std::string("\0mail", 5);
  TaskGroup group;
  {
    auto& [label, count, demand, cpu_unsaid, memory_unsaid, constraints, priority, retries, at_once,
        gang, after, once, inputs, limit, duration, spec, entries] = group;
    label = "a";
    count = tasks;
    demand = {.cpu = 500, .memory = 64, .custom = {{"gpu", 1}}};
    cpu_unsaid = true;
    memory_unsaid = true;
    constraints = {{.key = "os", .comparison = Comparison::equal, .value = "linux"}};
    priority = 70;
    retries = 3;
    at_once = 2;
    gang = false;  // Not with inputs in places; the other group is one.
    after = {1};
    once = true;
    InputsBuilder builder;
    for (std::uint32_t i = 0; i < tasks; ++i) {
      EXPECT_TRUE(builder.add("1M@n" + std::to_string(i % 500) + ",m"));
    }
    inputs = builder.take();
    inputs.disk_read = 7;
    limit = std::chrono::minutes(5);
    duration = std::chrono::seconds(2);
    spec = std::string("\0spec", 5);
    for (std::uint32_t i = 0; i < tasks; ++i) entries.push_back("line " + std::to_string(i));
  }
  // No frontend takes a gang of a job with replicas yet, but its record can say it.
  groups = {group, TaskGroup{.name = "b", .count = 2, .gang = true}};
  return job;
}

void expect_same(const std::vector<StoredJob>& ours, const std::vector<StoredJob>& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].job, theirs[i].job);
    EXPECT_EQ(ours[i].progress, theirs[i].progress);
    ASSERT_EQ(ours[i].tasks.size(), theirs[i].tasks.size());
    for (std::size_t t = 0; t < ours[i].tasks.size(); ++t) {
      const StoredTask& a = ours[i].tasks[t];
      const StoredTask& b = theirs[i].tasks[t];
      EXPECT_EQ(std::tie(a.index, a.retried, a.failures, a.losses, a.ended, a.lost, a.finished,
                    a.outcome, a.status, a.wall, a.to_cancel, a.to_requeue, a.avoided),
          std::tie(b.index, b.retried, b.failures, b.losses, b.ended, b.lost, b.finished, b.outcome,
              b.status, b.wall, b.to_cancel, b.to_requeue, b.avoided));
    }
  }
}

/// The same words to both: the disk of a frontend, and the log that its standbys read.
class Frontends {
 public:
  void put(auto&& call) {
    call(static_cast<Store&>(disk));
    call(static_cast<Store&>(writer));
    disk.commit(disk.take_turn());
    for (const std::string& batch : writer.take()) {
      EXPECT_LE(batch.size(), RecordWriter::kBatchMax);
      EXPECT_TRUE(copies.apply(batch));
      ++batches;
    }
  }

  MemoryStore disk;
  RecordWriter writer;
  JobCopies copies;
  std::size_t batches = 0;
};

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

/// The last attempt of a task.
struct Last {
  std::uint32_t attempt = 0;
  bool lost = false;
};

JobProgress drawn_progress(overlay::Rng& rng) {
  JobProgress progress{rng.below(9), rng.chance(0.5), CancelledBy::deadline};
  progress.held = rng.chance(0.5);
  if (rng.chance(0.5)) progress.terms.priority = static_cast<std::int16_t>(rng.below(9));
  if (rng.chance(0.5)) progress.terms.deadline = OptionalDuration{};
  if (rng.chance(0.2)) progress.cancelled_by = CancelledBy::after;
  progress.after_met = rng.below(2);
  progress.after_missed = rng.below(2);
  progress.end_command = {.run = static_cast<EndRun>(rng.below(3)),
      .outcome = static_cast<Outcome>(rng.below(8)),
      .status = static_cast<std::int32_t>(rng.below(3)),
      .detail = rng.chance(0.5) ? "no such file" : ""};
  if (rng.chance(0.3)) {
    progress.ended = EndFacts{.after = Duration{1 + rng.below(99)},
        .worst = static_cast<Outcome>(rng.below(9)),
        .exit = static_cast<std::uint8_t>(rng.below(256)),
        .failed = rng.below(3),
        .cancelled = rng.below(3),
        .pruned = rng.chance(0.3)};
    if (rng.chance(0.5)) progress.ended->begun = Duration{1 + rng.below(99)};
  }
  return progress;
}

void put_drawn_wish(Frontends& both, overlay::Rng& rng, const JobId& id, const Attempt& attempt) {
  const JobProgress progress = drawn_progress(rng);
  const auto wished = static_cast<Wished>(rng.below(2));
  both.put([&](Store& store) {
    store.put_progress(id, progress);
    store.put_wishes(id, progress, wished, std::vector<Attempt>{attempt});
  });
}

TEST(JobCopies, CountsAsTheStoreOfAFrontendDoes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    overlay::Rng rng(seed);
    Frontends both;
    std::uint32_t jobs = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Last> attempts;
    for (int step = 0; step < 60; ++step) {
      const std::uint32_t number = 1 + rng.below(std::max(1u, jobs));
      const JobId id = full_job(number, 3).id;
      const std::uint32_t index = rng.below(5);
      if (jobs == 0 || rng.chance(0.1)) {
        ++jobs;
        both.put([&](Store& store) { store.put_job(full_job(jobs, 3)); });
      } else if (!both.disk.holds(id)) {
        continue;
      } else if (rng.chance(0.05)) {
        both.put([&](Store& store) { store.forget_job(id); });
      } else if (rng.chance(0.1)) {
        const JobProgress progress = drawn_progress(rng);
        both.put([&](Store& store) { store.put_progress(id, progress); });
      } else if (rng.chance(0.1)) {
        put_drawn_wish(both, rng, id, {index, attempts[{number, index}].attempt + 1});
      } else if (both.disk.result(id, index) != nullptr) {
        auto& last = attempts[{number, index}];
        const Attempt highest{index, static_cast<decltype(Attempt::attempt)>(last.attempt)};
        if (rng.chance(0.5)) both.put([&](Store& store) { store.put_retry(id, highest); });
      } else {
        // An attempt that was lost may be lost again, or reported after all.
        auto& [attempt, lost] = attempts[{number, index}];
        if (!lost || rng.chance(0.5)) ++attempt;
        Report report{.index = index,
            .attempt = static_cast<decltype(Report::attempt)>(attempt),
            .outcome = static_cast<Outcome>(rng.below(8)),
            .status = static_cast<std::int32_t>(rng.below(3)),
            .wall = std::chrono::seconds(rng.below(50)),
            .cause = static_cast<Cause>(rng.below(3))};
        const bool final = rng.chance(0.2);
        const PeerId worker{1 + rng.below(4)};
        lost = !final && report.status == 0;
        both.put([&](Store& store) {
          if (lost) {
            store.put_loss(id, {index, report.attempt}, worker);
          } else {
            store.put_report(id, report, worker, final);
          }
        });
      }
    }
    expect_same(both.copies.jobs(), both.disk.load());
    EXPECT_EQ(both.disk.violation(), "");
    // The node that takes over stores them, and restarts with the same.
    MemoryStore heir;
    both.copies.put(heir);
    heir.commit(heir.take_turn());
    expect_same(heir.load(), both.disk.load());
    EXPECT_EQ(heir.violation(), "");
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
