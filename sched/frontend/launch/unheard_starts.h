// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>

#include "sched/frontend/job_table.h"
#include "sched/job.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// The starts that local masters told of, until the workers have had time to speak for themselves.
/// One that a worker does not speak of may be none: it is asked after soon, not when its lease
/// ends.
class UnheardStarts {
 public:
  /// Starts that are kept. Of those before them the leases decide.
  static constexpr std::size_t kMax = 65536;

  /// Workers confirm tasks every `renewed_every`.
  explicit UnheardStarts(Duration renewed_every) : patience_(renewed_every + renewed_every / 4) {}

  /// Someone says that it has started.
  void add(Time now, const JobId& job, const Attempt& task);
  /// Asks the workers of those that have been silent for too long, and will do so again.
  void ask(Turn& turn, const JobTable& jobs);
  /// When to call it next; kNever if there is nothing to ask.
  Time next() const { return starts_.empty() ? kNever : starts_.front().ask_at; }

 private:
  struct Start {
    Time ask_at{};
    JobId job;
    Attempt task;
  };

  Duration patience_;
  std::deque<Start> starts_;  ///< In the order of time.
};

}  // namespace dunlin::sched
