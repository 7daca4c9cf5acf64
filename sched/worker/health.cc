// SPDX-License-Identifier: MIT
#include "sched/worker/health.h"

#include <algorithm>

// A node that cannot start tasks refuses each within milliseconds. So it looks idle, and draws the
// tasks of the whole cluster to fail them. Such a node must notice by itself: two starts in a row
// that failed by its own fault make it sick. One may be bad luck, and many would be paid for by
// tasks. A sick node gets no task by which it could see that all is well again, so it tries one of
// its own every few seconds.
namespace dunlin::sched {
namespace {

/// Failed starts in a row that make a node sick.
constexpr std::uint32_t kFailedStartsMax = 2;

/// `text` as far as it fits a node's facts.
std::string fitting(std::string_view text) {
  return std::string(text.substr(0, Facts::kSickMax));
}

}  // namespace

std::string Health::reason() const {
  std::string all;
  for (const std::string* const why : {&operators_, &disk_, &starts_}) {
    if (!why->empty()) all += (all.empty() ? "" : "; ") + *why;
  }
  return fitting(all);
}

void Health::on_end(Time now, const Report& report) {
  // A task that was lost had started, so it says nothing about starts.
  if (report.cause == Cause::lost) return;
  const bool failed = report.outcome == Outcome::spawn_failed && report.cause == Cause::start;
  failed_starts_ = failed ? failed_starts_ + 1 : 0;
  if (failed_starts_ < kFailedStartsMax || !starts_.empty()) return;
  starts_ =
      fitting("tasks cannot start: " + (report.detail.empty() ? "no reason told" : report.detail));
  next_trial_ = now + params_.trial_period;
}

void Health::on_verdict(Time now, HealthJudge judge, std::string_view why) {
  if (judge != HealthJudge::starts) {
    (judge == HealthJudge::disk ? disk_ : operators_) = fitting(why);
    return;
  }
  if (starts_.empty()) return;  // It was not asked for.
  failed_starts_ = 0;
  starts_ = why.empty() ? "" : fitting("tasks cannot start: " + std::string(why));
  next_trial_ = why.empty() ? kNever : now + params_.trial_period;
}

bool Health::take_trial(Time now) {
  if (now < next_trial_) return false;
  next_trial_ = kNever;  // Until this one has ended.
  return true;
}

}  // namespace dunlin::sched
