// SPDX-License-Identifier: MIT
#include "sched/frontend/job_changes.h"

#include <algorithm>
#include <vector>

#include "sched/frontend/outlook.h"

namespace dunlin::sched {
namespace {

std::string task_name(const JobState& job, std::uint32_t index) {
  return "task " + std::to_string(index) + " of job " + label_of(job.id());
}

/// True of a task that could not read again what it has read.
bool is_once(const JobState& job, std::uint32_t index) {
  return job.spec_of(job.group_of(index)).once;
}

std::string read_once(const JobState& job, std::uint32_t index) {
  return task_name(job, index) + " reads what a client gives it, which cannot be read again";
}

std::string never_twice(const JobState& job, std::uint32_t index) {
  return task_name(job, index) + " never runs twice, as its user said (rerun): submit it anew";
}

/// `tasks`, ascending, are not to wait for a task that did not succeed and is not among them.
Result<void> check_not_in_vain(const JobState& job, const std::vector<std::uint32_t>& tasks) {
  std::vector<bool> looked_at(job.groups().size());
  for (const std::uint32_t index : tasks) {
    const std::uint16_t group = job.group_of(index);
    if (!job.stages().is_missed(group) || looked_at[group]) continue;
    looked_at[group] = true;
    for (const std::uint16_t before : job.spec_of(group).after) {
      const std::uint32_t first = job.groups()[before].first;
      for (std::uint32_t i = first; i < first + job.spec_of(before).count; ++i) {
        const TaskState state = job.task(i).state;
        const bool in_vain = is_final(state) && state != TaskState::succeeded;
        if (!in_vain || std::ranges::binary_search(tasks, i)) continue;
        return failure(ErrorKind::conflict,
            task_name(job, index) + " waits for group " + job.spec_of(before).name + ", and task " +
                std::to_string(i) + " of that did not succeed: retry it, too");
      }
    }
  }
  return {};
}

}  // namespace

void change(Turn& turn, JobState& job, const JobChange& change) {
  const JobProgress before = job.progress();
  const JobProgress after = job.change(change);
  if (after == before) return;
  turn.store.put_progress(job.id(), after);
  if (after.held != before.held) turn.events.on(HoldChanged{job.id(), after.held});
  if (after.terms != before.terms) turn.events.on(TermsChanged{job.id()});
  const EndCommand& command = after.end_command;
  if (command == before.end_command) return;
  if (command.run == EndRun::started) turn.events.on(EndCommandStarted{job.id()});
  if (has_failed(command)) {
    turn.events.on(EndCommandFailed{job.id(), command.outcome, command.status, command.detail});
  }
}

Result<void> check_retry(const JobState& job, std::span<const std::uint32_t> tasks, Time now) {
  if (job.pruned()) {
    return failure(ErrorKind::conflict,
        "what became of each task of job " + label_of(job.id()) +
            " is forgotten, as it ended long ago: submit it as another job");
  }
  for (const std::uint32_t index : tasks) {
    if (!is_final(job.task(index).state)) {
      return failure(ErrorKind::conflict,
          task_name(job, index) + " has not ended: cancel it first, or wait for it");
    }
    if (job.runs_once()) return failure(ErrorKind::conflict, never_twice(job, index));
    if (is_once(job, index)) {
      return failure(
          ErrorKind::conflict, read_once(job, index) + ": submit it anew, with its input");
    }
    if (job.is_worn_out(index)) {
      return failure(ErrorKind::conflict,
          task_name(job, index) + " was attempted too often; submit it as another job");
    }
  }
  std::vector<std::uint32_t> sorted(tasks.begin(), tasks.end());
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    return failure(ErrorKind::usage, task_name(job, *twice) + " is named twice");
  }
  if (auto fine = check_not_in_vain(job, sorted); !fine) return fine;
  if (job.job().past_deadline == PastDeadline::cancel && due_of(job) <= now) {
    const std::string name = label_of(job.id());
    return failure(ErrorKind::conflict,
        "the deadline of job " + name + " has passed, which cancels it: set a later one first " +
            "(`dunlin set " + name + " --deadline 1h`)");
  }
  return {};
}

Result<void> check_requeue(const JobState& job, std::span<const std::uint32_t> tasks) {
  for (const std::uint32_t index : tasks) {
    if (job.task(index).state != TaskState::launched) continue;
    if (job.runs_once()) return failure(ErrorKind::conflict, never_twice(job, index));
    if (!is_once(job, index)) continue;
    return failure(ErrorKind::conflict,
        read_once(job, index) + ": it could only be cancelled, and submitted anew with its input");
  }
  return {};
}

void retry(Turn& turn, JobState& job, std::span<const std::uint32_t> tasks, const Job* stored) {
  const JobProgress before = job.progress();
  for (const TaskRecord& record : job.retry(tasks, stored)) put(turn.store, job.id(), record);
  if (job.progress() != before) turn.store.put_progress(job.id(), job.progress());
  turn.events.on(TasksRetried{job.id(), static_cast<std::uint32_t>(tasks.size())});
}

std::string has_ended(const JobState& job) {
  const std::string name = label_of(job.id());
  return "job " + name + " has ended; `dunlin retry " + name + "` runs tasks of it again";
}

}  // namespace dunlin::sched
