// SPDX-License-Identifier: MIT
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "tools/dunlin/grammar_parts.h"

// The commands with which users see the jobs of the cluster.
namespace dunlin::cli {

void fill_jobs(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return jobs(on.globals, on.jobs); });
  command.add_flag("-a,--all", on.jobs.all, "Those that have ended, too");
  // For scripts: other commands take these names as they are printed.
  command.add_flag("-q,--quiet", on.jobs.quiet, "Their names only");
  auto* const here = command.add_flag("--here", on.jobs.here, "Only those of this agent");
  // Checked here, so that a wrong word is told along with those that there are.
  command
      .add_option("--state", on.jobs.state, "Only those in this state, whether or not they ended")
      ->check(CLI::IsMember({"running", "waiting", "held", "failed", "done", "cancelled"}))
      ->type_name("STATE");
  command.add_option("--user", on.jobs.user, "Only this user's")->type_name("NAME");
  command.add_option("--node", on.jobs.node, "Only those submitted at this node, by name or id")
      ->type_name("NODE")
      ->excludes(here);
  command.add_option("--class", on.jobs.service_class, "Only those of this class")
      ->type_name("NAME");
  command.add_option("--name", on.jobs.name, "Only those whose name is so: train, 'train*'")
      ->type_name("PATTERN");
  command
      .add_option("--label,--job-label", on.jobs.labels,
          "Only those with this label: team=lab3; team alone: whatever its value")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  // Read when the command runs: a word such as "2h" counts back from that moment.
  command.add_option("--since", on.jobs.since, "Only those submitted no longer ago: 2h, 30m")
      ->type_name("TIME");
  command
      .add_option("--ended-since", on.jobs.ended_since, "Only those that ended no longer ago: 1h")
      ->type_name("TIME");
  command.add_option("--limit", on.jobs.limit, "At most so many (default 50)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command
      .add_option(
          "--sort", on.jobs.sort, "newest (default), oldest, tasks, name, user, state or number")
      ->check(CLI::IsMember({"newest", "oldest", "tasks", "name", "user", "state", "number"}))
      ->type_name("ORDER");
  command
      .add_option(
          "--after", on.jobs.after, "Go on behind a list of the same order: `next` of its --json")
      ->type_name("PLACE");
  add_columns(command, on.jobs.columns);
  add_client_flags(command, on.globals);
}

void fill_job(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return job(on.globals, on.job); });
  command
      .add_option(
          "job", on.job.job, "A job (12, NODE.12, last), or tasks of it (12.0-9) (default: last)")
      ->type_name("JOB");
  command.add_flag("--tasks", on.job.tasks, "List its tasks");
  command.add_flag("--attempts", on.job.attempts,
      "List its tasks, and where attempts before the last one ran and how they ended");
  command.add_flag("--file", on.job.file,
      "Print its job file: `dunlin run -f` of it, from the same directory, makes an equal job");
  command
      .add_flag("--timeline", on.job.timeline,
          "Show when its attempts began and ended: bars, or text where nobody watches")
      ->excludes("--tasks")
      ->excludes("--attempts")
      ->excludes("--file");
  command
      .add_flag("--bins", on.job.bins,
          "Show how many of its tasks stand where: a strip, or text where nobody watches")
      ->excludes("--tasks")
      ->excludes("--attempts")
      ->excludes("--file")
      ->excludes("--timeline");
  // The states of tasks, which are not those of jobs.
  command.add_option("--state", on.job.state, "Only its tasks in this state")
      ->check(CLI::IsMember({"waiting", "running", "cancelling", "done", "failed", "cancelled"}))
      ->type_name("STATE");
  add_columns(command, on.job.columns);
  add_client_flags(command, on.globals);
}

}  // namespace dunlin::cli
