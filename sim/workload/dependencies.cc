// SPDX-License-Identifier: MIT
#include "sim/workload/dependencies.h"

#include <utility>

// Each job that waits counts its parents that have not ended; an end lowers the counts of the jobs
// that named it. A trace may name parents that never come or came long ago: ended jobs are
// remembered, and a job whose parent never ends is held for good, which held() tells.
namespace dunlin::sim {

std::optional<Submission> Dependencies::pass(Submission submission) {
  // A parent that is named twice is counted twice here, and twice when it ends.
  std::erase_if(submission.parents, [&](std::uint64_t key) { return ended_.contains(key); });
  if (submission.parents.empty()) return submission;
  const std::uint64_t number = next_++;
  const std::size_t parents = submission.parents.size();
  for (const std::uint64_t key : submission.parents) waiting_[key].push_back(number);
  held_.emplace(number, Held{.submission = std::move(submission), .parents = parents});
  return std::nullopt;
}

std::vector<Submission> Dependencies::ended(std::uint64_t key) {
  ended_.insert(key);
  std::vector<Submission> free;
  const auto waiting = waiting_.extract(key);
  if (waiting.empty()) return free;
  for (const std::uint64_t number : waiting.mapped()) {
    const auto held = held_.find(number);
    if (--held->second.parents > 0) continue;
    free.push_back(std::move(held->second.submission));
    held_.erase(held);
  }
  return free;
}

std::size_t Dependencies::held_of(Time from, Time until) const {
  std::size_t count = 0;
  for (const auto& [number, held] : held_) {
    const auto& arrived = held.submission.facts.arrived;
    if (arrived && from <= *arrived && *arrived < until) ++count;
  }
  return count;
}

}  // namespace dunlin::sim
