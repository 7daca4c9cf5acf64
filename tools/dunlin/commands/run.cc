// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/connection/wake_set.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/dry_run.h"
#include "tools/dunlin/jobs/job_watch.h"
#include "tools/dunlin/jobs/submission.h"
#include "tools/dunlin/jobs/times/time_limit.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/raw_terminal.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// `run` behaves as the command itself would: its output is the task's, its input may be ours, and
// its status is the task's. Other failures have statuses of their own (tools/dunlin/exit_status.h),
// and a sentence on stderr, because stdout belongs to the task.
//
// Input is given to a task only if that is safe: to a single one, without retries. The input that a
// first attempt has read is gone, and a second one would see the rest.
namespace dunlin::cli {
namespace {

/// "dunlin: task 57 'part-57' of job 11 on merlin: exit 1 after 40 ms (3 of 200 tasks failed:
/// dunlin job kestrel.11)"
void tell_failure(const JobEnding& ending, const Submitted& job) {
  const Json& task = *ending.failed;
  const auto counts = counts_of(member(ending.summary, "counts"));
  // Where it ran and how it ended, and how to see the others: all that a user needs to go on.
  std::string text = "task " + std::to_string(value<std::uint32_t>(task, "index")) +
      entry_text(task) + " of job " + std::to_string(job.number) + " on " +
      value<std::string>(task, "worker_name", "?") + ": " + ending_text(task, outcome_text(task));
  const auto wall = value<std::int64_t>(task, "wall_ns");
  if (wall > 0) text += " after " + span_text(static_cast<double>(wall) / 1e9);
  if (counts.failed > 1) {
    text += " (" + std::to_string(counts.failed) + " of " + count_text(counts.total(), "task") +
        " failed: dunlin job " + job.name + ")";
  }
  std::fprintf(stderr, "dunlin: %s\n", printable(text).c_str());
}

/// ": a job that it waited for did not succeed", of a job that others cancelled; empty if nobody
/// says why.
std::string cancelled_why(const Json& summary) {
  const auto by = value<std::string>(summary, "cancelled_by");
  std::string why = by == "deadline" ? ": its deadline passed"
      : by == "after"                ? ": a job that it waited for did not succeed"
      : by == "user"                 ? ": somebody cancelled it"
                                     : "";
  const auto reason = printable(value<std::string>(summary, "reason"));
  if (reason.empty()) return why;
  return why.empty() ? ": " + reason : why + " (" + reason + ")";
}

/// 128 + the signal by which the user left, or the task's own status; that of the failed task with
/// the lowest index if there are several.
int exit_status_of(const JobEnding& ending) {
  if (ending.signal != 0) return kSignalled + ending.signal;
  if (ending.failed) {
    const int status = status_of(*ending.failed);
    // The command must not succeed where a task failed, whatever status that has.
    return status == 0 ? kFailure : status;
  }
  const auto counts = counts_of(member(ending.summary, "counts"));
  return counts.done == counts.total() ? kSuccess : kFailure;
}

/// True if the user pipes or redirects input into `run`.
bool has_input() {
  // A terminal's input stays the shell's, and /dev/null or an empty file has none to give.
  struct stat input{};
  if (fstat(STDIN_FILENO, &input) != 0) return false;
  return S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode) ||
      (S_ISREG(input.st_mode) && input.st_size > 0);
}

/// True if there is input already, which no task will read.
bool would_lose_input(const JobFlags& flags, const JobRequest& request) {
  // There the input is the list of tasks or the job file, or a file that each task reads.
  const bool is_list = std::ranges::count(request.groups, "-", &GroupRequest::each_line) > 0;
  if (is_list || flags.file == "-" || !flags.stdin_path.empty()) return false;
  return has_input() && is_readable(STDIN_FILENO);
}

/// Says in `request` that its only task reads our stdin, or gets our terminal. Does nothing if it
/// is not to. Fails with `usage` if the user asks for what cannot be.
Result<void> settle_input(const Globals& globals, const RunOptions& options, JobRequest& request) {
  const bool named = options.job.stdin_path == "-";
  GroupRequest& group = request.groups.front();
  const bool single = request.groups.size() == 1 && group.count == 1 && group.array.empty() &&
      group.each_line.empty() && options.job.file != "-";
  if (!options.pty && !named) {
    // One that may run again gets none: what the first attempt has read is gone.
    if (single && group.retries == 0 && group.spec.stdin_path.empty() && has_input()) {
      group.spec.input = node::TaskInput::client;
    }
    return {};
  }
  const std::string flag = options.pty ? "--pty" : "--stdin -";
  if (!single) return failure(ErrorKind::usage, flag + " is for a single task");
  if (group.retries != 0) {
    return failure(
        ErrorKind::usage, flag + " goes without --retries: what a task has read is gone");
  }
  if (options.pty && globals.json) {
    return failure(ErrorKind::usage, "--pty shows what the task does, so it goes without --json");
  }
  if (!options.pty) {
    group.spec.stdin_path.clear();
    group.spec.input = node::TaskInput::client;
    return {};
  }
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    return failure(ErrorKind::usage, "--pty needs a terminal at stdin and stdout");
  }
  group.spec.input = node::TaskInput::terminal;
  const TerminalSize size = size_of_terminal(STDIN_FILENO);
  group.spec.rows = size.rows;
  group.spec.columns = size.columns;
  // The program on the other side must know which terminal it writes to.
  const bool has_term = std::ranges::any_of(
      group.spec.environment, [](const node::Variable& each) { return each.name == "TERM"; });
  const char* const term = std::getenv("TERM");
  if (!has_term && term != nullptr) group.spec.environment.push_back({"TERM", term});
  return {};
}

