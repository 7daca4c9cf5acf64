// SPDX-License-Identifier: MIT
#include "node/warden/task_inputs.h"

#include "node/warden/frames.h"

// The inputs of tasks that read what clients give them, by task. They end with their tasks, so this
// holds them weakly. The bytes that a task has taken are told to the agent when they change, and
// once more to a new agent, which knows nothing of them.
namespace dunlin::node::warden {

Result<std::shared_ptr<TaskInput>> TaskInputs::open(const Start& start) {
  if (start.input == Input::file) return nullptr;
  auto input = TaskInput::open(start);
  // Weak: the launch and the task own it, and it ends with them.
  if (input) entries_[start.id].input = *input;
  return input;
}

std::shared_ptr<TaskInput> TaskInputs::find(std::uint64_t id) const {
  const auto entry = entries_.find(id);
  return entry == entries_.end() ? nullptr : entry->second.input.lock();
}

void TaskInputs::feed(const Feed& feed) {
  if (const auto input = find(feed.id)) input->feed(feed.data, feed.end);
}

void TaskInputs::resize(const Resize& resize) {
  if (const auto input = find(resize.id)) input->resize(resize.rows, resize.columns);
}

void TaskInputs::watch(std::vector<pollfd>& polled) {
  watched_.clear();
  for (auto next = entries_.begin(); next != entries_.end();) {
    // The entry may go: the next one is known before.
    const auto entry = next++;
    const auto input = entry->second.input.lock();
    if (input == nullptr) {  // Its task has ended.
      entries_.erase(entry);
      continue;
    }
    // In the order of what is polled, as on_polled() finds them by their places; weak, as a task
    // may end in between.
    watched_.push_back(input);
    polled.push_back({.fd = input->descriptor(), .events = input->events(), .revents = 0});
  }
}

void TaskInputs::on_polled(std::span<const pollfd> polled) {
  for (std::size_t i = 0; i < watched_.size() && i < polled.size(); ++i) {
    const auto input = watched_[i].lock();
    if (input != nullptr && polled[i].revents != 0) input->work(polled[i].revents);
  }
}

void TaskInputs::tell(std::string& out) {
  for (auto& [id, entry] : entries_) {
    const auto input = entry.input.lock();
    if (input == nullptr) continue;
    const bool closed = input->closed() || (entry.untold && input->ended());
    const bool same = input->taken() == entry.told && closed == entry.told_closed;
    // Said once more to a new agent, which knows nothing of it; after the close nothing follows.
    if (!entry.untold && (same || entry.told_closed)) continue;
    entry.untold = false;
    entry.told = input->taken();
    entry.told_closed = closed;
    append_frame(out, Fed{.id = id, .taken = entry.told, .closed = entry.told_closed});
  }
}

}  // namespace dunlin::node::warden
