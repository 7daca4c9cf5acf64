// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sched/frontend/inputs/loan_misses.h"
#include "sched/job.h"

namespace dunlin::sched {

/// The tasks of a group by the nodes that have their inputs. It counts those that wait, so that no
/// question walks over tasks. It follows from the states of tasks, and nothing of it is stored. A
/// group without inputs takes no memory here. Tasks are numbered as in their group.
class InputIndex {
 public:
  /// A known node that has inputs of the group.
  struct Node {
    PeerId id;
    Address address{};                 ///< Where it was at the submit.
    std::uint32_t left = 0;            ///< Its tasks that wait, ...
    std::uint32_t stuck = 0;           ///< ... and those of them that perhaps run nowhere else.
    std::vector<std::uint32_t> tasks;  ///< Ascending; unless all tasks have one input.
    std::size_t next = 0;              ///< Those before this one were handed out, or passed over.
  };

  InputIndex() = default;
  /// All tasks wait, or none.
  InputIndex(const TaskGroup& group, bool all_wait);

  /// True if inputs of the group have places.
  bool any() const { return !tasks_.empty(); }
  /// Ascending by id.
  const std::vector<Node>& nodes() const { return nodes_; }
  /// True if a known node has the input of the task.
  bool is_held(std::uint32_t task) const;
  /// True if this node has the input of the task.
  bool is_at(std::uint32_t task, PeerId node) const;
  /// The known nodes that have the input of the task, beginning with another one for each task.
  std::vector<Endpoint> sources(std::uint32_t task) const;
  /// Waiting tasks with their input at the node.
  std::uint32_t left(PeerId node) const;
  /// A task waits from now on, or does not wait any more.
  void wait(std::uint32_t task, bool on);

  /// A node without the input of the task found none that would lend. Requires that it does not
  /// wait yet.
  void miss(std::uint32_t task, Time now) { misses_.add(task, now); }
  /// True if the task may go to none but the nodes with its input now.
  bool stays(std::uint32_t task, Time now) const { return misses_.stays(task, now); }
  /// Waiting tasks with their input at the node to which nothing was lent elsewhere for long.
  std::uint32_t stuck(PeerId node) const;
  /// A node with its input has the task, or it has its result. Requires that it does not wait.
  void forget_misses(std::uint32_t task) { misses_.erase(task); }
  /// The next task with its input at the node that `may(task)` is true of, of those that were never
  /// named before; empty if there is none. What `may` refuses is not named again: the order of the
  /// group comes to it, too.
  template <typename May>
  std::optional<std::uint32_t> next(PeerId node, May&& may) {
    Node* const at = find(node);
    if (at == nullptr) return std::nullopt;
    const bool has_all = tasks_.size() == 1 && is_at(0, node);
    const std::size_t count = has_all ? count_ : at->tasks.size();
    while (at->next < count) {
      const std::size_t i = at->next++;
      const std::uint32_t task = has_all ? static_cast<std::uint32_t>(i) : at->tasks[i];
      if (may(task)) return task;
    }
    return std::nullopt;
  }

 private:
  const GroupInputs::Set& set_of(std::uint32_t task) const {
    return sets_[tasks_.size() == 1 ? tasks_[0] : tasks_[task]];
  }
  Node* find(PeerId node);
  const Node* find(PeerId node) const;

  std::uint32_t count_ = 0;
  std::vector<Node> nodes_;
  std::vector<GroupInputs::Set> sets_;  ///< Into nodes_; without those that are not known.
  std::vector<std::uint32_t> tasks_;    ///< The set of each task, or of all.
  LoanMisses misses_;
};

}  // namespace dunlin::sched
