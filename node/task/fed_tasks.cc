// SPDX-License-Identifier: MIT
#include "node/task/fed_tasks.h"

#include <algorithm>
#include <csignal>

// Tasks that read what a client gives them. The end of an input must mean that all was given: so
// the task of a client that leaves early is ended, and its report says why, whatever the program
// made of the signal.
namespace dunlin::node {
// A client that never comes would leave the task waiting for its input for ever.
void FedTasks::expect(std::uint64_t id, Past past) {
  inputs_[id] = {.past = past, .due = now(loop_) + client_within_};
  watch();
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
    return failure(ErrorKind::conflict, name + " does not read what a client gives");
  }
  if (input->second.past == Past::complete) {
    return failure(ErrorKind::conflict, name + " was given all of its input already");
  }
  if (input->second.past == Past::lost) {
    return failure(ErrorKind::conflict,
        "the agent of node " + node_ + " began anew, and with it the input of " + name +
            " was lost");
  }
  if (input->second.attached) {
    return failure(ErrorKind::conflict, name + " has a client already");
  }
  input->second.attached = true;
  return {};
}

// To close the input instead would look like its end: the task would go on with half of its data,
// and succeed.
void FedTasks::detach(const sched::TaskId& task, std::uint32_t attempt) {
  const auto input = find(task, attempt);
  // A client that has said all may go: the task goes on with all of its input.
  if (input != inputs_.end() && !input->second.ended) hang_up(input);
}

void FedTasks::hang_up(Inputs::iterator input) {
  if (std::exchange(input->second.hung_up, true)) return;
  calls_.end(input->first);
}

void FedTasks::feed(
    const sched::TaskId& task, std::uint32_t attempt, std::string_view data, bool end) {
  const auto input = find(task, attempt);
  // What comes after the end, such as of a client that said it twice, is dropped.
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
  // This agent does not know whether the one before it gave all. The task has closed its input, so
  // nothing is missing.
  if (input->second.past != Past::lost || !fed.closed) return;
  input->second.past = Past::complete;
  input->second.ended = true;
}

void FedTasks::conclude(std::uint64_t id, sched::Report& report) {
  const auto input = inputs_.extract(id);
  if (input.empty() || !input.mapped().hung_up) return;
  // Whatever it made of the signal: a program that catches it and exits with 0 has not had all of
  // its input.
  report.outcome = sched::Outcome::signalled;
  report.status = SIGHUP;
  report.detail = "its client left before the end of its input";
}

void FedTasks::end_without_clients() {
  for (auto input = inputs_.begin(); input != inputs_.end(); ++input) {
    if (input->second.waits() && input->second.due <= now(loop_)) hang_up(input);
  }
  watch();
}

void FedTasks::watch() {
  auto first = overlay::kNever;
  for (const auto& [id, input] : inputs_) {
    if (input.waits()) first = std::min(first, input.due);
  }
  if (first != overlay::kNever) late_.at(first);
}

}  // namespace dunlin::node
