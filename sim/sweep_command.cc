// SPDX-License-Identifier: MIT
#include "sim/sweep_command.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "sim/report.h"
#include "sim/scenario.h"
#include "sim/study/summary.h"

namespace dunlin::sim {
namespace {

Result<Study> study_of(const SweepOptions& options) {
  const auto scenario = load_scenario(options.file);
  if (!scenario) return tl::unexpected(scenario.error());
  std::ifstream in(options.file);
  Study study{.file = std::filesystem::absolute(options.file).string(),
      .text = {std::istreambuf_iterator<char>(in), {}},
      .title = scenario->title,
      .plan = scenario->sweep,
      .settings = options.settings,
      .folder = options.folder};
  if (study.folder.empty()) {
    study.folder = "results/" + std::filesystem::path(options.file).stem().string();
  }
  study.folder = std::filesystem::absolute(study.folder).string();
  if (!options.axes.empty()) study.plan.axes.clear();
  for (const auto& text : options.axes) {
    const auto axis = parse_axis(text);
    if (!axis) return tl::unexpected(axis.error());
    study.plan.axes.push_back(*axis);
  }
  if (options.replications) study.plan.replications = *options.replications;
  if (!options.measure.empty()) study.plan.measure = options.measure;
  const auto known = figures();
  if (std::ranges::find(known, study.plan.measure, &Figure::name) == known.end()) {
    std::string names;
    for (const Figure& figure : known) names += " " + std::string(figure.name);
    return failure(ErrorKind::usage, "no measure '" + study.plan.measure + "'; there are:" + names);
  }
  return study;
}

/// A sweep of hours must not fail in its last trial for a value out of range.
Result<void> check(const Study& study) {
  for (const auto& combination : combinations_of(study.plan.axes)) {
    auto scenario = parse_scenario(study.text, study.file);
    if (!scenario) return tl::unexpected(scenario.error());
    for (const auto* settings : {&study.settings, &combination}) {
      if (auto set = apply_settings(*scenario, *settings); !set) return set;
    }
    if (auto valid = validate(*scenario); !valid) return valid;
    if (records(scenario->network)) {
      return failure(ErrorKind::usage,
          "network.pcap, flow_monitor and animation: all runs of a sweep would write the same "
          "files: set them for one run");
    }
  }
  return {};
}

Result<Runner> runner_of(const std::string& word) {
  if (word == "here") return Runner::here;
  if (word == "dunlin") return Runner::dunlin;
  if (word == "slurm") return Runner::slurm;
  return failure(ErrorKind::usage, "--on " + word + ": expected one of: here, dunlin, slurm");
}

}  // namespace

Result<void> sweep(const SweepOptions& options) {
  const auto study = study_of(options);
  if (!study) return tl::unexpected(study.error());
  if (auto fine = check(*study); !fine) return fine;
  const auto runner = runner_of(options.on);
  if (!runner) return tl::unexpected(runner.error());
  const auto trials = trials_of(*study);
  if (options.print_commands) {
    for (const Trial& trial : trials) {
      std::cout << shell_command_of(*study, trial, "dunlin-sim") << '\n';
    }
    return {};
  }
  const auto done = run_trials(
      *study, trials, {.runner = *runner, .at_once = options.at_once, .quiet = options.quiet});
  if (!done) return done;

  const auto summary = summarize(*study, trials);
  if (!summary) return tl::unexpected(summary.error());
  const std::string base = study->folder + "/summary";
  if (auto written = write_file(base + ".csv", summary->csv(study->plan)); !written) return written;
  if (auto written = write_file(base + ".json", summary->json(*study)); !written) return written;
  std::cout << (study->title.empty() ? "" : study->title + "\n\n") << summary->table(study->plan);
  if (!options.quiet) std::cerr << "\n" << base << ".csv, .json, .svg, .png\n";
  const auto drawn = draw_summary(*study, *summary, base);
  if (!drawn && drawn.error().kind == ErrorKind::not_found) {
    std::cerr << drawn.error().text << '\n';
    return {};
  }
  return drawn;
}

}  // namespace dunlin::sim
