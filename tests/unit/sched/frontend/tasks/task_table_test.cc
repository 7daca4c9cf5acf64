// SPDX-License-Identifier: MIT
#include "sched/frontend/tasks/task_table.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <vector>

#include "overlay/rng.h"
#include "sched/frontend/job_state.h"

namespace dunlin::sched {
namespace {

Job wide_job(std::uint32_t count) {
  Job job{.id = {.home = {1}, .number = 1}};
  job.groups.push_back({.count = count, .demand = {.cpu = 1000}});
  return job;
}

/// Bytes that `make` leaves allocated.
template <typename Make>
std::size_t bytes_left_by(Make&& make) {
  const std::size_t before = ::mallinfo2().uordblks + ::mallinfo2().hblkhd;
  const auto held = make();
  return ::mallinfo2().uordblks + ::mallinfo2().hblkhd - before;
}

constexpr std::size_t kBudget = 64u << 10;

TEST(TaskTable, AMillionWaitingTasksTakeLittle) {
  EXPECT_LE(bytes_left_by([] { return JobState(wide_job(1'000'000), Time{}); }), kBudget);
}

TEST(TaskTable, AMillionTasksThatWereCancelledTakeLittle) {
  const auto cancelled = [] {
    JobState job(wide_job(1'000'000), Time{});
    job.cancel_all();
    job.finish(Time{});
    return job;
  };
  EXPECT_LE(bytes_left_by(cancelled), kBudget);
}

TEST(TaskTable, OnlyTheNeighboursOfATaskThatRunsTakeMore) {
  const auto bound = [] {
    JobState job(wide_job(1'000'000), Time{});
    job.bind(0, {.id = {7}}, 1, Time{});
    return job;
  };
  EXPECT_LE(bytes_left_by(bound), kBudget);
}

// Against a vector.
TEST(TaskTable, IsAPlainList) {
  constexpr std::uint32_t kCount = 3 * TaskTable::kRun + 5;
  TaskTable table(kCount);
  std::vector<TaskEntry> model(kCount);
  Rng rng(1);
  for (int step = 0; step < 20'000; ++step) {
    const std::uint32_t index = rng.below(kCount);
    const auto state = static_cast<TaskState>(rng.below(2));
    table.edit(index).state = model[index].state = state;
    if (step % 1000 == 0) table.compact();
  }
  for (std::uint32_t i = 0; i < TaskTable::kRun; ++i) {
    table.edit(i).recorded = model[i].recorded = true;
    table.edit(i).state = model[i].state = TaskState::succeeded;
  }
  table.compact();
  ASSERT_EQ(table.size(), kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(table[i], model[i]) << i;
}

}  // namespace
}  // namespace dunlin::sched
