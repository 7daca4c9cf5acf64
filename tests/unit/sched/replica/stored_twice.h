// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

#include "sched/inputs/input_text.h"
#include "sched/replica/job_copies.h"
#include "sched/replica/record_writer.h"
#include "tests/support/memory_store.h"

namespace dunlin::sched::replica {

/// A job with all that one can have. To name its members breaks the build when there is one more:
/// it must be a record, too.
inline Job full_job(std::uint32_t number, std::uint32_t tasks) {
  Job job;
  auto& [id, name, groups, submitted_at, owner, service_class, deadline, past_deadline, key, held,
      replicas, replicas_required, after_jobs, on_preempt, end_command, comment, labels, begin,
      rerun] = job;
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
                    .address = overlay::Address::v4(0x0a000008, 7700),
                    .failed = true},
      {.job = {.home = {9}, .number = 5, .lineage = 6}, .begun_for = std::chrono::minutes(10)}};
  on_preempt = OnPreempt::checkpoint;
  end_command = std::string("\0mail", 5);
  comment = "the third try";
  labels = {{.key = "step", .value = "2"}, {.key = "team", .value = "lab3"}};
  begin = std::chrono::minutes(90);
  rerun = Rerun::never;
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

inline void expect_same(const std::vector<StoredJob>& ours, const std::vector<StoredJob>& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].job, theirs[i].job);
    EXPECT_EQ(ours[i].progress, theirs[i].progress);
    ASSERT_EQ(ours[i].tasks.size(), theirs[i].tasks.size());
    for (std::size_t t = 0; t < ours[i].tasks.size(); ++t) {
      const StoredTask& a = ours[i].tasks[t];
      const StoredTask& b = theirs[i].tasks[t];
      EXPECT_EQ(std::tie(a.index, a.retried, a.failures, a.losses, a.ended, a.lost, a.finished,
                    a.outcome, a.status, a.wall, a.to_cancel, a.to_requeue, a.only, a.avoided),
          std::tie(b.index, b.retried, b.failures, b.losses, b.ended, b.lost, b.finished, b.outcome,
              b.status, b.wall, b.to_cancel, b.to_requeue, b.only, b.avoided));
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

  test::MemoryStore disk;
  RecordWriter writer;
  JobCopies copies;
  std::size_t batches = 0;
};

}  // namespace dunlin::sched::replica
