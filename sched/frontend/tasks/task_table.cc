// SPDX-License-Identifier: MIT
#include "sched/frontend/tasks/task_table.h"

#include <algorithm>
#include <span>

// Most tasks of a large job are like their neighbours: they wait as it was submitted, or have ended
// as all of them did. A user may submit millions in a hundred bytes, and they must not cost what
// tasks cost that run. So neighbours are one entry until the first of them comes to run, and again
// when the last of them has ended.
namespace dunlin::sched {

TaskTable::TaskTable(std::uint32_t count) : count_(count), runs_((count + kRun - 1) / kRun) {}

std::uint32_t TaskTable::length_of(std::size_t run) const {
  return std::min(kRun, count_ - static_cast<std::uint32_t>(run) * kRun);
}

TaskEntry& TaskTable::edit(std::uint32_t index) {
  Run& run = runs_[index / kRun];
  if (run.each == nullptr) {
    const std::uint32_t length = length_of(index / kRun);
    run.each = std::make_unique<TaskEntry[]>(length);
    std::fill_n(run.each.get(), length, run.all);
  }
  return run.each[index % kRun];
}

void TaskTable::compact() {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    Run& run = runs_[i];
    if (run.each == nullptr) continue;
    const std::span<const TaskEntry> each(run.each.get(), length_of(i));
    const TaskEntry first = each.front();
    if (std::ranges::find_if(each, [&](const auto& task) { return !(task == first); }) !=
        each.end())
      continue;
    run.all = first;
    run.each.reset();
  }
}

}  // namespace dunlin::sched
