// SPDX-License-Identifier: MIT
#include "tests/support/fake_executor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sched/resources.h"

namespace dunlin::test {
namespace {

template <typename Number>
void append_bytes(std::string& text, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    text += static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xff);
  }
}

/// A start that fails takes so long.
constexpr sched::Duration kRefusal = std::chrono::milliseconds(1);

sched::KeptTask kept_of(const sched::Launch& launch) {
  return {.task = launch.task,
      .attempt = launch.attempt,
      .frontend = launch.frontend,
      .demand = launch.demand,
      .task_time = launch.task_time,
      .time_limit = launch.time_limit,
      .class_id = launch.class_id,
      .yield = launch.yield};
}

/// Little-endian; leaves `value` alone if `text` is too short.
template <typename Number>
void read_bytes(const std::string& text, std::size_t from, Number& value) {
  if (text.size() < from + sizeof value) return;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    bits |= std::uint64_t{static_cast<unsigned char>(text[from + i])} << (8 * i);
  }
  value = static_cast<Number>(bits);
}

}  // namespace

std::string Script::spec() const {
  std::string text;
  append_bytes(text, duration.count());
  append_bytes(text, status);
  append_bytes(text, attempts_failing);
  append_bytes(text, heavy_from);
  append_bytes(text, heavy.count());
  return text;
}

Script Script::of(const std::string& spec) {
  Script script;
  std::int64_t nanoseconds = script.duration.count();
  read_bytes(spec, 0, nanoseconds);
  read_bytes(spec, 8, script.status);
  read_bytes(spec, 12, script.attempts_failing);
  script.duration = sched::Duration{nanoseconds};
  read_bytes(spec, 14, script.heavy_from);
  std::int64_t heavy = 0;
  read_bytes(spec, 18, heavy);
  script.heavy = sched::Duration{heavy};
  return script;
}

void FakeExecutor::start(const sched::Launch& launch) {
  const auto same = [&](const Task& task) {
    return task.id == launch.task && task.attempt == launch.attempt;
  };
  if (std::ranges::any_of(tasks_, same)) violation_ = "an attempt is started twice";
  ++started_;
  const Script script = Script::of(launch.spec);
  Task task{.id = launch.task, .attempt = launch.attempt, .launch = launch, .started = now_};
  task.ends = now_ + (task.id.index < script.heavy_from ? script.duration : script.heavy);
  if (launch.attempt <= script.attempts_failing) task.status = script.status;
  if (broken_ || (params_.spawn_failure > 0 && rng_.chance(params_.spawn_failure))) {
    task.ends = now_ + kRefusal;
    task.outcome = sched::Outcome::spawn_failed;
    task.status = 11;  // EAGAIN
    task.cause = sched::Cause::start;
  }
  tasks_.push_back(task);
  check_room();
}

void FakeExecutor::kill(const sched::TaskId& task, std::uint32_t attempt, sched::Outcome outcome) {
  for (Task& each : tasks_) {
    if (each.id != task || each.attempt != attempt) continue;
    const sched::Time dies = now_ + rng_.between(sched::Duration{1}, params_.grace);
    if (each.killed) each.outcome = outcome;
    if (each.suspended) {
      each.woken = std::exchange(each.suspended, std::nullopt);
      each.stood += now_ - *each.woken;
    }
    if (dies >= each.ends) continue;  // It ends by itself first.
    each.killed = true;
    each.ends = dies;
    each.outcome = outcome;
    each.status = 15;  // SIGTERM
  }
}

FakeExecutor::Task* FakeExecutor::find(const sched::TaskId& task, std::uint32_t attempt) {
  const auto found = std::ranges::find_if(
      tasks_, [&](const Task& each) { return each.id == task && each.attempt == attempt; });
  return found == tasks_.end() ? nullptr : &*found;
}

void FakeExecutor::suspend(const sched::TaskId& task, std::uint32_t attempt) {
  Task* const found = find(task, attempt);
  // One that has ended, and of which the worker has not heard.
  if (found == nullptr || found->ends <= now_ || found->outcome == sched::Outcome::spawn_failed) {
    return;
  }
  if (found->suspended || found->killed) violation_ = "a task is suspended that does not run";
  found->suspended = now_;
  found->left = found->ends - now_;
  found->ends = sched::kNever;
}

