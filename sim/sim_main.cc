// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <string>

#include "config/standard_output.h"
#include "sim/command/compare_command.h"
#include "sim/command/run_command.h"
#include "sim/command/show_commands.h"
#include "sim/command/sweep_command.h"
#include "sim/command/usage.h"
#include "sim/engine/huge_pages.h"
#include "sim/scenario/ns3_attributes.h"

// dunlin-sim: the peers of Dunlin, by the thousand, on the event loop of ns-3.
namespace dunlin::sim {
namespace {

/// The flags only: what they mean, and what goes together, is said by the commands (sim/command/).
CLI::App* add_run(CLI::App& app, RunOptions& options) {
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
  run_command->add_option("--data", options.data, "Override trace.data: the folder of traces");
  run_command->add_flag("--strict", options.strict, "A malformed line of a trace is an error");
  run_command->add_option("--json", options.json,
      "Write all figures and parameters to FILE, and "
      "pictures beside it");
  run_command->add_option("--csv", options.csv, "Write tables into a folder");
  run_command->add_option("--trace", options.trace, "Write every event to FILE");
  run_command->add_option(
      "--events", options.events, "Write all that figures are made of to FILE, for tools/reckon");
  run_command->add_flag("--no-plots", options.no_plots, "No pictures beside the JSON file");
  run_command->add_flag("--quiet", options.quiet, "Print the figures alone");
  return run_command;
}

CLI::App* add_sweep(CLI::App& app, SweepOptions& options) {
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
  command->add_option("--design", options.design,
      "Which combinations: product (all), or star (one axis at a time away from its first value, "
      "for each value of the first axis)");
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
  command->add_option("--picture", options.picture,
      "How figures are drawn: lines, heat (a map of two axes), facets (a panel for each value of "
      "the last axis), or best");
  command->add_option("--out", options.folder, "A folder for results (default: results/NAME)");
  command->add_option("--on", options.on,
      "Where runs happen: here, on a dunlin cluster (each run is a task), or on slurm");
  command->add_option("-j,--at-once", options.at_once, "Runs at a time (default: one per core)");
  command->add_flag("--print-commands", options.print_commands, "Print the runs, run none");
  command->add_flag("--quiet", options.quiet, "Print the table alone");
  return command;
}

/// "1%" is 0.01.
std::string without_percent(std::string text) {
  if (!text.ends_with('%')) return text;
  text.pop_back();
  double part = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, part);
  if (read.ec != std::errc() || read.ptr != end) return text + "%";  // The check refuses it.
  return std::to_string(part / 100);
}

CLI::App* add_compare(CLI::App& app, CompareOptions& options) {
  auto* command = app.add_subcommand(
      "compare", "Compare two runs with the same jobs, job by job: A against B.");
  command->add_option("A", options.first, "The JSON file of a run")->required();
  command->add_option("B", options.second, "The JSON file of the one that it is compared with")
      ->required();
  command->add_option("--json", options.json, "Write all figures to FILE, and pictures beside it");
  command->add_flag("--unpaired", options.unpaired,
      "The jobs of A and B need not be the same: compare the distributions");
  command
      ->add_option("--tolerance", options.tolerance,
          "A job is slowed if it takes longer by more than this part")
      ->transform(without_percent)
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  return command;
}

// 2 for what the user wrote, 1 for what happened, as in `dunlin`.
int report(const Error& error) {
  std::cerr << "dunlin-sim: " << error.text << '\n';
  return error.kind == ErrorKind::usage ? 2 : 1;
}

int main_of(int argc, char** argv) {
  CLI::App app{"Dunlin's peers, by the thousand, on the event loop of ns-3.", "dunlin-sim"};
  app.set_version_flag("--version", DUNLIN_VERSION);
  app.require_subcommand(1);

  RunOptions options;
  CLI::App* const run_command = add_run(app, options);

  SweepOptions study;
  CLI::App* const sweep_command = add_sweep(app, study);

  CompareOptions comparison;
  CLI::App* const compare_command = add_compare(app, comparison);

  std::string described;
  auto* describe_command =
      app.add_subcommand("describe", "Say what a scenario is, and what it sets.");
  describe_command->add_option("SCENARIO", described, "A file, or a name that `list` shows")
      ->required();

  std::string folder;
  auto* list_command = app.add_subcommand("list", "List the scenarios there are.");
  list_command->add_option("FOLDER", folder, "Where to look");
  auto* params_command =
      app.add_subcommand("params", "Print every parameter with its default, as a scenario file.");

  const auto words = with_ns3_attributes({argv + 1, static_cast<std::size_t>(argc - 1)});
  try {
    // CLI11 wants them in reverse, and takes them away.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    // Help and version come as exceptions, too.
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << "dunlin-sim: " << usage_problem(app, error, words) << '\n';
    return 2;
  }
  if (list_command->parsed()) list(folder);
  if (params_command->parsed()) params();
  Result<void> done;
  if (describe_command->parsed()) done = describe(described);
  if (sweep_command->parsed()) done = sweep(study);
  if (compare_command->parsed()) done = compare(comparison);
  if (run_command->parsed()) done = run(options);
  return done ? 0 : report(done.error());
}

}  // namespace
}  // namespace dunlin::sim

int main(int argc, char** argv) {
  // First of all: it may start the program anew, and then nothing may have been done yet.
  dunlin::sim::use_huge_pages(argv);
  dunlin::config::StandardOutput output;
  int status = 1;
  try {
    status = dunlin::sim::main_of(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "dunlin-sim: " << error.what() << '\n';
  }
  // Output that was not written must not look like success.
  const int code = output.finish();
  if (code == 0) return status;
  std::cerr << "dunlin-sim: " << dunlin::config::unwritten_text("stdout", code) << '\n';
  return 1;
}
