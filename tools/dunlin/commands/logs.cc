// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/connection/output_stream.h"
#include "tools/dunlin/connection/report.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/job_choice.h"
#include "tools/dunlin/jobs/task_list.h"
#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {
namespace {

/// A million tasks' output is read a few at a time.
constexpr std::size_t kTasksShownMax = 1'000'000;

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
};

/// The streams that hold something, or may yet.
Result<std::vector<Wanted>> wanted_streams(Connection& agent,
    std::uint32_t number,
    const TaskSelector& selector,
    const LogsOptions& options) {
  std::vector<Wanted> wanted;
  const auto walked = for_each_task(agent, number, selector, "", [&](const Json& task) {
    const auto state = value<std::string>(task, "state");
    const bool running = state == "running" || state == "cancelling";
    const auto holds = [&](const char* bytes, bool other) {
      return !other && (running || value<std::uint64_t>(task, bytes) != 0);
    };
    const Wanted each{.task = value<std::uint32_t>(task, "index"),
        .out = holds("out_bytes", options.err),
        .err = holds("err_bytes", options.out)};
    if (each.out || each.err) wanted.push_back(each);
    return wanted.size() < kTasksShownMax;
  });
  if (!walked) return tl::unexpected(walked.error());
  return wanted;
}

Result<void> print_tasks(Connection& agent,
    std::uint32_t number,
    const TaskSelector& selector,
    const LogsOptions& options,
    OutputStream& output) {
  const auto wanted = wanted_streams(agent, number, selector, options);
  if (!wanted) return tl::unexpected(wanted.error());
  for (const Wanted& each : *wanted) {
    for (const bool err : {false, true}) {
      if (!(err ? each.err : each.out)) continue;
      auto asked = output.add({.task = each.task, .err = err, .live = false});
      if (!asked) return asked;
    }
  }
  return drain_output(agent, output);
}

/// Prints each task's output when it has ended, until the job has. One task is printed as it
/// writes.
Result<void> follow(Connection& agent,
    std::uint32_t number,
    const TaskSelector& selector,
    const LogsOptions& options,
    OutputStream& output) {
  const auto watch = agent.start("watch", {{"number", number}});
  if (!watch) return tl::unexpected(watch.error());
  bool watching = true;
  bool first = true;
  bool live = false;
  const auto add = [&](std::uint32_t task, bool follows) -> Result<void> {
    for (const bool err : {false, true}) {
      if (err ? options.out : options.err) continue;
      auto asked = output.add({.task = task, .err = err, .live = follows});
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
        if (auto asked = add(one_named ? tasks[0].first : 0, true); !asked) return asked;
      }
    }
    for (const Json& task : member(reply->ok, "finished")) {
      const auto index = value<std::uint32_t>(task, "index");
      if (live || !selector.includes(index)) continue;
      if (auto asked = add(index, false); !asked) return asked;
    }
  }
  return {};
}

}  // namespace

Result<int> logs(const Globals& globals, const LogsOptions& options) {
  const auto selector = parse_tasks(options.tasks);
  if (!selector) return tl::unexpected(selector.error());
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto number = choose_job(*agent, selector->job);
  if (!number) return tl::unexpected(number.error());
  OutputStream output(*agent, *number, [] {});
  const auto done = options.follow ? follow(*agent, *number, *selector, options, output)
                                   : print_tasks(*agent, *number, *selector, options, output);
  if (!done) return tl::unexpected(done.error());
  if (!output.trouble().empty()) {
    return failure(ErrorKind::io, "some output is missing: " + output.trouble());
  }
  return kSuccess;
}

}  // namespace dunlin::cli
