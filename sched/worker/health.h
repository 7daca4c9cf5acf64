// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sched/kernel.h"
#include "sched/message.h"
#include "sched/worker/params.h"

namespace dunlin::sched {

/// The judges of a node's health. The node is well while all find it so.
enum class HealthJudge : std::uint8_t {
  starts,     ///< Starts of tasks, and trials.
  operators,  ///< The operator's health command; a driver runs it.
  disk        ///< The room for records and output of tasks; a driver measures it.
};

/// The health of a node, as its own worker knows it: starts that fail in a row make it sick, a
/// trial that works makes it well. The operator's health command and the disk judge beside that.
class Health {
 public:
  /// `params` outlives this.
  explicit Health(const WorkerParams& params) : params_(params) {}

  bool sick() const { return !reason().empty(); }
  /// Why the node is sick, for people; empty while it is well.
  std::string reason() const;

  /// An attempt of a task ended here.
  void on_end(Time now, const Report& report);
  /// The verdict of a judge: why the node is sick, or empty. That of `starts` is a trial's end.
  void on_verdict(Time now, HealthJudge judge, std::string_view why);
  /// True if a trial is due; it runs from now on.
  bool take_trial(Time now);
  /// The time of the next trial; kNever if none is called for.
  Time next_trial() const { return next_trial_; }

 private:
  const WorkerParams& params_;
  std::string starts_;
  std::string operators_;
  std::string disk_;
  std::uint32_t failed_starts_ = 0;  ///< In a row.
  Time next_trial_ = kNever;
};

}  // namespace dunlin::sched
