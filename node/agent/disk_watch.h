// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "node/agent/agent_parts.h"
#include "node/agent/disk_room.h"
#include "node/task/output/output.h"

namespace dunlin::node {

/// Makes the node sick while there is no room on its disk for records and for the output of tasks,
/// and well again by itself. A full node would look idle and fail each task that prints something.
/// Output goes first: it never takes the room that makes a node sick.
class DiskWatch {
 public:
  /// `parts` must outlive this, and be open when it looks.
  explicit DiskWatch(AgentParts& parts) : parts_(parts) {}

  /// Looks at the disk; call it about once a second.
  void look();
  /// Tasks ended here. If one could not write, the next ones must not come before the node is sick.
  void on_ends(std::span<const sched::Exit> exits);

 private:
  /// Has output keep within its limits, and within what its disk can spare.
  void bound_output();
  /// What its disk lacks.
  Shortage shortage() const;
  /// Why the node is sick, as the disk says it.
  std::string trouble() const;
  /// A write that fails for another reason than those that can be measured, as a quota: tries one.
  std::string failed_write() const;

  AgentParts& parts_;
  /// Why the node is sick; empty while it is well.
  std::string told_;
  std::string failed_;  ///< What a task or the store could not write.
  overlay::Time next_try_{};
  /// Of kept output; with more the disk is looked at at once. What runs may take as much.
  std::uint64_t bytes_max_ = 0;
  OutputStore::Swept given_up_{};  ///< Not told yet.
  overlay::Time tell_again_{};
  overlay::Time free_at_{};  ///< What was given up last counts as free then, at the latest.
};

}  // namespace dunlin::node
