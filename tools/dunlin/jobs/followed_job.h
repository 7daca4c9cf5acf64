// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>

#include "tools/dunlin/connection/live_output.h"
#include "tools/dunlin/jobs/selectors.h"

namespace dunlin::cli {

/// The streams of tasks that a user wants to see.
struct WantedOutput {
  bool out = true;
  bool err = true;
};

/// Follows the output of tasks of one job: those that run, those that start, and those that have
/// ended.
class FollowedJob {
 public:
  /// Of the tasks that `selector` includes. `output` must outlive it.
  FollowedJob(LiveOutput& output, TaskSelector selector, const WantedOutput& wanted)
      : output_(output),
        selector_(std::move(selector)),
        wanted_(wanted) {}

  /// Takes a reply to `watch` with `running`.
  Result<void> take(const Json& told);

 private:
  /// `ended`: its result, which may say that a stream is empty.
  Result<void> add(std::uint32_t index, std::uint32_t attempt, const Json* ended);

  LiveOutput& output_;
  TaskSelector selector_;
  WantedOutput wanted_;
  std::map<std::uint32_t, std::uint32_t> followed_;  ///< Attempts that are not known to have ended.
  std::map<std::uint32_t, std::uint32_t> ended_;     ///< Those that are.
};

}  // namespace dunlin::cli
