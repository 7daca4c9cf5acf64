// SPDX-License-Identifier: MIT
#include "node/task/fed_tasks.h"

#include <algorithm>
#include <csignal>

namespace dunlin::node {
namespace {

/// The client of a task comes as soon as it hears where the task runs, or not at all.
constexpr sched::Duration kClientWithin = std::chrono::seconds(60);

}  // namespace

void FedTasks::expect(std::uint64_t id, bool known) {
  inputs_[id] = {.known = known, .due = now(loop_) + kClientWithin};
  // Those before it are due earlier.
  if (inputs_.size() == 1) late_.at(now(loop_) + kClientWithin);
}

FedTasks::Inputs::iterator FedTasks::find(const sched::TaskId& task, std::uint32_t attempt) {
  return inputs_.find(calls_.find(task, attempt));
}

Result<void> FedTasks::attach(const sched::TaskId& task, std::uint32_t attempt) {
  const std::string name = "task " + std::to_string(task.index);
  if (calls_.find(task, attempt) == 0) {
    return failure(ErrorKind::not_found, name + " does not run here");
  }
  const auto input = find(task, attempt);
  if (input == inputs_.end()) {
    return failure(ErrorKind::refused, name + " does not read what a client gives");
  }
  if (!input->second.known) {
    return failure(ErrorKind::refused,
        "the agent of node " + node_ + " began anew, and with it the input of " + name +
            " was lost");
  }
  if (input->second.attached) {
    return failure(ErrorKind::refused, name + " has a client already");
  }
  input->second.attached = true;
  return {};
}

void FedTasks::detach(const sched::TaskId& task, std::uint32_t attempt) {
  const auto input = find(task, attempt);
  if (input != inputs_.end() && !input->second.ended) hang_up(input);
}

void FedTasks::hang_up(Inputs::iterator input) {
  if (std::exchange(input->second.hung_up, true)) return;
  calls_.end(input->first);
}

void FedTasks::feed(
    const sched::TaskId& task, std::uint32_t attempt, std::string_view data, bool end) {
  const auto input = find(task, attempt);
  if (input == inputs_.end() || input->second.ended) return;
  input->second.ended = end;
  calls_.feed({.id = input->first, .data = std::string(data), .end = end});
}

void FedTasks::resize(
    const sched::TaskId& task, std::uint32_t attempt, std::uint16_t rows, std::uint16_t columns) {
  const auto input = find(task, attempt);
  if (input == inputs_.end()) return;
  calls_.resize({.id = input->first, .rows = rows, .columns = columns});
}

TaskInputs::State FedTasks::state(const sched::TaskId& task, std::uint32_t attempt) const {
  const std::uint64_t id = calls_.find(task, attempt);
  const auto input = inputs_.find(id);
  if (input == inputs_.end()) return {.running = id != 0};
  return {.running = true, .taken = input->second.taken, .closed = input->second.closed};
}

void FedTasks::on_fed(const warden::Fed& fed) {
  const auto input = inputs_.find(fed.id);
  if (input == inputs_.end()) return;
  input->second.taken = fed.taken;
  input->second.closed = fed.closed;
}

void FedTasks::conclude(std::uint64_t id, sched::Report& report) {
  const auto input = inputs_.extract(id);
  if (input.empty() || !input.mapped().hung_up) return;
  report.outcome = sched::Outcome::signalled;
  report.status = SIGHUP;
  report.detail = "its client left before the end of its input";
}

void FedTasks::end_without_clients() {
  auto first = overlay::kNever;
  for (auto input = inputs_.begin(); input != inputs_.end(); ++input) {
    if (input->second.attached || input->second.hung_up) continue;
    if (input->second.due > now(loop_)) {
      first = std::min(first, input->second.due);
    } else {
      hang_up(input);
    }
  }
  if (first != overlay::kNever) late_.at(first);
}

}  // namespace dunlin::node
