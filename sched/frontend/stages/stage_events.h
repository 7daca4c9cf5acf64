// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "overlay/observer.h"
#include "sched/message.h"

// The events of a frontend with jobs of several stages; see sched/observer.h.
namespace dunlin::sched {

/// The stages that a group of a job waited for have ended.
struct StageSettled {
  static constexpr std::string_view kName = "stage_settled";
  static constexpr overlay::Level kLevel = overlay::Level::info;
  JobId job;
  std::string group;
  bool met;  ///< All their tasks succeeded, and it may start; else its tasks are cancelled.
};

}  // namespace dunlin::sched
