// SPDX-License-Identifier: MIT
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "tools/dunlin/grammar_parts.h"

// The commands with which the owner of a job changes it.
namespace dunlin::cli {
namespace {

// Required, unlike in commands that only look: no job is changed because a word was left out.
void add_jobs(CLI::App& command, std::vector<std::string>& jobs) {
  command.add_option("jobs", jobs, "Jobs: 12, NODE.12, last, all, 3-7 or 1,3,5-8")
      ->required()
      ->type_name("JOB");
}

}  // namespace

void fill_hold(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return hold(on.globals, on.held, true); });
  add_jobs(command, on.held);
  add_client_flags(command, on.globals);
}

void fill_release(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return hold(on.globals, on.held, false); });
  add_jobs(command, on.held);
  add_client_flags(command, on.globals);
}

void fill_requeue(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return requeue(on.globals, on.requeue); });
  command
      .add_option("jobs", on.requeue, "Jobs (12, NODE.12, last, all, 3-7) or tasks (11.57, 11.0-9)")
      ->required()
      ->type_name("JOB[.TASKS]");
  add_client_flags(command, on.globals);
}

void fill_retry(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return retry(on.globals, on.retry); });
  command.add_option("job", on.retry.job, "A job: 12, NODE.12 or last; or tasks of it: 12.0-9")
      ->required()
      ->type_name("JOB");
  // Excludes --task: a task that is named runs again however it ended.
  auto* const failed = command.add_flag("--failed", on.retry.failed,
      "Only tasks that failed (default: those that failed or were cancelled)");
  command.add_option("--task", on.retry.tasks, "These, however they ended: 3-7 or 0,4,9-11")
      ->type_name("TASKS")
      ->excludes(failed);
  add_client_flags(command, on.globals);
}

void fill_set(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return set(on.globals, on.set); });
  command.add_option("job", on.set.job, "Jobs: 12, NODE.12, last, all, 3-7 or 1,3,5-8")
      ->required()
      ->type_name("JOB");
  command
      .add_option(
          "--priority", on.set.priority, "0 to 100, larger first (above 50 for administrators)")
      ->type_name("N");
  command
      .add_option("--deadline", on.set.deadline,
          "10m (from now), 18:00 or 2026-11-22T18:00Z; none: it has none any more")
      ->type_name("WHEN");
  add_client_flags(command, on.globals);
}

}  // namespace dunlin::cli
