// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <uv.h>

#include "node/task/trash.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The places of this node's running tasks: each has a small number, which names its cgroup and its
/// live output, and a scratch directory.
class TaskSlots {
 public:
  /// `directory`, which exists, holds the scratch directories. The slots `taken` are those of tasks
  /// of earlier incarnations that run. What others left in scratch is deleted in the background;
  /// `on_error` is told what cannot be.
  TaskSlots(uv_loop_t& loop,
      std::string directory,
      const std::set<std::uint32_t>& taken,
      const Trash::OnError& on_error);

  std::uint32_t take();
  std::string scratch_path(std::uint32_t slot) const;
  /// The file for the script of the slot's task. The warden makes it, and release() removes it.
  std::string script_path(std::uint32_t slot);
  /// A new directory for a task of another user, who does not get into this agent's: the warden
  /// makes it. Nobody can know the name before, since others may write where it is.
  static std::string own_path();
  /// Makes the scratch directory of a slot.
  Result<void> make_scratch(std::uint32_t slot) const;
  /// Lets the next task have the slot. Its script goes. If it has `scratch`, what the task left
  /// there is moved away, and deleted in the background; an error names the directory.
  Result<void> release(std::uint32_t slot, bool scratch);

 private:
  std::string directory_;
  Trash trash_;
  std::set<std::uint32_t> free_;     ///< The lowest is taken first: it is the warmest.
  std::set<std::uint32_t> scripts_;  ///< Slots of tasks that may have one.
  std::uint32_t count_ = 0;
};

}  // namespace dunlin::node
