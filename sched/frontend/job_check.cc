// SPDX-License-Identifier: MIT
#include "sched/frontend/job_check.h"

#include <algorithm>
#include <array>

// Invariants of a job, checked by tests after every step. A job counts its tasks by state, indexes
// those that wait and remembers those that rest; all three say the same in different words, because
// frontends must not walk over a million tasks for each message. Here the tasks themselves are
// walked over, and each count and index must agree with them.
namespace dunlin::sched {
namespace {

using Broken = std::optional<std::string>;

std::string name_of(const JobId& job) {
  return std::to_string(job.home.value) + "/" + std::to_string(job.number);
}

/// A task is bound exactly while it runs or is being cancelled, and the counts agree.
Broken check_counts(const JobState& job) {
  std::array<std::uint32_t, kTaskStates> found{};
  for (std::uint32_t i = 0; i < job.task_count(); ++i) {
    const TaskState state = job.task(i).state;
    ++found[static_cast<std::size_t>(state)];
    const bool bound = state == TaskState::launched || state == TaskState::cancelling;
    if (bound != job.bindings().contains(i)) {
      return "task " + name_of(job.id()) + ":" + std::to_string(i) + " is " +
          std::string(kTaskStateWords[static_cast<std::size_t>(state)]) +
          (bound ? " at no worker" : " and still bound");
    }
  }
  if (found == job.counts().of) return {};
  return "the counts of job " + name_of(job.id()) + " are not those of its tasks";
}

/// Waiting tasks must be where the next GetTask looks for them; otherwise they never run.
Broken check_waiting(const JobState& job) {
  for (std::size_t g = 0; g < job.groups().size(); ++g) {
    const JobState::Group& group = job.groups()[g];
    const std::uint32_t end = group.first + job.spec_of(static_cast<std::uint16_t>(g)).count;
    std::uint32_t waiting = 0;
    std::uint32_t resting = 0;
    for (std::uint32_t i = group.first; i < end; ++i) {
      if (job.task(i).state != TaskState::waiting) continue;
      const bool rests = job.setbacks().rests(i);
      ++(rests ? resting : waiting);
      if (rests || group.queue.holds(i)) continue;
      return "task " + name_of(job.id()) + ":" + std::to_string(i) + " waits where nobody looks";
    }
    if (waiting != group.waiting || resting != group.resting) {
      return "job " + name_of(job.id()) + " counts " + std::to_string(group.waiting) + " of " +
          std::to_string(waiting) + " waiting tasks of a group, and " +
          std::to_string(group.resting) + " of " + std::to_string(resting) + " that rest";
    }
  }
  return {};
}

/// The tasks of a group that have not succeeded, or that ended otherwise.
std::uint32_t count_of(const JobState& job, std::uint16_t group, auto&& counts) {
  const std::uint32_t first = job.groups()[group].first;
  std::uint32_t count = 0;
  for (std::uint32_t i = first; i < first + job.spec_of(group).count; ++i) {
    if (counts(job.task(i).state)) ++count;
  }
  return count;
}

/// A group is held as long as tasks of those before it are missing, and none of its tasks waits for
/// what cannot come any more.
Broken check_stages(const JobState& job) {
  const auto lacks = [](TaskState state) { return state != TaskState::succeeded; };
  const auto failed = [](TaskState state) {
    return is_final(state) && state != TaskState::succeeded;
  };
  const auto open = [](TaskState state) {
    return state == TaskState::waiting || state == TaskState::launched;
  };
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    bool held = false;
    bool missed = false;
    for (const std::uint16_t before : job.spec_of(group).after) {
      held = held || count_of(job, before, lacks) > 0;
      missed = missed || count_of(job, before, failed) > 0;
    }
    const std::string which = "group " + std::to_string(group) + " of job " + name_of(job.id());
    if (held != job.stages().holds(group)) return which + " is held, or is not, by mistake";
    if (held && job.offered(group) > 0) return which + " offers tasks before its stage";
    if (missed && count_of(job, group, open) > 0) return which + " waits for a stage that failed";
  }
  return {};
}

}  // namespace

std::optional<std::string> broken_invariant(const JobState& job) {
  if (auto broken = check_counts(job)) return broken;
  if (job.finished().has_value() != job.counts().all_final()) {
    return "job " + name_of(job.id()) +
        (job.finished() ? " is finished, but not its tasks" : " is not finished, but its tasks");
  }
  if (auto broken = check_stages(job)) return broken;
  if (job.finished()) return {};
  return check_waiting(job);
}

std::optional<std::string> broken_invariant(const JobTable& table) {
  JobNeeds found;
  Dependants waits;
  OpenEndCommands commands;
  StandbyCounts standbys;
  for (const auto& [number, job] : table.all()) {
    if (auto broken = broken_invariant(job)) return broken;
    found.update(job);
    waits.update(job);
    commands.update(job);
    standbys.update(job);
  }
  const JobIndexes& known = table.indexes();
  if (found != known.needs()) return "a job needs something else than its table knows";
  if (waits != known.dependants()) return "a job waits for other jobs than its table knows";
  if (commands != known.end_commands()) {
    return "other commands for the ends of jobs are open than their table knows";
  }
  if (standbys == known.standbys()) return {};
  return "a job says another number of standbys than its table knows";
}

}  // namespace dunlin::sched
