// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/work.h"

namespace dunlin::sched {

/// The word of a frontend rests on a log up to there: see PeerLogs::promise().
struct Promise {
  std::uint64_t log = 0;    ///< 0: on no log, so it may be told.
  std::uint32_t epoch = 0;  ///< Of the office in which it was given: another has other batches.
  std::uint64_t position = 0;
  JobId submit{};  ///< If it has a number: this job's submit must have been told before.
};

}  // namespace dunlin::sched
