// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sched/message.h"

namespace dunlin::sched {

/// Numbers jobs from 0 as they come. A queue of a thousand reservations is numbered for each task
/// that starts, so this is a plain table of open addresses; it is never walked.
class JobIndex {
 public:
  /// For at most `jobs_max` jobs.
  explicit JobIndex(std::size_t jobs_max) {
    std::size_t size = 4;
    while (size < 2 * jobs_max) size *= 2;
    slots_.resize(size, kNone);
  }

  /// The number of the job, which is numbered if it is new. Requires fewer than `jobs_max` before.
  std::uint32_t add(const JobId& job) {
    std::uint32_t& slot = slots_[slot_of(job)];
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(jobs_.size());
      jobs_.push_back(job);
    }
    return slot;
  }
  /// The number of the job; empty if it has none.
  std::optional<std::uint32_t> find(const JobId& job) const {
    const std::uint32_t number = slots_[slot_of(job)];
    if (number == kNone) return std::nullopt;
    return number;
  }
  std::size_t size() const { return jobs_.size(); }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// The slot that has the job, or the empty one where it belongs.
  std::size_t slot_of(const JobId& job) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    const std::uint64_t mixed = ((job.home.value ^ job.lineage) * kOdd + job.number) * kOdd;
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(mixed >> 32) & mask;
    while (slots_[slot] != kNone && jobs_[slots_[slot]] != job) slot = (slot + 1) & mask;
    return slot;
  }

  std::vector<std::uint32_t> slots_;
  std::vector<JobId> jobs_;
};

}  // namespace dunlin::sched
