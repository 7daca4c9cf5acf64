// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "overlay/observer.h"
#include "sched/kernel.h"
#include "sched/logs/message.h"

// The events of logs of jobs, as values; see overlay/observer.h.
namespace dunlin::sched {

/// This node drives the jobs of a log from now on.
struct LogTaken {
  static constexpr std::string_view kName = "log_taken";
  static constexpr overlay::Level kLevel = overlay::Level::info;
  std::uint64_t log;
  PeerId origin;
  std::uint32_t epoch;
  std::uint32_t jobs;
};

/// Another node drives the jobs of a log that this one drove.
struct LogLost {
  static constexpr std::string_view kName = "log_lost";
  static constexpr overlay::Level kLevel = overlay::Level::warn;
  std::uint64_t log;
  PeerId origin;
  std::uint32_t epoch;
};

/// This node has a copy of a log that no node will drive by itself: an administrator may go on with
/// it here.
struct LogOrphaned {
  static constexpr std::string_view kName = "log_orphaned";
  static constexpr overlay::Level kLevel = overlay::Level::error;
  std::uint64_t log;
  PeerId origin;
  PeerId home;
  std::uint32_t jobs;
  std::uint32_t last;  ///< The highest of their numbers.
  OrphanCause cause;
  std::string_view cure;
};

}  // namespace dunlin::sched
