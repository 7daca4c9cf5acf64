// SPDX-License-Identifier: MIT
#include "sim/command/run_command.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "sim/command/find_scenario.h"
#include "sim/command/load_warning.h"
#include "sim/engine/simulation.h"
#include "sim/engine/workload_of.h"
#include "sim/report/plot.h"
#include "sim/report/progress.h"
#include "sim/report/report.h"
#include "sim/report/resource_report.h"
#include "sim/report/write_file.h"
#include "sim/study/read_plan.h"

namespace dunlin::sim {
namespace {

Result<Scenario> scenario_of(const RunOptions& options) {
  const auto file = find_scenario(options.file);
  if (!file) return tl::unexpected(file.error());
  auto scenario = load_scenario(*file);
  if (!scenario) return scenario;
  // No run needs the plan, but its author wants to hear what is wrong with it.
  if (const auto plan = load_plan(*file); !plan) return tl::unexpected(plan.error());
  if (const auto set = apply_settings(*scenario, options.settings); !set) {
    return tl::unexpected(set.error());
  }
  scenario->title = title_with(scenario->title, options.settings);
  if (options.seed) scenario->simulation.seed = *options.seed;
  if (options.run) scenario->simulation.run = *options.run;
  if (!options.data.empty()) scenario->trace.data = options.data;
  if (options.strict) scenario->trace.strict = true;
  // After --set, which may say the scale.
  if (const auto scaled = apply_scale(*scenario); !scaled) return tl::unexpected(scaled.error());
  if (const auto valid = validate(*scenario); !valid) return tl::unexpected(valid.error());
  return scenario;
}

Result<void> write_outputs(const Simulation& run, const RunOptions& options) {
  if (!options.csv.empty()) {
    if (auto written = write_csv(run, options.csv); !written) return written;
    const auto resources = write_file(options.csv + "/resources.csv", resources_csv_of(run));
    if (!resources) return resources;
  }
  if (options.json.empty()) return {};
  if (auto written = write_file(options.json, json_of(run)); !written) return written;
  if (options.no_plots) return {};
  const auto base = std::filesystem::path(options.json).replace_extension().string();
  const auto drawn = draw_delays(run, base);
  if (drawn) return {};
  // Without gnuplot there are all figures, and no picture: that is told, and no failure.
  if (drawn.error().kind != ErrorKind::not_found) return drawn;
  if (!options.quiet) std::cerr << drawn.error().text << '\n';
  return {};
}

/// A file that something is written to during the run; none if it has no name.
template <typename Writer>
class Written {
 public:
  explicit Written(std::string name) : name_(std::move(name)) {}

  Result<void> open() {
    if (name_.empty()) return {};
    file_.open(name_, std::ios::binary);
    if (!file_) return failure_of(errno, name_);
    writer_.emplace(file_);
    return {};
  }
  /// Null if it has no name.
  Writer* writer() { return writer_ ? &*writer_ : nullptr; }
  Result<void> close() {
    if (!writer_) return {};
    file_.close();
    if (!file_) return failure_of(errno, name_);
    return {};
  }

 private:
  std::string name_;
  std::ofstream file_;
  std::optional<Writer> writer_;
};

/// Checks this first: a long run must not fail at its end because it has no place to write to.
Result<void> check_writable(const std::string& file) {
  if (file.empty()) return {};
  std::error_code code;
  const bool there = std::filesystem::exists(file, code);
  // To append: a result of an earlier run stays as it is until this one has its own.
  if (!std::ofstream(file, std::ios::app)) return failure_of(errno, file);
  // An empty file is no result.
  if (!there) std::filesystem::remove(file, code);
  return {};
}

/// The time when jobs will have ceased to come; for the progress bar.
Duration expected_end(const Scenario& scenario, Duration trace_length) {
  const Duration all = scenario.simulation.duration;
  if (trace_length == Duration{0}) return all;
  return std::min(all, scenario.workload.first_job + trace_length);
}

}  // namespace

std::string title_with(const std::string& title, std::span<const std::string> settings) {
  if (title.empty() || settings.empty()) return title;
  constexpr std::size_t kShown = 4;
  std::string text = title + " (but ";
  for (std::size_t i = 0; i < std::min(settings.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + settings[i];
  }
  if (settings.size() > kShown) text += ", ...";
  return text + ")";
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
  if (const auto warning = load_warning(*scenario, workload->get()); !warning.empty()) {
    std::cerr << warning << '\n';
  }
  Written<Trace> trace(options.trace);
  Written<EventLog> events(options.events);
  if (const auto opened = trace.open(); !opened) return opened;
  if (const auto opened = events.open(); !opened) return opened;

  Simulation simulation(*scenario, trace.writer(), *std::move(workload), events.writer());
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

  if (const auto closed = trace.close(); !closed) return closed;
  if (const auto closed = events.close(); !closed) return closed;
  // Figures that depend on the machine go to stderr: the same seed prints the same on stdout.
  std::cout << table_of(simulation);
  if (!options.quiet) std::cerr << '\n' << cost_of(simulation);
  return write_outputs(simulation, options);
}

}  // namespace dunlin::sim
