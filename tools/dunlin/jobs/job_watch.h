// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tools/dunlin/connection/output_stream.h"
#include "tools/dunlin/connection/wake_set.h"
#include "tools/dunlin/globals.h"
#include "tools/dunlin/jobs/followed_job.h"
#include "tools/dunlin/jobs/task_feed.h"
#include "tools/dunlin/screen/interrupts.h"
#include "tools/dunlin/screen/progress.h"

namespace dunlin::cli {

/// The end of a job, as `run` reports it.
struct JobEnding {
  Json summary;                ///< Summary of the control protocol.
  std::optional<Json> failed;  ///< The failed Task with the lowest index, of those known.
  int signal = 0;              ///< The user left by this one (Ctrl-C: SIGINT); 0: no.
  bool goes_on = false;        ///< The user left, and the job was told to go on.
  /// The job was cancelled because the task could not get all of its input.
  std::optional<Error> starved;
};

/// Waits for a job until it has ended: prints the output of its tasks and its progress, and says
/// why it waits. The first Ctrl-C, SIGTERM or SIGHUP cancels the job. An agent that goes away is
/// waited for, and the watch goes on where it was.
class JobWatch {
 public:
  JobWatch(Connection& agent, std::uint32_t job, const Globals& globals, bool quiet);

  /// Each line of output begins with the number of its task.
  void label_lines();
  /// Output of all tasks is printed while they run, whole lines: none is cut by another's.
  void buffer_lines() { by_line_ = true; }
  /// What texts for pasting call the job: "merlin.12". Its number, unless it is said.
  void call_job(const std::string& name) { name_ = name; }
  /// The job goes on when the user leaves.
  void keep_job() { keep_ = true; }
  /// The only task reads what `from` gives, until its end. `terminal`: it has a terminal, shown at
  /// ours. Before follow().
  void feed_from(int from, bool terminal);
  /// `live`: the job has a single task, and its output is printed as it comes.
  Result<JobEnding> follow(bool live);

 private:
  /// Asks for all that is to be heard of the job.
  Result<void> start();
  /// The agent was lost: goes on with it when it is back.
  Result<void> resume(const Error& why);
  /// Gives a reply to its reader, which its id names.
  Result<void> take(const Reply& reply);
  /// Shows how far the job is, or why it waits.
  void take_progress(const Json& summary);
  /// Notes how tasks ended, and asks for their output.
  Result<void> take_finished(const Json& tasks);
  /// The user wants to leave: once, as a second signal ends the process.
  Result<void> interrupt();
  /// Has the job cancelled, and goes on watching it until it has ended.
  Result<void> cancel();
  /// The job goes on without us.
  void leave(const char* why);
  /// The next reply, if one comes before there is something else to do.
  Result<void> step();
  /// Also after the agent was lost: it tells all that ended once more.
  Result<void> ask_watch();
  /// True if all output that was asked for is printed.
  bool printed() const { return output_.idle() && (!lines_ || lines_->idle()); }

  Connection& agent_;
  std::uint32_t job_;
  std::string label_;
  std::string name_;
  bool quiet_;
  bool silent_;  // No output of tasks: only the one JSON value.
  bool keep_ = false;
  bool live_ = false;
  bool shown_ = false;  // What the task writes comes with its terminal.
  Terminal err_;
  Progress progress_;
  Interrupts interrupts_;
  OutputStream output_;
  bool by_line_ = false;
  bool labelled_ = false;
  std::optional<LiveOutput> lines_;  ///< Only if output comes line by line.
  std::optional<FollowedJob> followed_;
  WakeSet wake_;
  std::optional<TaskFeed> feed_;
  Clock::time_point begun_ = Clock::now();
  bool reason_told_ = false;
  std::uint64_t watch_ = 0;  // The request; 0 when it has ended.
  std::uint64_t cancel_ = 0;
  /// Failed Tasks by index, the lowest kFailedMax of them: a user may have them run again.
  std::map<std::uint32_t, Json> failed_;
  std::map<std::uint32_t, std::uint32_t> told_;  ///< The last attempt of each task that has ended.
  JobEnding ending_;
};

}  // namespace dunlin::cli
