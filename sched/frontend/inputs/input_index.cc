// SPDX-License-Identifier: MIT
#include "sched/frontend/inputs/input_index.h"

#include <algorithm>
#include <map>

// A worker that asks is to get the tasks with their input there, out of as many as a million. So
// each node has a list of its own tasks and a place in it, which only moves on: all answers
// together walk over each list once. Two nodes may have been named for the same machine by
// different names: they are one here, by its id.
namespace dunlin::sched {

InputIndex::InputIndex(const TaskGroup& group, bool all_wait) : count_(group.count) {
  const GroupInputs& inputs = group.inputs;
  if (inputs.empty()) return;
  for (const InputNode& node : inputs.nodes) {
    if (node.id == PeerId{}) continue;
    const bool again = std::ranges::find(nodes_, node.id, &Node::id) != nodes_.end();
    if (!again) nodes_.push_back({.id = node.id, .address = node.address, .tasks = {}});
  }
  std::ranges::sort(nodes_, {}, &Node::id);
  for (const GroupInputs::Set& named : inputs.sets) {
    GroupInputs::Set& set = sets_.emplace_back();
    set.fill(GroupInputs::kNone);
    auto* end = set.begin();
    for (const std::uint16_t i : named) {
      const Node* const node = i == GroupInputs::kNone ? nullptr : find(inputs.nodes[i].id);
      if (node == nullptr) continue;
      const auto at = static_cast<std::uint16_t>(node - nodes_.data());
      if (std::find(set.begin(), end, at) == end) *end++ = at;
    }
  }
  tasks_.reserve(inputs.tasks.size());
  for (const PlacedInput& input : inputs.tasks) tasks_.push_back(input.set);
  for (std::uint32_t task = 0; tasks_.size() > 1 && task < count_; ++task) {
    for (const std::uint16_t node : set_of(task)) {
      if (node != GroupInputs::kNone) nodes_[node].tasks.push_back(task);
    }
  }
  if (!all_wait) return;
  for (std::uint32_t task = 0; task < count_; ++task) wait(task, true);
}

InputIndex::Node* InputIndex::find(PeerId node) {
  const auto at = std::ranges::lower_bound(nodes_, node, {}, &Node::id);
  return at != nodes_.end() && at->id == node ? &*at : nullptr;
}

const InputIndex::Node* InputIndex::find(PeerId node) const {
  const auto at = std::ranges::lower_bound(nodes_, node, {}, &Node::id);
  return at != nodes_.end() && at->id == node ? &*at : nullptr;
}

bool InputIndex::is_held(std::uint32_t task) const {
  return any() && set_of(task).front() != GroupInputs::kNone;
}

bool InputIndex::is_at(std::uint32_t task, PeerId node) const {
  return std::ranges::any_of(set_of(task),
      [&](std::uint16_t i) { return i != GroupInputs::kNone && nodes_[i].id == node; });
}

std::vector<Endpoint> InputIndex::sources(std::uint32_t task) const {
  std::vector<Endpoint> sources;
  for (const std::uint16_t i : set_of(task)) {
    if (i != GroupInputs::kNone) sources.push_back({nodes_[i].id, nodes_[i].address});
  }
  // Else the first that is named would lend to all.
  if (!sources.empty()) {
    const std::size_t first = task % sources.size();
    std::ranges::rotate(sources, sources.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return sources;
}

std::uint32_t InputIndex::left(PeerId node) const {
  const Node* const found = find(node);
  return found == nullptr ? 0 : found->left;
}

std::uint32_t InputIndex::stuck(PeerId node) const {
  const Node* const found = find(node);
  return found == nullptr ? 0 : found->stuck;
}

void InputIndex::wait(std::uint32_t task, bool on) {
  const bool is_stuck = misses_.is_stuck(task);
  for (const std::uint16_t i : set_of(task)) {
    if (i == GroupInputs::kNone) continue;
    on ? ++nodes_[i].left : --nodes_[i].left;
    if (is_stuck) on ? ++nodes_[i].stuck : --nodes_[i].stuck;
  }
}

}  // namespace dunlin::sched
