// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "node/control/control_protocol.h"
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/connection/live_output.h"
#include "tools/dunlin/connection/output_stream.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/followed_job.h"
#include "tools/dunlin/jobs/job_choice.h"
#include "tools/dunlin/jobs/task_list.h"
#include "tools/dunlin/jobs/times/time_limit.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// Three ways to print output: all that there is of some tasks; one task as it writes, byte by byte;
// many tasks as they write (or one, with --line-buffer), line by line, so that lines of two are not
// mixed. The agent at hand brings the output from wherever it lies.
namespace dunlin::cli {
namespace {

/// Takes replies until everything asked for is printed.
Result<void> drain_output(Connection& agent, OutputStream& output) {
  while (!output.idle()) {
    const auto reply = agent.next();
    if (!reply) return tl::unexpected(reply.error());
    if (auto taken = output.take(*reply); !taken) return tl::unexpected(taken.error());
  }
  return {};
}

struct Wanted {
  std::uint32_t task = 0;
  bool out = false;
  bool err = false;
  std::string node;  ///< The name of the node that has it.
};

/// The streams to print, and whether more may be written.
struct WantedStreams {
  std::vector<Wanted> streams;
  bool ended = true;  ///< All of the tasks that the user named.
};

/// The streams that hold output, or still may. Fails with `not_found` if the job has none of the
/// tasks that the user named.
Result<WantedStreams> wanted_streams(Connection& agent,
    const JobRef& job,
    const TaskSelector& selector,
    const LogsOptions& options) {
  WantedStreams wanted;
  std::size_t tasks = 0;
  bool attempted = options.attempt == 0;  // Some task has had that attempt.
  const auto walked = for_each_task(agent, job, selector, "", [&](const Json& task) {
    ++tasks;
    const auto state = value<std::string>(task, "state");
    wanted.ended = wanted.ended && (state == "done" || state == "failed" || state == "cancelled");
    // It has not had so many: another task may.
    if (value<std::uint32_t>(task, "attempt") < options.attempt) return true;
    attempted = true;
    // Sizes in the list are of the last attempt: of any other, and of a task that runs, it must be
    // asked.
    const bool running = options.attempt != 0 || state == "running" || state == "cancelling";
    const auto holds = [&](const char* bytes, bool other) {
      return !other && (running || value<std::uint64_t>(task, bytes) != 0);
    };
    const Wanted each{.task = value<std::uint32_t>(task, "index"),
        .out = holds("out_bytes", options.err),
        .err = holds("err_bytes", options.out),
        // The node of a task that runs may change, and another node then has the output.
        .node = running ? "" : value<std::string>(task, "worker_name")};
    if (each.out || each.err) wanted.streams.push_back(each);
    // No job has more tasks than that: it only ends the walk.
    return wanted.streams.size() < node::kSubmitTasksMax;
  });
  if (!walked) return tl::unexpected(walked.error());
  if (tasks == 0) {
    return failure(ErrorKind::not_found,
        "job " + job.label + " has no such task; its tasks: dunlin job " + pasted_name(agent, job) +
            " --tasks");
  }
  if (!attempted) {
    return failure(ErrorKind::not_found,
        "no task named of job " + job.label + " has had an attempt " +
            std::to_string(options.attempt) + "; those there were: dunlin job " +
            pasted_name(agent, job) + " --attempts");
  }
  return wanted;
}

Result<void> print_tasks(Connection& agent,
    const JobRef& job,
    const TaskSelector& selector,
    const LogsOptions& options,
    OutputStream& output) {
  const auto wanted = wanted_streams(agent, job, selector, options);
  if (!wanted) return tl::unexpected(wanted.error());
  if (wanted->streams.empty()) {
    std::fprintf(stderr, "dunlin: nothing was written%s\n", wanted->ended ? "" : " so far");
  }
  for (const Wanted& each : wanted->streams) {
    for (const bool err : {false, true}) {
      if (!(err ? each.err : each.out)) continue;
      auto asked = output.add({.task = each.task, .err = err, .live = false, .node = each.node});
      if (!asked) return asked;
    }
  }
  return drain_output(agent, output);
}

/// False if an option leaves that stream out.
bool wants(const LogsOptions& options, bool err) {
  return err ? !options.out : !options.err;
}

/// A request `watch` that is under way.
struct Watch {
  Json request;
  Reply first;
  std::string label;  ///< The user's word for the job.
};

/// Says once why there is nothing to follow, if none of the job's tasks runs for two seconds.
class Silence {
 public:
  explicit Silence(std::string label) : label_(std::move(label)) {}

