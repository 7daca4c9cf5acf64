// SPDX-License-Identifier: MIT
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "tools/dunlin/grammar_parts.h"

// The command that starts agents on other machines.
namespace dunlin::cli {
namespace {

/// The kind of a launch is said by flags, not by commands below it: without any it starts agents,
/// and the words behind it are hosts, which may have any name.
void add_launch_verbs(CLI::App& command, LaunchOptions& launch) {
  auto* const status = command.add_flag("--status", launch.status, "Look at the hosts, and tell");
  command.add_flag("--mend", launch.mend, "And start what is down, or was never reached")
      ->needs(status);
  auto* const stop = command.add_flag("--stop", launch.stop,
      "Stop the agents; their tasks run again elsewhere, if agents are left");
  command
      .add_flag("--drain", launch.drain,
          "Let tasks end before, for agent.drain_deadline at most (default --timeout: 2m)")
      ->needs(stop);
  auto* const upgrade = command.add_flag("--upgrade", launch.upgrade,
      "Give the agents these programs, one after the other; tasks run on");
  command
      .add_option("--at-a-time", launch.restarts_at_once,
          "Agents that an upgrade restarts at a time (default 1)")
      ->check(CLI::Range(1, 256))
      ->type_name("N")
      ->needs(upgrade);
  auto* const remove = command.add_flag("--remove", launch.remove,
      "Stop the agents, and remove all of theirs: programs, key, jobs, output");
  command.add_flag("--all", launch.all, "All hosts of the cluster")->needs(remove);
  status->excludes(stop)->excludes(upgrade)->excludes(remove);
  stop->excludes(upgrade)->excludes(remove);
  upgrade->excludes(remove);
}

}  // namespace

void fill_launch(CLI::App& command, Invocation& on) {
  LaunchOptions& launch = on.launch;
  does(command, on, [&on] { return cli::launch(on.globals, on.launch); });
  command
      .add_option("hosts", launch.hosts,
          "[CPUS/][USER@]HOST[:PORT], node[01-40], or @FILE with a host and KEY=VALUE... on each "
          "line (default: the hosts of the cluster)")
      ->type_name("HOST");
  command.add_flag("--slurm", launch.slurm, "The nodes of this allocation of Slurm");
  command.add_flag("--pbs", launch.pbs, "The nodes of this allocation of PBS");
  add_launch_verbs(command, launch);
  command.add_flag("--dry-run", launch.dry_run, "Look, and say what would be done");
  command.add_option("-P,--parallel", launch.at_once, "Hosts at a time (default 32)")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  command.add_option("--timeout", launch.timeout, "The longest that a step may take (default 30s)")
      ->type_name("TIME");
  command
      .add_option("--dir", launch.directory,
          "Where an agent lives on its host, on a local disk (default ~/.dunlin/NAME, or "
          "/var/tmp/dunlin-UID/NAME if homes are shared)")
      ->type_name("DIR");
  command
      .add_option("--set", launch.settings,
          "A setting for every agent, such as bind=0.0.0.0:7701 (see dunlin params)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--programs", launch.programs,
          "Where the programs for the hosts are (default: beside this one)")
      ->type_name("DIR");
  command
      .add_option("-F,--ssh-config", launch.ssh_config, "As of ssh -F (default: ssh's own files)")
      ->type_name("FILE");
  command.add_option("--cluster", on.globals.agent.cluster, "The cluster's name (default dunlin)")
      ->type_name("NAME");
  command
      .add_option("--key", on.globals.agent.key,
          "The cluster key (default: one that is made and kept beside the list of hosts)")
      ->type_name("FILE");
  command.add_flag("--no-color", on.globals.no_colour, "No colours")->group("Agent");
  add_json(command, on.globals);
}

}  // namespace dunlin::cli
