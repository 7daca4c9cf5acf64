// SPDX-License-Identifier: MIT
#include "sim/command/sweep_command.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "sim/command/check_study.h"
#include "sim/command/find_scenario.h"
#include "sim/command/load_warning.h"
#include "sim/measure/health.h"
#include "sim/report/report.h"
#include "sim/report/terminal.h"
#include "sim/scenario/advice.h"
#include "sim/scenario/scenario.h"
#include "sim/study/class_shares.h"
#include "sim/study/read_plan.h"
#include "sim/study/summary.h"
#include "sim/study/timeline.h"
#include "sim/study/trial_names.h"

namespace dunlin::sim {
namespace {

Result<Study> study_of(const SweepOptions& options) {
  const auto file = find_scenario(options.file);
  if (!file) return tl::unexpected(file.error());
  const auto text = read_text(*file);
  if (!text) return tl::unexpected(text.error());
  const auto scenario = parse_scenario(*text, *file);
  if (!scenario) return tl::unexpected(scenario.error());
  const auto plan = parse_plan(*text, *file);
  if (!plan) return tl::unexpected(plan.error());
  Study study{.file = std::filesystem::absolute(*file).string(),
      .text = *text,
      .title = scenario->title,
      .plan = *plan,
      .settings = options.settings,
      .folder = options.folder,
      .build = build_of_this_program()};
  if (study.folder.empty()) {
    study.folder = "results/" + scenario_name(*file);
  }
  study.folder = std::filesystem::absolute(study.folder).string();
  if (!options.axes.empty()) study.plan.axes.clear();
  for (const auto& words : options.axes) {
    const auto axis = parse_axis(words);
    if (!axis) return tl::unexpected(axis.error());
    study.plan.axes.push_back(*axis);
  }
  if (!options.design.empty()) {
    const auto design = parse_design(options.design);
    if (!design) return tl::unexpected(design.error());
    study.plan.design = *design;
  }
  if (options.replications) study.plan.replications = *options.replications;
  if (!options.measure.empty()) study.plan.measure = options.measure;
  return study;
}

Result<Runner> runner_of(const std::string& word) {
  if (word == "here") return Runner::here;
  if (word == "dunlin") return Runner::dunlin;
  if (word == "slurm") return Runner::slurm;
  return failure(ErrorKind::usage, "--on " + word + advice(word, {"here", "dunlin", "slurm"}));
}

/// Says which files there are: `tables` of `base`, and its pictures if they were drawn. A missing
/// gnuplot is no failure.
Result<void> announce(
    const Result<void>& drawn, const std::string& base, const std::string& tables, bool quiet) {
  if (!drawn && drawn.error().kind != ErrorKind::not_found) return drawn;
  const std::string pictures = std::filesystem::exists(base + ".svg") ? ".svg, .png" : "";
  const std::string between = tables.empty() || pictures.empty() ? "" : ", ";
  if (!quiet && !(tables + pictures).empty()) {
    std::cerr << '\n' << base << tables << between << pictures << '\n';
  }
  if (!drawn) std::cerr << drawn.error().text << '\n';
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
            << timeline->table(terminal_columns());
  return announce(draw_timeline(study, *timeline, base), base, ".csv", quiet);
}

/// Draws a picture of the measure, and one of each further figure.
Result<void> draw_all(
    const Study& study, const Summary& summary, const std::string& base, bool quiet) {
  auto said =
      announce(draw_summary(study, summary, study.plan.measure, base), base, ".csv, .json", quiet);
  for (const std::string& measure : study.plan.also) {
    if (!said) return said;
    const std::string other = study.folder + "/" + measure;
    said = announce(draw_summary(study, summary, measure, other), other, "", quiet);
  }
  return said;
}

/// True if the study is about shares. Where few jobs run, the shares that classes had mean nothing.
bool is_about_shares(const StudyPlan& plan) {
  const auto is_share = [](const std::string& name) { return name.starts_with("share"); };
  return is_share(plan.measure) || std::ranges::any_of(plan.also, is_share) ||
      std::ranges::any_of(plan.timelines, is_share);
}

/// Prints and draws the share of each class, if the study is about shares.
Result<void> show_shares(const Study& study, const std::vector<Trial>& trials, bool quiet) {
  if (!is_about_shares(study.plan)) return {};
  const auto shares = class_shares_of(study, trials);
  if (!shares) return tl::unexpected(shares.error());
  if (shares->classes.empty()) return {};
  const std::string base = study.folder + "/shares";
  std::cout << "\nshares: what each class had of all that was occupied\n\n"
            << shares->table(terminal_columns());
  return announce(draw_class_shares(study, *shares, base), base, "", quiet);
}

}  // namespace

Result<void> sweep(const SweepOptions& options) {
  const auto study = study_of(options);
  if (!study) return tl::unexpected(study.error());
  if (auto fine = check_study(*study); !fine) return fine;
  const auto runner = runner_of(options.on);
  if (!runner) return tl::unexpected(runner.error());
  if (const auto warning = load_warning(*study); !warning.empty()) std::cerr << warning << '\n';
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
  std::cout << (study->title.empty() ? "" : study->title + "\n\n")
            << summary->table(study->plan, terminal_columns());
  if (auto drawn = draw_all(*study, *summary, base, options.quiet); !drawn) return drawn;
  if (auto shown = show_shares(*study, trials, options.quiet); !shown) return shown;
  for (const std::string& measure : study->plan.timelines) {
    if (auto shown = show_timeline(*study, trials, measure, options.quiet); !shown) return shown;
  }
  return {};
}

}  // namespace dunlin::sim
