// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "sim/engine/huge_pages.h"
#include "sim/engine/simulation.h"
#include "sim/measure/plot.h"
#include "sim/measure/progress.h"
#include "sim/measure/report.h"
#include "sim/sweep_command.h"

// dunlin-sim: the peers of Dunlin, by the thousand, on the event loop of ns-3.
namespace dunlin::sim {
namespace {

struct RunOptions {
  std::string file;
  std::vector<std::string> settings;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> run;
  std::string data;
  bool strict = false;
  std::string json;
  std::string csv;
  std::string trace;
  bool quiet = false;
  bool no_plots = false;
};

Result<Scenario> scenario_of(const RunOptions& options) {
  auto scenario = load_scenario(options.file);
  if (!scenario) return scenario;
  if (const auto set = apply_settings(*scenario, options.settings); !set) {
    return tl::unexpected(set.error());
  }
  if (options.seed) scenario->simulation.seed = *options.seed;
  if (options.run) scenario->simulation.run = *options.run;
  if (!options.data.empty()) scenario->trace.data = options.data;
  if (options.strict) scenario->trace.strict = true;
  if (const auto scaled = apply_scale(*scenario); !scaled) return tl::unexpected(scaled.error());
  if (const auto valid = validate(*scenario); !valid) return tl::unexpected(valid.error());
  return scenario;
}

Result<void> write_outputs(const Simulation& run, const RunOptions& options) {
  if (!options.csv.empty()) {
    if (auto written = write_csv(run, options.csv); !written) return written;
  }
  if (options.json.empty()) return {};
  if (auto written = write_file(options.json, json_of(run)); !written) return written;
  if (options.no_plots) return {};
  const auto base = std::filesystem::path(options.json).replace_extension().string();
  const auto drawn = draw_delays(run, base);
  if (drawn) return {};
  if (drawn.error().kind != ErrorKind::not_found) return drawn;
  if (!options.quiet) std::cerr << drawn.error().text << '\n';
  return {};
}

/// A long run must not fail at its end for want of a place to write to.
Result<void> check_writable(const std::string& file) {
  if (file.empty() || std::ofstream(file, std::ios::app)) return {};
  return failure_of(errno, file);
}

/// When jobs will have ceased to come; for the progress bar.
Duration expected_end(const Scenario& scenario, Duration trace_length) {
  const Duration all = scenario.simulation.duration;
  if (trace_length == Duration{0}) return all;
  return std::min(all, scenario.workload.first_job + trace_length);
}

Result<void> run(const RunOptions& options) {
  const auto scenario = scenario_of(options);
  if (!scenario) return tl::unexpected(scenario.error());
  for (const auto& file :
      {options.json, scenario->network.flow_monitor, scenario->network.animation}) {
    if (auto writable = check_writable(file); !writable) return writable;
  }
  auto workload = open_trace_of(*scenario);
  if (!workload) return tl::unexpected(workload.error());
  Duration length{0};
  if (*workload) {
    length = (*workload)->length();
    for (const auto& line : (*workload)->survey().warnings()) std::cerr << line << '\n';
  }
  std::ofstream trace_file;
  std::optional<Trace> trace;
  if (!options.trace.empty()) {
    trace_file.open(options.trace, std::ios::binary);
    if (!trace_file) return failure_of(errno, options.trace);
    trace.emplace(trace_file);
  }

  Simulation simulation(*scenario, trace ? &*trace : nullptr, *std::move(workload));
  if (options.quiet) {
    simulation.run();
  } else {
    Progress progress;
    const auto end = std::chrono::duration<double>(expected_end(*scenario, length));
    simulation.run([&](Time now, const Recorder&) {
      progress.show(std::chrono::duration<double>(now.time_since_epoch()) / end);
    });
    progress.finish();
  }

  if (trace) {
    trace_file.close();
    if (!trace_file) return failure_of(errno, options.trace);
  }
  // What depends on the machine goes to stderr: the same seed prints the same on stdout.
  std::cout << table_of(simulation);
  if (!options.quiet) std::cerr << '\n' << cost_of(simulation);
  return write_outputs(simulation, options);
}

void list(const std::string& given) {
  const bool at_top = std::filesystem::is_directory("sim/experiments");
  const std::string folder = !given.empty() ? given
      : at_top                              ? "sim/experiments"
                                            : DUNLIN_EXPERIMENTS;
  std::vector<std::string> files;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    const auto scenario = load_scenario(file);
    std::cout << file << "  " << (scenario ? scenario->title : scenario.error().text) << '\n';
  }
  if (files.empty()) std::cout << "no scenario in " << folder << '\n';
}

void params() {
  Scenario scenario;
  std::string section;
  for (const auto& entry : entries_of(scenario)) {
    if (entry.section != section) {
      std::cout << (section.empty() ? "" : "\n") << '[' << entry.section << "]\n";
    }
    section = entry.section;
    std::cout << "# " << entry.meaning;
    if (!entry.source.empty()) std::cout << " Source: " << entry.source << '.';
    const bool bare = entry.type == "number" || entry.type == "integer" || entry.type == "bool";
    const std::string quote = bare ? "" : "\"";
    std::cout << "\n# " << entry.type << ", " << entry.range << '\n'
              << entry.name << " = " << quote << entry.fallback << quote << '\n';
  }
}

/// The comment a scenario begins with, and every parameter that differs from its default.
Result<void> describe(const std::string& file) {
  auto scenario = load_scenario(file);
  if (!scenario) return tl::unexpected(scenario.error());
  std::cout << scenario->title << "\n\n";
  std::ifstream in(file);
  for (std::string line; std::getline(in, line) && line.starts_with('#');) {
    std::cout << line.substr(std::min<std::size_t>(2, line.size())) << '\n';
  }
  std::cout << '\n';
  for (const auto& entry : entries_of(*scenario)) {
    if (entry.get() == entry.fallback) continue;
    std::cout << entry.key() << " = " << entry.get() << "  (default " << entry.fallback << ")\n";
  }
  for (const auto& [name, value] : scenario->attributes) {
    std::cout << name << " = " << value << '\n';
  }
  for (const Axis& axis : scenario->sweep.axes) {
    std::cout << "axis " << axis.key << ":";
    for (const auto& value : axis.values) std::cout << ' ' << value;
    std::cout << '\n';
  }
  return {};
}

CLI::App* add_sweep(CLI::App& app, SweepOptions& options) {
  auto* command = app.add_subcommand("sweep",
      "Run a scenario for all combinations of the axes' values, several times each. What is done "
      "already is not run again.");
  command->add_option("FILE", options.file, "A scenario; its [sweep] has the defaults of the rest")
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
  command->add_option("--measure", options.measure, "What to draw");
  command->add_option("--out", options.folder, "A folder for results (default: results/NAME)");
  command->add_option("--on", options.on,
      "Where runs happen: here, on a dunlin cluster (each run is a task), or on slurm");
  command->add_option("-j,--at-once", options.at_once, "Runs at a time (default: one per core)");
  command->add_flag("--print-commands", options.print_commands, "Print the runs, run none");
  command->add_flag("--quiet", options.quiet, "Print the table alone");
  return command;
}

int report(const Error& error) {
  std::cerr << "dunlin-sim: " << error.text << '\n';
  return error.kind == ErrorKind::usage ? 2 : 1;
}

int main_of(int argc, char** argv) {
  CLI::App app{"Dunlin's peers, by the thousand, on the event loop of ns-3.", "dunlin-sim"};
  app.set_version_flag("--version", DUNLIN_VERSION);
  app.require_subcommand(1);

  RunOptions options;
  auto* run_command = app.add_subcommand("run", "Run a scenario and print its figures.");
  run_command->add_option("FILE", options.file, "A scenario, e.g. sim/experiments/hello.toml")
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
  run_command->add_flag("--no-plots", options.no_plots, "No pictures beside the JSON file");
  run_command->add_flag("--quiet", options.quiet, "Print the figures alone");

  SweepOptions study;
  CLI::App* const sweep_command = add_sweep(app, study);

  std::string described;
  auto* describe_command =
      app.add_subcommand("describe", "Say what a scenario is, and what it sets.");
  describe_command->add_option("FILE", described, "A scenario")->required();

  std::string folder;
  auto* list_command = app.add_subcommand("list", "List the scenarios there are.");
  list_command->add_option("FOLDER", folder, "Where to look");
  auto* params_command =
      app.add_subcommand("params", "Print every parameter with its default, as a scenario file.");

  auto words = with_ns3_attributes({argv + 1, static_cast<std::size_t>(argc - 1)});
  std::ranges::reverse(words);  // As CLI11 wants them.
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (list_command->parsed()) list(folder);
  if (params_command->parsed()) params();
  Result<void> done;
  if (describe_command->parsed()) done = describe(described);
  if (sweep_command->parsed()) done = sweep(study);
  if (run_command->parsed()) done = run(options);
  return done ? 0 : report(done.error());
}

}  // namespace
}  // namespace dunlin::sim

int main(int argc, char** argv) {
  dunlin::sim::use_huge_pages(argv);
  try {
    return dunlin::sim::main_of(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "dunlin-sim: " << error.what() << '\n';
    return 1;
  }
}
