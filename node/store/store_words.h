// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

#include "sched/job.h"
#include "sched/message.h"
#include "sched/task.h"

// The forms of values in the columns of the store.
namespace dunlin::node {

/// The outcome of an attempt with a lost worker.
inline constexpr std::string_view kLost = "lost";

/// All 16 digits, so that ids have one length and sort as text as they do as numbers.
inline std::string hex(sched::PeerId id) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, id.value, 16).ptr;
  const std::string text(digits, end);
  return std::string(sizeof digits - text.size(), '0') + text;
}

/// A text that is no number gives 0, the id of no node: damage is found by checksums, not here.
inline std::uint64_t from_hex(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

/// The outcome of an attempt that its node is at fault for: it was not started, or lost while it
/// ran.
inline constexpr std::string_view kNotStarted = "not_started";
inline constexpr std::string_view kInterrupted = "interrupted";

/// The outcome of a reported attempt, and whose fault it was, in one word.
inline std::string_view word_of(const sched::Report& report) {
  if (sched::is_node_fault(report)) {
    return report.cause == sched::Cause::lost ? kInterrupted : kNotStarted;
  }
  return sched::word_of(report.outcome);
}

inline sched::Cause cause_of(std::string_view word) {
  if (word == kNotStarted) return sched::Cause::start;
  return word == kInterrupted ? sched::Cause::lost : sched::Cause::task;
}

/// An unknown word, of a later version, is taken for an exit: its status stands beside it.
inline sched::Outcome outcome_of(std::string_view word) {
  if (cause_of(word) != sched::Cause::task) return sched::Outcome::spawn_failed;
  const auto* const found = std::ranges::find(sched::kOutcomeWords, word);
  if (found == std::end(sched::kOutcomeWords)) return sched::Outcome::exited;
  return static_cast<sched::Outcome>(found - std::begin(sched::kOutcomeWords));
}

/// The column `cancelled` of a job: 0 if it was not, 1 if by a user.
inline constexpr std::int64_t kCancelledByDeadline = 2;
inline constexpr std::int64_t kCancelledByAfter = 3;
/// Added to it if the records of its tasks are gone, so that an older Dunlin, which finds none of
/// them, takes these for cancelled and runs none again.
inline constexpr std::int64_t kPruned = 8;

inline std::int64_t cancelled_number(const sched::JobProgress& progress) {
  const std::int64_t pruned = progress.ended && progress.ended->pruned ? kPruned : 0;
  if (!progress.cancelled) return pruned;
  if (progress.cancelled_by == sched::CancelledBy::after) return pruned + kCancelledByAfter;
  return pruned +
      (progress.cancelled_by == sched::CancelledBy::deadline ? kCancelledByDeadline : 1);
}

/// Reads it back.
inline void read_cancelled(std::int64_t number, sched::JobProgress& progress) {
  const std::int64_t by = number % kPruned;
  progress.cancelled = by != 0;
  if (by == kCancelledByDeadline) progress.cancelled_by = sched::CancelledBy::deadline;
  if (by == kCancelledByAfter) progress.cancelled_by = sched::CancelledBy::after;
}

template <typename T>
T narrow(std::int64_t value) {
  return static_cast<T>(std::clamp<std::int64_t>(
      value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

}  // namespace dunlin::node
