// SPDX-License-Identifier: MIT
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "tools/dunlin/grammar_parts.h"

// The commands that show what was written, and what happened.
namespace dunlin::cli {

void fill_logs(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return logs(on.globals, on.logs); });
  command
      .add_option("tasks", on.logs.tasks,
          "Tasks of one job: 11, last, 11.57, 11.0-9,20, NODE.11 (default: last)")
      ->type_name("TASKS");
  command.add_flag("-f,--follow", on.logs.follow,
      "Print what tasks write as they write it, until the job has ended");
  // Both at once would be the default said in more words, or nothing; each reader expects another.
  auto* const out = command.add_flag("--stdout", on.logs.out, "Only standard output");
  command.add_flag("--stderr", on.logs.err, "Only standard error")->excludes(out);
  command.add_flag("--label,--tag", on.logs.label,
      "Begin each line with the number of its task (default with -f of several)");
  // Without it whole outputs are printed one after the other, and nothing can come between.
  command
      .add_flag("--line-buffer", on.logs.line_buffer,
          "Print only whole lines, of any length (default with -f of several: up to 64 KiB)")
      ->needs("--follow");
  // Attempts are numbered from 1, in 16 bits.
  command
      .add_option("--attempt", on.logs.attempt, "Of this attempt (default: the one that counts)")
      ->check(CLI::Range(1, 65'535))
      ->type_name("N")
      ->excludes("--follow");
  command.add_flag("--on-end", on.logs.on_end, "What the command for the job's end wrote")
      ->excludes("--follow")
      ->excludes("--attempt")
      ->excludes("--label");
  add_reconnect(command, on.globals);
  add_client_flags(command, on.globals, false);
}

void fill_events(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return events(on.globals, on.events); });
  command.add_flag("-f,--follow", on.events.follow,
      "Print what happens from now on, until Ctrl-C (default: the last events of the agent)");
  command
      .add_option("--level", on.events.level,
          "This and graver ones: trace, debug, info, warn, error (default info)")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error"}))
      ->type_name("LEVEL");
  // One name after each --event: else CLI11 would take all words that follow for names.
  command
      .add_option(
          "--event", on.events.names, "Only this event: job_finished, or job_* for all such names")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--node", on.events.node, "Of this node's agent (default: the one that is asked)")
      ->type_name("NODE");
  add_client_flags(command, on.globals);
}

void fill_usage(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return usage(on.globals, on.usage); });
  command
      .add_option("--since", on.usage.since,
          "From then on: 7d, 12h, 2026-11-21, 2026-11-21T18:00, all (default 7d)")
      ->type_name("TIME");
  command.add_option("--until", on.usage.until, "Up to then (default: now)")->type_name("TIME");
  command
      .add_option("--by", on.usage.by, "A line for each user, class, day or node (default user)")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"user", "class", "day", "node"}));
  command.add_option("--user", on.usage.user, "Only what this user used")->type_name("USER");
  command.add_option("--class", on.usage.service_class, "Only what jobs of this class used")
      ->type_name("CLASS");
  command.add_option("--limit", on.usage.limit, "So many lines at most (default 1000)")
      ->type_name("N")
      ->check(CLI::Range(1, 20'000));
  command.add_flag("--here", on.usage.here, "Only jobs that this agent drove");
  // Not excluded from --json here: the command says better which of both is meant.
  command.add_flag("--csv", on.usage.csv, "As a table for spreadsheets, in seconds and bytes");
  add_columns(command, on.usage.columns);
  add_client_flags(command, on.globals);
}

void fill_status(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return status(on.globals, on.status_users); });
  command.add_flag("--users", on.status_users,
      "What each user is charged with: clients, requests, time of the agent");
  add_client_flags(command, on.globals);
}

void fill_metrics(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return metrics(on.globals, on.metrics); });
  auto* const file =
      command
          .add_option("--textfile", on.metrics.textfile,
              "Write them there, whole, for a collector of text files (default: print them)")
          ->type_name("FILE");
  auto* const alerts = command
                           .add_flag("--alerts", on.metrics.alerts,
                               "Print rules of alarms for Prometheus instead; asks no agent")
                           ->excludes(file);
  command
      .add_flag("--grafana", on.metrics.board,
          "Print a board for Grafana instead, to be imported there; asks no agent")
      ->excludes(file)
      ->excludes(alerts);
  add_client_flags(command, on.globals, false);
}

}  // namespace dunlin::cli
