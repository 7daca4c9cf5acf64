// SPDX-License-Identifier: MIT
#include "sim/sweep_command.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "sim/measure/health.h"
#include "sim/measure/report.h"
#include "sim/scenario/scenario.h"
#include "sim/study/class_shares.h"
#include "sim/study/summary.h"
#include "sim/study/timeline.h"

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
  if (auto told = check_cases(study.plan); !told) return tl::unexpected(told.error());
  if (!options.design.empty()) {
    const auto design = parse_design(options.design);
    if (!design) return tl::unexpected(design.error());
    study.plan.design = *design;
  }
  if (options.replications) study.plan.replications = *options.replications;
  if (!options.measure.empty()) study.plan.measure = options.measure;
  const auto known = figures();
  std::vector<std::string> wanted = study.plan.also;
  wanted.push_back(study.plan.measure);
  for (const auto& measure : wanted) {
    if (std::ranges::find(known, measure, &Figure::name) != known.end()) continue;
    std::string names;
    for (const Figure& figure : known) names += " " + std::string(figure.name);
    return failure(ErrorKind::usage, "no measure '" + measure + "'; there are:" + names);
  }
  return study;
}

/// A sweep of hours must not fail in its last trial for a value out of range.
Result<void> check(const Study& study) {
  for (const auto& planned : planned_combinations(study.plan)) {
    const Settings combination = full_settings(study.plan, planned);
    auto scenario = parse_scenario(study.text, study.file);
    if (!scenario) return tl::unexpected(scenario.error());
    for (const auto* settings : {&study.settings, &combination}) {
      if (auto set = apply_settings(*scenario, *settings); !set) return set;
    }
    if (auto scaled = apply_scale(*scenario); !scaled) return scaled;
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

/// No gnuplot is no failure.
Result<void> seen(const Result<void>& drawn) {
  if (drawn || drawn.error().kind != ErrorKind::not_found) return drawn;
  std::cerr << drawn.error().text << '\n';
  return {};
}

Result<void> show_timeline(
    const Study& study, const std::vector<Trial>& trials, const std::string& measure, bool quiet) {
  const auto timeline = timeline_of(study, trials, measure);
  if (!timeline) return tl::unexpected(timeline.error());
  const std::string base = study.folder + "/" + measure;
  if (auto written = write_file(base + ".csv", timeline->csv()); !written) return written;
  std::cout << '\n'
            << measure << ": " << meaning_of_timeline(measure) << "\n\n"
            << timeline->table();
  if (!quiet) std::cerr << "\n" << base << ".csv, .svg, .png\n";
  return seen(draw_timeline(study, *timeline, base));
}

/// A picture of the measure, and one of each that is to be shown besides.
Result<void> draw_all(
    const Study& study, const Summary& summary, const std::string& base, bool quiet) {
  auto drawn = seen(draw_summary(study, summary, study.plan.measure, base));
  for (const std::string& measure : study.plan.also) {
    if (!drawn) return drawn;
    const std::string other = study.folder + "/" + measure;
    if (!quiet) std::cerr << other << ".svg, .png\n";
    drawn = seen(draw_summary(study, summary, measure, other));
  }
  return drawn;
}

/// True if what is looked at has to do with shares: where few jobs run, who had what says nothing.
bool is_about_shares(const StudyPlan& plan) {
  const auto is_share = [](const std::string& name) { return name.starts_with("share"); };
  return is_share(plan.measure) || std::ranges::any_of(plan.also, is_share) ||
      std::ranges::any_of(plan.timelines, is_share);
}

/// What each class had, if that is the question.
Result<void> show_shares(const Study& study, const std::vector<Trial>& trials, bool quiet) {
  if (!is_about_shares(study.plan)) return {};
  const auto shares = class_shares_of(study, trials);
  if (!shares) return tl::unexpected(shares.error());
  if (shares->classes.empty()) return {};
  const std::string base = study.folder + "/shares";
  std::cout << "\nshares: what each class had of all that was occupied\n\n" << shares->table();
  if (!quiet) std::cerr << "\n" << base << ".svg, .png\n";
  return seen(draw_class_shares(study, *shares, base));
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
  if (!done) return tl::unexpected(done.error());
  if (!*done) return {};

  const auto summary = summarize(*study, trials);
  if (!summary) return tl::unexpected(summary.error());
  const std::string base = study->folder + "/summary";
  if (auto written = write_file(base + ".csv", summary->csv(study->plan)); !written) return written;
  if (auto written = write_file(base + ".json", summary->json(*study)); !written) return written;
  std::cout << (study->title.empty() ? "" : study->title + "\n\n") << summary->table(study->plan);
  if (!options.quiet) std::cerr << "\n" << base << ".csv, .json, .svg, .png\n";
  if (auto drawn = draw_all(*study, *summary, base, options.quiet); !drawn) return drawn;
  if (auto shown = show_shares(*study, trials, options.quiet); !shown) return shown;
  for (const std::string& measure : study->plan.timelines) {
    if (auto shown = show_timeline(*study, trials, measure, options.quiet); !shown) return shown;
  }
  return {};
}

}  // namespace dunlin::sim
