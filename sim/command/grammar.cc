// SPDX-License-Identifier: MIT
#include "sim/command/grammar.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>

// The flags only: what they mean, and what goes together, is said by the commands.
namespace dunlin::sim {
namespace {

void add_run(CLI::App& app, RunOptions& options) {
  auto* run_command = app.add_subcommand("run", "Run a scenario and print its figures.");
  run_command->add_option("SCENARIO", options.file, "A file, or a name that `list` shows: hello")
      ->required();
  run_command
      ->add_option("--set", options.settings,
          "Override a parameter, workload.load=0.9, or what an attribute of ns-3 has by default, "
          "ns3::UdpSocket::RcvBufSize=65536; --ns3::UdpSocket::RcvBufSize=65536 is the same")
      ->type_name("KEY=VALUE");
  run_command->add_option(
      "--seed,--RngSeed", options.seed, "Override simulation.seed; the second name is ns-3's");
  run_command->add_option("--RngRun", options.run, "Override simulation.run: which replication");
  run_command->add_option("--data", options.data, "Override trace.data: the folder of traces")
      ->type_name("DIR");
  run_command->add_flag("--strict", options.strict, "A malformed line of a trace is an error");
  run_command
      ->add_option("--json", options.json,
          "Write all figures and parameters to FILE, and pictures beside it")
      ->type_name("FILE");
  run_command->add_option("--csv", options.csv, "Write tables into a folder")->type_name("DIR");
  run_command->add_option("--trace", options.trace, "Write every event to FILE")->type_name("FILE");
  run_command
      ->add_option("--events", options.events,
          "Write all that figures are made of to FILE, for tools/reckon")
      ->type_name("FILE");
  run_command->add_flag("--no-plots", options.no_plots, "No pictures beside the JSON file");
  run_command->add_flag("--quiet", options.quiet, "Print the figures alone");
}

void add_sweep(CLI::App& app, SweepOptions& options) {
  auto* command = app.add_subcommand("sweep",
      "Run a scenario for all combinations of the axes' values, several times each. A run done "
      "already is not repeated.");
  command
      ->add_option("SCENARIO", options.file,
          "A file, or a name that `list` shows; its [sweep] has the defaults of the rest")
      ->required();
  command->add_option("--axis", options.axes, "A parameter and its values: workload.load=0.5,0.9")
      ->type_name("KEY=A,B,...");
  command
      ->add_option(
          "--set", options.settings, "Override a parameter, or an attribute of ns-3, in all runs")
      ->type_name("KEY=VALUE");
  command
      ->add_option("--design", options.design,
          "Which combinations: product (all), or star (one axis at a time away from its first "
          "value, for each value of the first axis)")
      ->type_name("product|star");
  command->add_option("--replications", options.replications, "Independent runs of each")
      ->check(CLI::Range(1, 10'000));
  command
      ->add_option("--until", options.until,
          "Repeat each combination until half of the measure's 95 % interval is at most this "
          "part of its mean: 5%")
      ->type_name("PERCENT");
  command->add_option("--runs-max", options.runs_max, "... but at most so often")
      ->check(CLI::Range(3, 10'000))
      ->capture_default_str();
  command->add_option("--measure", options.measure, "The measure to draw");
  command
      ->add_option("--picture", options.picture,
          "How figures are drawn: lines, heat (a map of two axes), facets (a panel for each value "
          "of the last axis), or best")
      ->type_name("lines|heat|facets|best");
  command->add_option("--out", options.folder, "A folder for results (default: results/NAME)")
      ->type_name("DIR");
  command
      ->add_option("--on", options.on,
          "Where runs happen: here, on a dunlin cluster (each run is a task), or on slurm")
      ->type_name("here|dunlin|slurm");
  command->add_option("-j,--at-once", options.at_once, "Runs at a time (default: one per core)");
  command->add_flag("--print-commands", options.print_commands, "Print the runs, run none");
  command->add_flag("--quiet", options.quiet, "Print the table alone");
}

/// "1%" and "1 %" are 0.01.
std::string without_percent(std::string text) {
  if (!text.ends_with('%')) return text;
  text.pop_back();
  if (text.ends_with(' ')) text.pop_back();
  double part = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, part);
  if (read.ec != std::errc() || read.ptr != end) return text + "%";  // The check refuses it.
  return std::to_string(part / 100);
}

void add_compare(CLI::App& app, CompareOptions& options) {
  auto* command = app.add_subcommand(
      "compare", "Compare two runs with the same jobs, job by job: A against B.");
  command->add_option("A", options.first, "The JSON file of a run")->required()->type_name("FILE");
  command->add_option("B", options.second, "The JSON file of the one that it is compared with")
      ->required()
      ->type_name("FILE");
  command->add_option("--json", options.json, "Write all figures to FILE, and pictures beside it")
      ->type_name("FILE");
  command->add_flag("--unpaired", options.unpaired,
      "The jobs of A and B need not be the same: compare the distributions");
  command
      ->add_option("--tolerance", options.tolerance,
          "A job is slowed if it takes longer by more than this part")
      ->transform(without_percent)
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
}

void add_man(CLI::App& app, ManOptions& options) {
  auto* command =
      app.add_subcommand("man", "Print the manual page of a command, or write all of them.");
  auto* const name = command
                         ->add_option("name", options.words,
                             "A command, such as sweep; or dunlin-scenario (default: dunlin-sim)")
                         ->type_name("COMMAND");
  command
      ->add_option("--all", options.folder,
          "Write all pages into man1 and man5 of this folder, and print none")
      ->type_name("DIR")
      ->excludes(name);
}

void add_completion(CLI::App& app, CompletionOptions& options) {
  auto* command = app.add_subcommand("completion", "Print a completion script for a shell.");
  auto* const shell = command->add_option("shell", options.shell, "The shell")->type_name("SHELL");
  shell->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command
      ->add_option("--names", options.names,
          "Print names for a script to offer, in place of a script: a line for each")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"scenarios"}))
      ->excludes(shell);
}

}  // namespace

void describe_program(CLI::App& app, SimInvocation& on) {
  app.description("Dunlin's peers, by the thousand, on the event loop of ns-3.");
  app.name("dunlin-sim");
  app.set_version_flag("--version", DUNLIN_VERSION, "Print the version");
  app.require_subcommand(1);
  add_run(app, on.run);
  add_sweep(app, on.sweep);
  add_compare(app, on.compare);
  app.add_subcommand("describe", "Say what a scenario is, and what it sets.")
      ->add_option("SCENARIO", on.described, "A file, or a name that `list` shows")
      ->required();
  app.add_subcommand("list", "List the scenarios there are.")
      ->add_option("FOLDER", on.folder, "Where to look")
      ->type_name("DIR");
  app.add_subcommand("params", "Print every parameter with its default, as a scenario file.");
  add_completion(app, on.completion);
  add_man(app, on.man);
}

}  // namespace dunlin::sim