  /// `told` comes several times a second.
  void look(const Json& told) {
    const Json& job = member(told, "progress");
    const TaskCounts counts = counts_of(member(job, "counts"));
    const auto reason = printable(value<std::string>(job, "reason"));
    const bool waits = counts.running == 0 && counts.waiting != 0 && !reason.empty();
    if (!waits) begun_ = Clock::now();
    if (told_ || !waits || Clock::now() - begun_ < kBorne) return;
    told_ = true;
    std::fprintf(stderr, "dunlin: job %s waits: %s\n", label_.c_str(), reason.c_str());
  }

 private:
  static constexpr std::chrono::seconds kBorne{2};
  std::string label_;
  Clock::time_point begun_ = Clock::now();  ///< Or the last time that a task ran.
  bool told_ = false;
};

/// Asks an agent anew that went away and is back. Fails with `why` if it does not come back.
Result<std::uint64_t> watch_again(Connection& agent, const Error& why, Json request) {
  if (auto back = agent.come_back(why); !back) return tl::unexpected(back.error());
  return agent.start("watch", std::move(request));
}

/// Prints what one task writes as it comes, byte by byte, until the job has ended.
Result<void> follow_one(Connection& agent,
    const Watch& under_way,
    std::uint32_t task,
    const LogsOptions& options,
    OutputStream& output) {
  for (const bool err : {false, true}) {
    if (!wants(options, err)) continue;
    auto asked = output.add({.task = task, .err = err, .live = true, .node = ""});
    if (!asked) return asked;
  }
  // The watch tells when the job has ended, and by then the output may not be all here.
  Silence silence(under_way.label);
  std::uint64_t watch = under_way.first.id;
  bool watching = !under_way.first.end;
  while (watching || !output.idle()) {
    auto next = agent.next();
    if (!next && agent.lost()) {
      const auto again = watch_again(agent, next.error(), under_way.request);
      if (!again) return tl::unexpected(again.error());
      watch = *again;
      watching = true;
      if (auto resumed = output.resume(); !resumed) return resumed;
      continue;
    }
    if (!next) return tl::unexpected(next.error());
    if (next->id != watch) {
      if (auto taken = output.take(*next); !taken) return tl::unexpected(taken.error());
    } else if (next->error) {
      return tl::unexpected(*next->error);
    } else {
      silence.look(next->ok);
      if (next->end) watching = false;
    }
  }
  return {};
}

/// Prints what many tasks write, line by line, until the job has ended.
Result<void> follow_many(Connection& agent,
    Watch under_way,
    const TaskSelector& selector,
    const LogsOptions& options,
    LiveOutput& output) {
  FollowedJob job(output, selector, {.out = wants(options, false), .err = wants(options, true)});
  Silence silence(under_way.label);
  Reply reply = std::move(under_way.first);
  std::uint64_t watch = reply.id;
  bool watching = true;
  while (true) {
    const auto now = Clock::now();
    if (reply.id == watch && watching) {
      if (reply.error) return tl::unexpected(*reply.error);
      if (auto taken = job.take(reply.ok); !taken) return taken;
      silence.look(reply.ok);
      watching = !reply.end;
    } else if (auto taken = output.take(reply, now); !taken) {
      return tl::unexpected(taken.error());
    }
    if (auto turned = output.tick(now); !turned) return turned;
    if (!watching && output.idle()) return {};
    auto next = agent.next(output.deadline(now));
    while (!next && next.error().kind == ErrorKind::timeout) {
      const auto later = Clock::now();
      if (auto turned = output.tick(later); !turned) return turned;
      next = agent.next(output.deadline(later));
    }
    // In a loop: it may go away again while it is asked anew.
    while (!next && agent.lost()) {
      const auto again = watch_again(agent, next.error(), under_way.request);
      if (!again) return tl::unexpected(again.error());
      watch = *again;
      watching = true;
      if (auto resumed = output.resume(); !resumed) return resumed;
      next = agent.next();
    }
    if (!next) return tl::unexpected(next.error());
    reply = std::move(*next);
  }
}

/// Prints what the command for the job's end wrote.
Result<void> print_end_command(
    Connection& agent, const LogsOptions& options, OutputStream& output) {
  for (const bool err : {false, true}) {
    if (!wants(options, err)) continue;
    auto asked = output.add({.task = 0, .err = err, .live = false, .node = ""});
    if (!asked) return asked;
  }
  return drain_output(agent, output);
}

/// Prints what the tasks write as it comes, until they have ended.
Result<void> follow(Connection& agent,
    const JobRef& job,
    const TaskSelector& selector,
    const LogsOptions& options,
    OutputStream& output,
    LiveOutput& live) {
  Json request = job.request();
  request["running"] = true;
  const auto watch = agent.start("watch", request);
  // The first answer says how many tasks there are, and so which of the two ways it is to be.
  if (!watch) return tl::unexpected(watch.error());
  // Nothing else was asked on this connection, so it is the watch's.
  auto first = agent.next();
  if (!first) return tl::unexpected(first.error());
  if (first->error) return tl::unexpected(*first->error);
  const auto& tasks = selector.tasks;
  const bool one_named = tasks.size() == 1 && tasks[0].first == tasks[0].last;
  const bool one = one_named || value<std::uint64_t>(member(first->ok, "progress"), "tasks") == 1;
  if (one && !options.line_buffer) {
    const std::uint32_t task = one_named ? tasks[0].first : 0;
    return follow_one(agent, {request, std::move(*first), job.label}, task, options, output);
  }
  if (options.line_buffer) live.hold_lines();
  if (one && !options.label) live.leave_labels();
  return follow_many(agent, {request, std::move(*first), job.label}, selector, options, live);
}

}  // namespace

Result<int> logs(const Globals& globals, const LogsOptions& options) {
  if (const auto fine = parse_tasks(options.tasks); !fine) return tl::unexpected(fine.error());
  const auto patience = parse_patience(globals.reconnect);
  if (!patience) return tl::unexpected(patience.error());
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  if (options.follow) agent->be_patient(*patience, globals.err().interactive);
  const auto chosen = choose_tasks(*agent, options.tasks);
  if (!chosen) return tl::unexpected(chosen.error());
  Json named = chosen->job.request();
  if (options.attempt != 0) named["attempt"] = options.attempt;
  if (options.on_end) named["on_end"] = true;
  // Nothing else is on the terminal here that would have to be cleared before output.
  OutputStream output(
      *agent, std::move(named), [] {},
      [](const std::string& sentence) {
        std::fprintf(stderr, "dunlin: %s\n", printable(sentence).c_str());
      });
  if (options.label) output.label_lines();
  // Always there, and of no effect unless many are followed: its troubles are told below.
  LiveOutput live(*agent, chosen->job.request());
  const auto done = options.on_end ? print_end_command(*agent, options, output)
      : options.follow ? follow(*agent, chosen->job, chosen->tasks, options, output, live)
                       : print_tasks(*agent, chosen->job, chosen->tasks, options, output);
  if (!done) return tl::unexpected(done.error());
  const bool left_out = output.report_left_out();
  const auto troubles = live.troubles();
  for (const std::string& sentence : troubles) {
    std::fprintf(stderr, "dunlin: %s\n", printable(sentence).c_str());
  }
  if (!output.trouble().empty()) {
    return failure(ErrorKind::io, "some output is missing: " + output.trouble());
  }
  return left_out || !troubles.empty() ? kFailure : kSuccess;
}

}  // namespace dunlin::cli
