// SPDX-License-Identifier: MIT
#include "sim/workload/swf.h"

#include <algorithm>
#include <array>

#include "config/text.h"
#include "sim/fields.h"

namespace dunlin::sim {
namespace {

// Columns, from 0.
constexpr std::size_t kSubmit = 1;
constexpr std::size_t kRunTime = 3;
constexpr std::size_t kProcessors = 4;
constexpr std::size_t kProcessorsRequested = 7;
constexpr std::size_t kTimeRequested = 8;
constexpr std::size_t kUser = 11;
constexpr std::size_t kColumns = 18;
/// So much of a wrong word is shown: a line of another format may be one word.
constexpr std::size_t kWordShown = 40;
/// Above this a number is no whole one: see the bits of a double.
constexpr double kUserMax = 9e15;

}  // namespace

Result<void> SwfFormat::read(std::string_view line, std::vector<TraceJob>& jobs) {
  std::array<double, kColumns> column{};
  auto word = cut_word(line);
  if (word.empty() || word.front() == ';') return {};
  for (std::size_t i = 0; i < kColumns; ++i, word = cut_word(line)) {
    if (word.empty()) {
      return failure(ErrorKind::corrupt, "expected 18 numbers; there are " + std::to_string(i));
    }
    const auto value = number_in(word);
    if (!value) {
      return failure(ErrorKind::corrupt,
          "expected 18 numbers; column " + std::to_string(i + 1) + " is '" +
              config::shortened(word, kWordShown) + "'");
    }
    column[i] = *value;
  }
  // Logs differ in which of the two they have; what was asked for counts where both are there.
  const double processors =
      column[kProcessorsRequested] > 0 ? column[kProcessorsRequested] : column[kProcessors];
  double run_time = column[kRunTime];
  if (column[kTimeRequested] > 0) run_time = std::min(run_time, column[kTimeRequested]);
  // It never ran, or the log does not know for how long or on what.
  if (run_time <= 0 || processors < 1) return {};
  if (column[kSubmit] < 0 || column[kSubmit] > kSecondsMax || run_time > kSecondsMax ||
      processors > 1e6) {
    return failure(ErrorKind::corrupt, "a submit time, run time or size beyond all reason");
  }
  TraceJob job{.at = Duration{std::llround(column[kSubmit] * 1e9)},
      .tasks = static_cast<std::uint32_t>(processors),
      .durations = {Duration{std::llround(run_time * 1e9)}}};
  if (column[kUser] >= 0 && column[kUser] <= kUserMax) {
    job.user = static_cast<std::uint64_t>(column[kUser]);
  }
  jobs.push_back(std::move(job));
  return {};
}

}  // namespace dunlin::sim
