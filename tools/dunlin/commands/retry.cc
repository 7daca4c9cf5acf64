// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/job_choice.h"
#include "tools/dunlin/screen/text.h"

// Tasks may be named behind the job's dot or by --task, but once: two lists that differ would leave
// open which is meant. Without any, the agent takes those that ended without success.
namespace dunlin::cli {

Result<int> retry(const Globals& globals, const RetryOptions& options) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  auto chosen = choose_tasks(*agent, options.job);
  if (!chosen) return tl::unexpected(chosen.error());
  std::vector<NumberRange> ranges = std::move(chosen->tasks.tasks);
  if (!options.tasks.empty()) {
    if (!ranges.empty()) {
      return failure(ErrorKind::usage,
          "--task " + options.tasks + ": " + options.job + " names tasks already; name them once");
    }
    auto listed = parse_task_list(options.tasks, "--task " + options.tasks);
    if (!listed) return tl::unexpected(listed.error());
    ranges = std::move(*listed);
  }
  if (options.failed && !ranges.empty()) {
    return failure(ErrorKind::usage, "--failed, or tasks by their numbers: not both");
  }
  // The request takes numbers, not ranges.
  const auto tasks = numbers_of(ranges, options.job);
  if (!tasks) return tl::unexpected(tasks.error());

  Json request = chosen->job.request();
  if (!tasks->empty()) request["tasks"] = *tasks;
  if (options.failed) request["failed"] = true;
  // Not repeated if the connection breaks: a retry that was heard twice may run tasks twice.
  const auto reply = agent->ask("retry", std::move(request));
  if (!reply) return tl::unexpected(reply.error());
  const auto retried = value<std::uint64_t>(*reply, "retried");
  const std::string& label = chosen->job.label;
  if (globals.json) {
    print_json(
        "dunlin.retry/1", {{"number", chosen->job.number}, {"job", label}, {"retried", retried}});
  } else if (retried == 0) {
    std::printf("job %s: no task %s\n", label.c_str(),
        options.failed ? "has failed" : "has failed or was cancelled");
  } else {
    std::printf("job %s: %s to run again\n", label.c_str(), count_text(retried, "task").c_str());
  }
  return kSuccess;
}

}  // namespace dunlin::cli
