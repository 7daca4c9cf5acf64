// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sched/frontend/job_state.h"
#include "sched/frontend/user_holdings.h"

// What a user does to a job that was accepted: cancels it or tasks of it, puts it on hold, sets its
// terms, has tasks run again; and its end.
namespace dunlin::sched {
std::optional<ReportRecord> JobState::cancel(std::uint32_t index) {
  if (tasks_[index].state == TaskState::launched) move(index, TaskState::cancelling);
  if (tasks_[index].state != TaskState::waiting) return std::nullopt;
  move(index, TaskState::cancelled);
  tasks_.edit(index).recorded = true;
  return killed({index, next_attempt(index)}, PeerId{});
}

JobProgress JobState::cancel_all(CancelledBy by) {
  if (!progress_.cancelled) progress_.cancelled_by = by;
  progress_.cancelled = true;
  for (std::uint32_t i = 0; i < task_count(); ++i) {
    if (cancel(i)) tasks_.edit(i).recorded = false;
  }
  tasks_.compact();
  return progress_;
}

std::uint32_t JobState::cancel_stage(std::uint16_t group) {
  std::uint32_t count = 0;
  const std::uint32_t first = groups_[group].first;
  for (std::uint32_t i = first; i < first + spec_of(group).count; ++i) {
    const TaskState state = tasks_[i].state;
    if (state == TaskState::waiting || state == TaskState::launched) ++count;
    if (cancel(i)) tasks_.edit(i).recorded = false;
  }
  return count;
}

void JobState::end_missed_stages() {
  for (auto news = stages_.take_news(); !news.empty(); news = stages_.take_news()) {
    for (const StageNews& each : news) {
      if (each.met || !stages_.is_missed(each.group)) continue;
      const std::uint32_t first = groups_[each.group].first;
      for (std::uint32_t i = first; i < first + spec_of(each.group).count; ++i) {
        if (!is_final(tasks_[i].state)) move(i, TaskState::cancelled);
      }
    }
  }
}

void JobState::estimate(std::uint16_t group, const Resources& demand, AmountSet guessed) {
  job_.groups[group].demand = demand;
  groups_[group].guessed = guessed;
}

JobProgress JobState::change(const JobChange& change) {
  if (change.held) progress_.held = *change.held;
  if (change.terms.priority) progress_.terms.priority = change.terms.priority;
  if (change.terms.deadline) progress_.terms.deadline = change.terms.deadline;
  progress_.after_met |= change.after_met;
  progress_.after_missed |= change.after_missed;
  if (change.end_command) progress_.end_command = *change.end_command;
  set_terms(job_, change.terms);
  return progress_;
}

const Binding* JobState::requeue(std::uint32_t index) {
  if (tasks_[index].state != TaskState::launched) return nullptr;
  Binding& binding = bindings_.at(index);
  binding.requeued = true;
  requeued_[index] = binding.attempt;
  return &binding;
}

std::vector<TaskRecord> JobState::retry(std::span<const std::uint32_t> tasks, const Job* stored) {
  if (finished_) {
    ensure(stored != nullptr, "a finished job has forgotten its lines");
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      job_.groups[i].entries = stored->groups[i].entries;
      job_.groups[i].inputs = stored->groups[i].inputs;
      groups_[i].inputs = InputIndex(job_.groups[i], false);
    }
  }
  finished_.reset();
  progress_.ended.reset();
  std::vector<TaskRecord> records;
  bool is_number_unknown = false;
  for (const std::uint32_t index : tasks) {
    Task& task = tasks_.edit(index);
    // Late news of the attempts so far must not end those to come.
    const AttemptNumber last = next_attempt(index);
    if (task.recorded) {
      records.emplace_back(RetryRecord{{index, last}});
      task.attempts.begin_again(last);
      preemptions_.erase(index);
      retried_[index] = last;
    } else {
      is_number_unknown = true;
    }
    task.recorded = false;
    task.end(Outcome::exited, 0);
    move(index, TaskState::waiting);
    groups_[group_of(index)].queue.push(index);
  }
  // A task that was cancelled while it was bound, before a crash, left no record of its last
  // number; and a job that a restart finds cancelled does not count that restart.
  if (is_number_unknown) ++progress_.restarts;
  if (!progress_.cancelled && !stages_.any()) return records;
  // Their end followed from the progress, or from a task that another stage waited for; neither
  // may say it any more.
  progress_.cancelled = false;
  for (std::uint32_t index = 0; index < task_count(); ++index) {
    if (tasks_[index].state != TaskState::cancelled || tasks_[index].recorded) continue;
    tasks_.edit(index).recorded = true;
    records.emplace_back(killed({index, next_attempt(index)}, PeerId{}));
  }
  return records;
}

