// SPDX-License-Identifier: MIT
#include "sim/measure/lateness.h"

#include <algorithm>

#include "sim/measure/units.h"

namespace dunlin::sim {

Lateness lateness_of(const Recorder& recorder, Time ended) {
  Lateness lateness;
  double sum = 0;
  recorder.for_each_job([&](const JobRecord& job) {
    if (!job.facts.deadline) return;
    ++lateness.jobs;
    // An unfinished job is at least so late: left out, the worst ones would be missing.
    const Duration response = job.finished.value_or(ended) - job.submitted;
    const double late = in_seconds(response - *job.facts.deadline);
    if (late <= 0) return;
    ++lateness.missed;
    if (late > 1) ++lateness.missed_1s;
    sum += late;
    lateness.max_s = std::max(lateness.max_s, late);
    lateness.penalty += job.facts.priority * late;
  });
  if (lateness.jobs > 0) lateness.mean_s = sum / static_cast<double>(lateness.jobs);
  return lateness;
}

}  // namespace dunlin::sim
