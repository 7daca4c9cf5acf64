// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tools/dunlin/connection/output_stream.h"
#include "tools/dunlin/connection/wake_set.h"
#include "tools/dunlin/globals.h"
#include "tools/dunlin/jobs/task_feed.h"
#include "tools/dunlin/screen/interrupts.h"
#include "tools/dunlin/screen/progress.h"

namespace dunlin::cli {

/// The end of a job, as `run` reports it.
struct JobEnding {
  Json summary;                ///< Summary of the control protocol.
  std::optional<Json> failed;  ///< The failed Task with the lowest index, of those known.
  bool cancelled = false;      ///< By Ctrl-C, here.
  /// The job was cancelled because the task could not get all of its input.
  std::optional<Error> starved;
};

/// Waits for a job until it has ended: prints the output of its tasks and its progress, and says
/// why it waits. The first Ctrl-C cancels the job.
class JobWatch {
 public:
  JobWatch(Connection& agent, std::uint32_t job, const Globals& globals, bool quiet);

  /// Each line of output begins with the number of its task.
  void label_lines() { output_.label_lines(); }
  /// The only task reads what `from` gives, until its end. `terminal`: it has a terminal, shown at
  /// ours. Before follow().
  void feed_from(int from, bool terminal);
  /// `live`: the job has a single task, and its output is printed as it comes.
  Result<JobEnding> follow(bool live);

 private:
  Result<void> take(const Reply& reply);
  void take_progress(const Json& summary);
  Result<void> take_finished(const Json& tasks);
  Result<void> interrupt();
  Result<void> cancel();
  /// The next reply, if one comes before there is something else to do.
  Result<void> step();

  Connection& agent_;
  std::uint32_t job_;
  std::string label_;
  bool quiet_;
  bool silent_;  // No output of tasks: only the one JSON value.
  bool live_ = false;
  bool shown_ = false;  // What the task writes comes with its terminal.
  Terminal err_;
  Progress progress_;
  Interrupts interrupts_;
  OutputStream output_;
  WakeSet wake_;
  std::optional<TaskFeed> feed_;
  Clock::time_point begun_ = Clock::now();
  bool reason_told_ = false;
  std::uint64_t watch_ = 0;  // The request; 0 when it has ended.
  std::uint64_t cancel_ = 0;
  /// Failed Tasks by index, the lowest kFailedMax of them: a user may have them run again.
  std::map<std::uint32_t, Json> failed_;
  JobEnding ending_;
};

}  // namespace dunlin::cli