bool JobState::adopt(const Attempt& running, const Holder& holder, Time now) {
  if (running.index >= task_count()) return false;
  const Task& task = tasks_[running.index];
  if (task.state != TaskState::waiting) return false;
  if (!task.attempts.may_return(running.attempt, progress_.restarts, base_)) return false;
  tasks_.edit(running.index).attempts.find_again(running.attempt);
  const auto requeued = requeued_.find(running.index);
  // What it was taken to need is not stored: its memory may have been an estimate.
  bindings_[running.index] = {.attempt = running.attempt,
      .worker = holder.worker,
      .incarnation = holder.incarnation,
      .bound = now,
      .confirmed = now,
      .away = holder.away,
      .requeued = requeued != requeued_.end() && requeued->second == running.attempt,
      .suspended = holder.suspended,
      .memory_guessed = spec_of(group_of(running.index)).memory_unsaid};
  move(running.index, TaskState::launched);
  Group& group = groups_[group_of(running.index)];
  if (group.bound == 1) group.began = now;
  if (!begun_) begun_ = now;
  return true;
}

ReportRecord JobState::lose_given(const Attempt& given) {
  ensure(tasks_[given.index].state == TaskState::waiting, "what is bound is known");
  const ReportRecord end = lost_for_good(given, PeerId{});
  move(given.index, TaskState::failed);
  Task& task = tasks_.edit(given.index);
  task.recorded = true;
  task.end(end.report.outcome, end.report.status);
  return end;
}

// Before the lines go: they are part of what the job takes as history.
void JobState::finish(Time now) {
  ensure(counts_.all_final(), "a finished job has no task left");
  tasks_.compact();
  if (!progress_.ended) progress_.ended = end_at(now);
  finished_ = std::min(now, accepted_ + sane_age(progress_.ended->after));
  if (progress_.ended->begun) begun_ = accepted_ + sane_age(*progress_.ended->begun);
  std::uint64_t rows = 0;
  tasks_.for_each([&](const Task& task, std::uint32_t count) {
    const std::uint32_t attempts = task.attempts.failures() + task.attempts.losses();
    rows += std::uint64_t{count} * (attempts + (task.recorded ? 1 : 0));
  });
  history_size_ = {.record = HistorySize::kRecord + job_.owner.size() + bytes_of(job_),
      .tasks = rows * HistorySize::kTask};
  for (Group& group : groups_) {
    group.queue.clear();
    group.inputs = {};
  }
  setbacks_.clear();
  given_.clear();
  for (TaskGroup& group : job_.groups) {
    group.entries = {};
    group.inputs = {};
  }
}

JobProgress JobState::prune() {
  ensure(finished_ && progress_.ended, "only of what has ended can the tasks be forgotten");
  progress_.ended->pruned = true;
  forget_tasks();
  history_size_.tasks = 0;
  return progress_;
}

// Numbers that a store or another node told are held to the tasks that there are.
void JobState::forget_tasks() {
  EndFacts& end = *progress_.ended;
  end.failed = std::min(end.failed, task_count());
  end.cancelled = std::min(end.cancelled, task_count() - end.failed);
  counts_ = {};
  counts_.of[static_cast<std::size_t>(TaskState::failed)] = end.failed;
  counts_.of[static_cast<std::size_t>(TaskState::cancelled)] = end.cancelled;
  counts_.of[static_cast<std::size_t>(TaskState::succeeded)] =
      task_count() - end.failed - end.cancelled;
  for (Group& group : groups_) group.waiting = 0;
  // Which of them ended how is not known any more; that none goes on is.
  tasks_ = TaskTable(task_count(),
      end.failed > 0          ? TaskState::failed
          : end.cancelled > 0 ? TaskState::cancelled
                              : TaskState::succeeded);
  retried_.clear();
  requeued_.clear();
  preemptions_.clear();
}

}  // namespace dunlin::sched
