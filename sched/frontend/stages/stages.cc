// SPDX-License-Identifier: MIT
#include "sched/frontend/stages/stages.h"

#include <algorithm>
#include <utility>

// A barrier: a group starts when all tasks of those that it waits for have succeeded. The counts
// go up as well as down, because a user may have a task run again that had ended: then the group is
// held once more. Tasks of it that run by then go on.
namespace dunlin::sched {
namespace {

bool is_failed(TaskState state) {
  return is_final(state) && state != TaskState::succeeded;
}

}  // namespace

Stages::Stages(std::span<const TaskGroup> groups) {
  if (std::ranges::all_of(groups, [](const TaskGroup& each) { return each.after.empty(); })) return;
  groups_.resize(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups_[i].left = groups[i].count;
    groups_[i].awaited = static_cast<std::uint16_t>(groups[i].after.size());
    for (const std::uint16_t before : groups[i].after) {
      groups_[before].dependants.push_back(static_cast<std::uint16_t>(i));
    }
  }
}

void Stages::move(std::uint16_t index, TaskState from, TaskState to) {
  if (!any()) return;
  Group& group = groups_[index];
  if (to == TaskState::succeeded && --group.left == 0) {
    for (const std::uint16_t dependant : group.dependants) {
      if (--groups_[dependant].awaited == 0) news_.push_back({dependant, true});
    }
  }
  if (from == TaskState::succeeded && group.left++ == 0) {
    for (const std::uint16_t dependant : group.dependants) ++groups_[dependant].awaited;
  }
  if (is_failed(to) && group.failed++ == 0) {
    for (const std::uint16_t dependant : group.dependants) {
      if (groups_[dependant].missed++ == 0) news_.push_back({dependant, false});
    }
  }
  if (is_failed(from) && --group.failed == 0) {
    for (const std::uint16_t dependant : group.dependants) --groups_[dependant].missed;
  }
}

std::vector<StageNews> Stages::take_news() {
  return std::exchange(news_, {});
}

}  // namespace dunlin::sched
