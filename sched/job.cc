// SPDX-License-Identifier: MIT
#include "sched/job.h"

#include <numeric>
#include <string_view>

namespace dunlin::sched {

std::string label_of(const JobId& job) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr int kBits = 4;
  std::string text;
  for (int shift = 64 - kBits; shift >= 0; shift -= kBits) {
    text += kDigits[job.home.value >> shift & 15];
  }
  return text + "." + std::to_string(job.number);
}

std::uint32_t Job::task_count() const {
  return std::accumulate(groups.begin(), groups.end(), std::uint32_t{0},
      [](std::uint32_t sum, const TaskGroup& group) { return sum + group.count; });
}

void set_terms(Job& job, const NewTerms& terms) {
  if (terms.deadline) job.deadline = *terms.deadline;
  if (!terms.priority) return;
  for (TaskGroup& group : job.groups) group.priority = *terms.priority;
}

}  // namespace dunlin::sched
