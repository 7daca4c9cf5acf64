// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <variant>

#include "sched/turn.h"

namespace dunlin::sched {

/// An attempt ended: see Store::put_report.
struct ReportRecord {
  Report report;
  PeerId worker;
  bool final = false;  ///< It is the task's one result; else the task is attempted again.
};

/// The result of a task that was stopped on request.
inline ReportRecord killed(const Attempt& attempt, PeerId worker) {
  return {
      .report = {.index = attempt.index, .attempt = attempt.attempt, .outcome = Outcome::killed},
      .worker = worker,
      .final = true};
}

/// What a task read came from a client, and its attempt came to nothing: see TaskGroup::once.
inline constexpr const char* kInputGone =
    "what a client gave it to read was lost with the attempt, and cannot be read again";

/// Why a task whose job runs none twice has no other attempt.
inline constexpr const char* kNeverTwice = "as its user said, no task of the job runs twice";

/// Makes the report of an attempt that came to nothing the end of its task.
inline void end_as_lost(Report& report) {
  const std::string why = report.detail.empty() ? "" : report.detail + "; ";
  report.detail = (why + kNeverTwice).substr(0, Report::kDetailMax);
  report.outcome = Outcome::lost;
  report.status = 0;
}

/// The result of a task of such a job, of whose attempt nothing is known.
inline ReportRecord lost_for_good(const Attempt& attempt, PeerId worker) {
  ReportRecord record = killed(attempt, worker);
  end_as_lost(record.report);
  return record;
}

/// An attempt came to nothing, and no worker reported how: see Store::put_loss.
struct LossRecord {
  Attempt attempt;
  PeerId worker;
};

/// The user has a task run again that had its result: see Store::put_retry.
struct RetryRecord {
  Attempt last;  ///< The highest attempt that was made of it.
};

/// A change of one task that must survive a restart.
using TaskRecord = std::variant<ReportRecord, LossRecord, RetryRecord>;

inline void put(Store& store, const JobId& job, const ReportRecord& record) {
  store.put_report(job, record.report, record.worker, record.final);
}
inline void put(Store& store, const JobId& job, const LossRecord& record) {
  store.put_loss(job, record.attempt, record.worker);
}
inline void put(Store& store, const JobId& job, const RetryRecord& record) {
  store.put_retry(job, record.last);
}
inline void put(Store& store, const JobId& job, const TaskRecord& record) {
  std::visit([&](const auto& kind) { put(store, job, kind); }, record);
}

}  // namespace dunlin::sched
