// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "overlay/observer.h"
#include "sched/message.h"

// The events of a frontend that launches tasks by a view of the cluster; see sched/observer.h.
namespace dunlin::sched {

/// A frontend sent a task to a local master, or straight to the node, to start it there.
struct TaskLaunched {
  static constexpr std::string_view kName = "task_launched";
  static constexpr overlay::Level kLevel = overlay::Level::debug;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
  PeerId node;
};

/// A local master refused to start a task where its frontend took a node for free. It waits again.
struct LaunchRefused {
  static constexpr std::string_view kName = "launch_refused";
  static constexpr overlay::Level kLevel = overlay::Level::debug;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
};

/// A frontend has no room for a task of a class below its share, and asks the local master of that
/// cell to have tasks of another class stopped for it.
struct PreemptionAsked {
  static constexpr std::string_view kName = "preemption_asked";
  static constexpr overlay::Level kLevel = overlay::Level::debug;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
  CellId cell;
};

/// All tasks of a group that are to start together have room, and were handed out.
struct GangStarted {
  static constexpr std::string_view kName = "gang_started";
  static constexpr overlay::Level kLevel = overlay::Level::info;
  JobId job;
  std::uint32_t group;
  std::uint32_t tasks;
};

}  // namespace dunlin::sched