/// Tells how the job ended. Returns the exit status.
int tell_ending(const Globals& globals, const JobEnding& ending, const Submitted& job) {
  const int status = exit_status_of(ending);
  // The line about it is printed already.
  if (ending.goes_on) return status;
  if (globals.json) {
    Json json = published(ending.summary);
    json["exit_status"] = status;
    if (ending.failed) json["failed"] = published(*ending.failed);
    print_json("dunlin.run/1", json);
  } else if (ending.failed) {
    tell_failure(ending, job);
  } else if (status != kSuccess) {
    const bool failed = counts_of(member(ending.summary, "counts")).failed > 0;
    const std::string why = ending.signal == 0 ? cancelled_why(ending.summary) : "";
    const std::string end = failed ? "has failed" : "was cancelled" + why;
    std::fprintf(stderr, "dunlin: job %u %s\n", job.number, end.c_str());
  }
  return status;
}

}  // namespace

Result<int> run_job(const Globals& globals, const RunOptions& options) {
  const auto here = current_directory();
  if (!here) return tl::unexpected(here.error());
  auto request = job_request(options.job, *here);
  if (!request) return tl::unexpected(request.error());
  if (auto settled = settle_input(globals, options, *request); !settled) {
    return tl::unexpected(settled.error());
  }
  const auto input = request->groups.front().spec.input;
  // Before an agent is looked for: what this end can check, it checks without one.
  if (options.job.dry_run) return show_dry_run(globals, *request);
  const bool unread = input == node::TaskInput::file && would_lose_input(options.job, *request);
  if (unread && !options.quiet) {
    std::fputs(
        "dunlin: only a single task without retries reads this standard input; give tasks a file "
        "with --stdin FILE, or a task for each line of it with --each-line -\n",
        stderr);
  }

  const auto patience = parse_patience(globals.reconnect);
  if (!patience) return tl::unexpected(patience.error());
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto job = submit(*agent, *request, globals.err());
  if (!job) return tl::unexpected(job.error());
  if (!options.quiet) show_warnings(*job);

  // A terminal that waits for an agent would be raw and deaf meanwhile, and no other agent goes on
  // with its input.
  if (!options.pty) agent->be_patient(*patience, globals.err().interactive && !options.quiet);
  JobWatch watch(*agent, job->number, globals, options.quiet);
  watch.call_job(job->name);
  if (options.keep) watch.keep_job();
  // Tasks of --count run the same command, so only the number tells their lines apart; what tasks
  // of --each-line print is read by programs as a rule.
  const bool several = options.job.count > 1 && !options.no_label;
  if (options.label || several) watch.label_lines();
  if (options.line_buffer) watch.buffer_lines();
  if (input != node::TaskInput::file) {
    watch.feed_from(STDIN_FILENO, input == node::TaskInput::terminal);
  }
  // By what the agent counted: lines are counted only when they are sent.
  auto ending = watch.follow(job->tasks == 1);
  if (!ending) {
    Error error = ending.error();
    // The connection broke, not the job: it is safe, and the user must know how to find it.
    error.text += "; job " + std::to_string(job->number) + " goes on (dunlin wait " + job->name +
        "; dunlin logs " + job->name + ")";
    return tl::unexpected(error);
  }
  if (ending->starved) {
    Error error = *ending->starved;
    error.text += "; job " + std::to_string(job->number) + " was cancelled";
    return tl::unexpected(error);
  }
  return tell_ending(globals, *ending, *job);
}

}  // namespace dunlin::cli
