// SPDX-License-Identifier: MIT
#include "sched/frontend/tasks/setbacks.h"

#include <algorithm>

// A node that cannot start tasks is the fastest of all: it gives each back within milliseconds.
// Were a task tried again at once, and anywhere, the same node would soon have it once more. So the
// task remembers the nodes that failed it and goes to others. Its rest doubles each time, because
// what is wrong with a node is seldom mended at once, and there is no cap on tries. A
// memory that nothing ends could leave a task without any node. It ends when no other node is known
// to fit, and also when the others had long enough to take the task: a frontend knows less of nodes
// than they do of themselves.
namespace dunlin::sched {
namespace {

/// The rest after the first setback, and the longest.
constexpr Duration kRestMin = std::chrono::milliseconds(250);
constexpr Duration kRestMax = std::chrono::minutes(1);
/// The time that other nodes have for a task that has rested.
constexpr Duration kOthersTurn = std::chrono::minutes(1);
/// Nodes that one task avoids; the first of them are forgotten.
constexpr std::size_t kNodesMax = 64;

Duration rest_after(std::uint16_t setbacks) {
  Duration rest = kRestMin;
  for (std::uint16_t i = 1; i < setbacks && rest < kRestMax; ++i) rest *= 2;
  return std::min(rest, kRestMax);
}

void put(std::vector<PeerId>& nodes, PeerId node) {
  std::erase(nodes, node);
  if (nodes.size() >= kNodesMax) nodes.erase(nodes.begin());
  nodes.push_back(node);
}

}  // namespace

void Setbacks::add(std::uint32_t index, PeerId node, Time now) {
  wake(index);
  Setback& task = tasks_[index];
  if (task.count < UINT16_MAX) ++task.count;
  put(task.nodes, node);
  task.ready = now + rest_after(task.count);
  resting_.emplace(task.ready, index);
}

std::uint16_t Setbacks::count_disk_loss(std::uint32_t index) {
  std::uint16_t& losses = tasks_[index].disk_losses;
  return losses < UINT16_MAX ? losses++ : losses;
}

void Setbacks::restore(std::uint32_t index, std::span<const PeerId> nodes, Time now) {
  Setback& task = tasks_[index];
  task.count = static_cast<std::uint16_t>(std::min<std::size_t>(nodes.size(), UINT16_MAX));
  for (const PeerId node : nodes) put(task.nodes, node);
  task.ready = now;
}

void Setbacks::wait_again(std::uint32_t index, Time now) {
  const auto task = tasks_.find(index);
  if (task != tasks_.end() && !rests(index)) task->second.ready = now;
}

bool Setbacks::rests(std::uint32_t index) const {
  const auto task = tasks_.find(index);
  return task != tasks_.end() && resting_.contains({task->second.ready, index});
}

void Setbacks::wake(std::uint32_t index) {
  const auto task = tasks_.find(index);
  if (task != tasks_.end()) resting_.erase({task->second.ready, index});
}

std::vector<std::uint32_t> Setbacks::rested(Time now) const {
  std::vector<std::uint32_t> indices;
  for (const auto& [ready, index] : resting_) {
    if (ready > now) break;
    indices.push_back(index);
  }
  return indices;
}

Time Setbacks::next() const {
  return resting_.empty() ? kNever : resting_.begin()->first;
}

std::span<const PeerId> Setbacks::avoided(std::uint32_t index, Time now) const {
  const auto task = tasks_.find(index);
  if (task == tasks_.end() || now - task->second.ready > kOthersTurn) return {};
  return task->second.nodes;
}

std::vector<std::uint32_t> Setbacks::awake(std::uint32_t first, std::uint32_t end) const {
  std::vector<std::uint32_t> indices;
  for (auto task = tasks_.lower_bound(first); task != tasks_.end() && task->first < end; ++task) {
    if (!rests(task->first)) indices.push_back(task->first);
  }
  return indices;
}

void Setbacks::forgive(std::uint32_t index) {
  const auto task = tasks_.find(index);
  if (task != tasks_.end()) task->second.nodes.clear();
}

void Setbacks::erase(std::uint32_t index) {
  wake(index);
  tasks_.erase(index);
}

void Setbacks::clear() {
  tasks_.clear();
  resting_.clear();
}

}  // namespace dunlin::sched
