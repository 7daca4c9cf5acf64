// SPDX-License-Identifier: MIT
#include <cstdio>

#include "node/control/control_protocol.h"
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/connection/output_stream.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/job_choice.h"
#include "tools/dunlin/jobs/task_list.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

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
  const auto walked = for_each_task(agent, job, selector, "", [&](const Json& task) {
    ++tasks;
    const auto state = value<std::string>(task, "state");
    wanted.ended = wanted.ended && (state == "done" || state == "failed" || state == "cancelled");
    if (value<std::uint32_t>(task, "attempt") < options.attempt) return true;
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
    return wanted.streams.size() < node::kSubmitTasksMax;
  });
  if (!walked) return tl::unexpected(walked.error());
  if (tasks == 0) {
    return failure(ErrorKind::not_found,
        "job " + job.label + " has no such task; its tasks: dunlin job " + job.label + " --tasks");
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

/// Prints each task's output when the task has ended, until the job has. The output of a single
/// task is printed as it comes.
Result<void> follow(Connection& agent,
    const JobRef& job,
    const TaskSelector& selector,
    const LogsOptions& options,
    OutputStream& output) {
  const auto watch = agent.start("watch", job.request());
  if (!watch) return tl::unexpected(watch.error());
  bool watching = true;
  bool first = true;
  bool live = false;
  const auto add = [&](std::uint32_t task, bool follows, std::string node) -> Result<void> {
    for (const bool err : {false, true}) {
      if (err ? options.out : options.err) continue;
      auto asked = output.add({.task = task, .err = err, .live = follows, .node = node});
      if (!asked) return asked;
    }
    return {};
  };
  while (watching || !output.idle()) {
    const auto reply = agent.next();
    if (!reply) return tl::unexpected(reply.error());
    if (reply->id != *watch) {
      if (auto taken = output.take(*reply); !taken) return tl::unexpected(taken.error());
      continue;
    }
    if (reply->error) return tl::unexpected(*reply->error);
    if (reply->end) watching = false;
    if (first) {
      first = false;
      const auto& tasks = selector.tasks;
      const bool one_named = tasks.size() == 1 && tasks[0].first == tasks[0].last;
      const bool only_one = value<std::uint64_t>(member(reply->ok, "progress"), "tasks") == 1;
      live = one_named || only_one;
      if (live) {
        if (auto asked = add(one_named ? tasks[0].first : 0, true, ""); !asked) return asked;
      }
    }
    for (const Json& task : member(reply->ok, "finished")) {
      const auto index = value<std::uint32_t>(task, "index");
      if (live || !selector.includes(index)) continue;
      auto asked = add(index, false, value<std::string>(task, "worker_name"));
      if (!asked) return asked;
    }
  }
  return {};
}

}  // namespace

Result<int> logs(const Globals& globals, const LogsOptions& options) {
  if (const auto fine = parse_tasks(options.tasks); !fine) return tl::unexpected(fine.error());
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto chosen = choose_tasks(*agent, options.tasks);
  if (!chosen) return tl::unexpected(chosen.error());
  Json named = chosen->job.request();
  if (options.attempt != 0) named["attempt"] = options.attempt;
  OutputStream output(
      *agent, std::move(named), [] {},
      [](const std::string& sentence) {
        std::fprintf(stderr, "dunlin: %s\n", printable(sentence).c_str());
      });
  if (options.label) output.label_lines();
  const auto done = options.follow
      ? follow(*agent, chosen->job, chosen->tasks, options, output)
      : print_tasks(*agent, chosen->job, chosen->tasks, options, output);
  if (!done) return tl::unexpected(done.error());
  const bool left_out = output.report_left_out();
  if (!output.trouble().empty()) {
    return failure(ErrorKind::io, "some output is missing: " + output.trouble());
  }
  return left_out ? kFailure : kSuccess;
}

}  // namespace dunlin::cli
