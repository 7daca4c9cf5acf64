// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sim/measure/recorder.h"

namespace dunlin::sim {

/// What became of the deadlines of the measured jobs. A job is late by what its response is over
/// its deadline. One that has not finished by the end of the run is late by what has passed until
/// then: see Recorder::unfinished().
struct Lateness {
  std::uint64_t jobs = 0;       ///< Those with a deadline.
  std::uint64_t missed = 0;     ///< Late at all ...
  std::uint64_t missed_1s = 0;  ///< ... and by more than a second.
  double mean_s = 0;            ///< Of all of them; 0 for those in time.
  double max_s = 0;
  /// The sum of priority × seconds late: total weighted tardiness. Source: Lin 2014, section
  /// 6.3.2.
  double penalty = 0;
};

/// `ended` is the end of the run.
Lateness lateness_of(const Recorder& recorder, Time ended);

}  // namespace dunlin::sim