void FakeExecutor::resume(const sched::TaskId& task, std::uint32_t attempt) {
  Task* const found = find(task, attempt);
  if (found == nullptr || found->ends <= now_ || found->outcome == sched::Outcome::spawn_failed) {
    return;
  }
  if (!found->suspended) {
    violation_ = "a task goes on that did not stand still";
    return;
  }
  found->stood += now_ - *std::exchange(found->suspended, std::nullopt);
  found->ends = now_ + found->left;
  check_room();
}

void FakeExecutor::check_room() {
  if (!total_) return;
  sched::Resources used;
  for (const Task& task : tasks_) {
    sched::Resources taken = task.launch.demand;
    if (task.suspended || task.woken) taken.cpu = 0;
    sched::give(used, taken);
  }
  if (!sched::fits(used, sched::all_of(*total_))) violation_ = "more runs than the node has";
}

void FakeExecutor::forget(const sched::TaskId& task, std::uint32_t attempt) {
  forgotten_.push_back({task, attempt});
  std::erase_if(told_,
      [&](const sched::KeptTask& kept) { return kept.task == task && kept.attempt == attempt; });
}

std::vector<sched::KeptTask> FakeExecutor::take_kept(sched::Time now) {
  take_ended(now);
  std::vector<sched::KeptTask> kept = told_;
  for (const Task& task : tasks_) {
    kept.push_back(kept_of(task.launch));
    kept.back().ran = task.suspended.value_or(now) - task.started - task.stood;
    const auto stands = task.suspended ? task.suspended : task.woken;
    if (stands) kept.back().suspended = now - *stands;
    if (task.killed) kept.back().told_to_end = task.outcome;
  }
  return kept;
}

void FakeExecutor::try_start() {
  if (trial_ends_) violation_ = "a trial begins while another runs";
  trial_ends_ = now_ + kRefusal;
}

std::optional<std::string> FakeExecutor::take_trial(sched::Time now) {
  if (!trial_ends_ || *trial_ends_ > now) return std::nullopt;
  trial_ends_.reset();
  return broken_ ? "cannot fork" : "";
}

void FakeExecutor::lose_all() {
  for (Task& task : tasks_) {
    task.ends = std::min(task.ends, now_ + kRefusal);
    task.outcome = sched::Outcome::spawn_failed;
    task.status = 0;
    task.cause = sched::Cause::lost;
  }
}

sched::Time FakeExecutor::next() const {
  const auto first = std::ranges::min_element(tasks_, {}, &Task::ends);
  const sched::Time ends = first == tasks_.end() ? sched::kNever : first->ends;
  return std::min(ends, trial_ends_.value_or(sched::kNever));
}

std::vector<sched::Exit> FakeExecutor::take_ended(sched::Time now) {
  std::ranges::stable_sort(tasks_, {}, &Task::ends);
  std::vector<sched::Exit> exits;
  const auto alive =
      std::ranges::find_if(tasks_, [&](const Task& task) { return task.ends > now; });
  for (auto task = tasks_.begin(); task != alive; ++task) {
    sched::Exit& exit = exits.emplace_back();
    exit.job = task->id.job;
    exit.report.index = task->id.index;
    exit.report.attempt = task->attempt;
    exit.report.outcome = task->outcome;
    exit.report.status = task->status;
    exit.report.cause = task->cause;
    if (task->cause == sched::Cause::start) exit.report.detail = "cannot fork";
    exit.report.wall = task->ends - task->started - task->stood;
    exit.report.cpu = exit.report.wall;
    told_.push_back(kept_of(task->launch));
    told_.back().ended = exit.report;
  }
  tasks_.erase(tasks_.begin(), alive);
  return exits;
}

bool FakeExecutor::stands(const sched::TaskId& task) const {
  return std::ranges::any_of(
      tasks_, [&](const Task& each) { return each.id == task && each.suspended.has_value(); });
}

bool FakeExecutor::runs(const sched::TaskId& task) const {
  return std::ranges::any_of(tasks_, [&](const Task& each) { return each.id == task; });
}

}  // namespace dunlin::test
