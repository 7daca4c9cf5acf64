// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "node/control/agent_ports.h"
#include "node/control/use/job_figures.h"
#include "overlay/result.h"
#include "overlay/time.h"
#include "sched/frontend/job_view.h"
#include "sched/job.h"
#include "sched/message.h"

namespace dunlin::node {

/// The figures of the jobs that people asked about last.
///
/// A job may have a million results, and to read them all takes seconds, in which the node would
/// be down. So they are read once, in pieces between turns, and from then on the figures follow
/// the job: each result that is recorded here is added. The book follows a job from its first
/// result on, and need not read it; it reads one again after its home has changed or a task of it
/// got a second result. However many clients ask, it reads one large job at a time, a piece each
/// few milliseconds.
class FigureBook {
 public:
  static constexpr std::size_t kJobsMax = 32;
  /// So many rows are read in a piece: some 2 ms.
  static constexpr std::uint32_t kPiece = 400;
  /// From one piece to the next: the loop has other users.
  static constexpr overlay::Duration kPause = std::chrono::milliseconds(3);
  /// A job that is being read, and that no client asked for so long, makes way for another.
  static constexpr overlay::Duration kPatience = std::chrono::milliseconds(100);

  /// A result of a job that this node has driven since `epoch` was recorded. Its frontend may know
  /// of it already, or not yet.
  void on_result(const sched::JobView& job, std::uint32_t epoch, const sched::Report& report);
  /// A result of the job was taken back: its task is to run again.
  void on_retry(const sched::JobId& id);

  /// Reads a piece of what is not known yet of a job. True once all of it is there; else ask again
  /// after kPause. Requires, at its first call, that all results that its frontend knows are on
  /// disk. Fails as TaskHistory::results() does.
  Result<bool> read(
      TaskHistory& history, const sched::JobView& job, std::uint32_t epoch, overlay::Time now);
  /// The figures of the job for which read() was true just now.
  const JobFigures& last() const { return entries_.front().figures; }

 private:
  struct Entry {
    sched::JobId id;
    std::uint32_t epoch = 0;
    std::int64_t submitted_at = 0;
    std::uint32_t next = 0;   ///< Results of tasks below are known, but those not recorded yet.
    bool whole = false;       ///< All have been read: only new ones come.
    std::vector<bool> known;  ///< By task, the results that are in the figures.
    JobFigures figures;

    /// False if that task had a result before.
    bool add(const sched::Report& report);
  };
  using Entries = std::list<Entry>;

  Entries::iterator find(const sched::JobId& id);
  /// Makes an entry, the first; if there are too many the last one goes.
  Entry& make(const sched::JobView& job, std::uint32_t epoch);

  /// True if a piece of that job may be read now.
  bool may_read(const sched::JobId& id, overlay::Time now);

  Entries entries_;                        ///< The one that was asked for last is the first.
  std::optional<sched::JobId> reading_{};  ///< The large job that is being read, ...
  overlay::Time asked_at_{};               ///< ... when a client last asked for it, ...
  overlay::Time next_piece_{};             ///< ... and when its next piece may be read.
};

}  // namespace dunlin::node
