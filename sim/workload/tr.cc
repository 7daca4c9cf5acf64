// SPDX-License-Identifier: MIT
#include "sim/workload/tr.h"

#include "config/text.h"
#include "sim/fields.h"

namespace dunlin::sim {

Result<void> TrFormat::read(std::string_view line, std::vector<TraceJob>& jobs) {
  const auto submit = cut_word(line);
  if (submit.empty()) return {};
  const auto at = seconds_in(submit);
  const auto tasks = count_in(cut_word(line), 1'000'000);
  const auto mean = seconds_in(cut_word(line));
  if (!at || !tasks || !mean) {
    return failure(ErrorKind::corrupt, "expected: submit_s tasks mean_s, then a duration per task");
  }
  TraceJob job{.at = *at, .tasks = static_cast<std::uint32_t>(*tasks), .mean = *mean};
  for (auto word = cut_word(line); !word.empty(); word = cut_word(line)) {
    const auto duration = seconds_in(word);
    if (!duration) {
      return failure(
          ErrorKind::corrupt, "'" + config::shortened(word, 40) + "' is no duration in seconds");
    }
    job.durations.push_back(*duration);
  }
  if (job.durations.size() != job.tasks) {
    return failure(ErrorKind::corrupt,
        std::to_string(job.tasks) + " tasks declared, " + std::to_string(job.durations.size()) +
            " durations given");
  }
  if (job.tasks > 0) jobs.push_back(std::move(job));
  return {};
}

}  // namespace dunlin::sim
