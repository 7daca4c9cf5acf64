// SPDX-License-Identifier: MIT
#include "sim/command/sweep_command.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

#include "sim/command/check_study.h"
#include "sim/command/find_scenario.h"
#include "sim/command/load_warning.h"
#include "sim/measure/health.h"
#include "sim/report/report.h"
#include "sim/report/terminal.h"
#include "sim/report/write_file.h"
#include "sim/scenario/advice.h"
#include "sim/scenario/scenario.h"
#include "sim/study/class_shares.h"
#include "sim/study/read_plan.h"
#include "sim/study/summary.h"
#include "sim/study/timeline.h"
#include "sim/study/trial_names.h"
#include "sim/study/until.h"

// A sweep is a folder: each run leaves a file there, named by what it ran, and a run whose file is
// there is not repeated. So a sweep that was broken off goes on, an axis may be made longer, and
// with --until rounds are added until intervals are narrow enough. Tables and pictures are made
// from the files alone.
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
  // Axes of the command line take the place of the file's, all together: half of each would be a
  // third study.
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
  if (!options.picture.empty()) {
    const auto picture = parse_picture(options.picture);
    if (!picture) return tl::unexpected(picture.error());
    study.plan.picture = *picture;
  }
  if (!options.until.empty()) {
    const auto until = parse_until(options.until);
    if (!until) return tl::unexpected(until.error());
    study.plan.until = *until;
  }
  if (options.replications) study.plan.replications = *options.replications;
  // An interval needs more than one run, and --until goes by intervals.
  if (study.plan.until > 0) {
    study.plan.replications = std::max(study.plan.replications, kRunsAtFirst);
  }
  if (!options.measure.empty()) study.plan.measure = options.measure;
  return study;
}

Result<Runner> runner_of(const std::string& word) {
  if (word == "here") return Runner::here;
  if (word == "dunlin") return Runner::dunlin;
  if (word == "slurm") return Runner::slurm;
  return failure(ErrorKind::usage, "--on " + word + advice(word, {"here", "dunlin", "slurm"}));
}

/// Tells which files there are. A missing gnuplot is no failure, and is told once.
class Announcer {
 public:
  explicit Announcer(bool quiet) : quiet_(quiet) {}

  /// `tables` of `base`, and its pictures if there are any.
  Result<void> tell(const Result<void>& drawn, const std::string& base, const std::string& tables) {
    if (!drawn && drawn.error().kind != ErrorKind::not_found) return drawn;
    const std::string pictures = pictures_of(base);
    if (!quiet_ && !(tables + pictures).empty()) {
      const bool both = !tables.empty() && !pictures.empty();
      std::cerr << '\n' << base << tables << (both ? ", " : "") << pictures << '\n';
    }
    const std::string paired = pictures_of(base + "-paired");
    if (!quiet_ && !paired.empty()) std::cerr << base << "-paired" << paired << '\n';
    if (!drawn && !std::exchange(told_, true)) std::cerr << drawn.error().text << '\n';
    return {};
  }

 private:
  static std::string pictures_of(const std::string& base) {
    if (std::filesystem::exists(base + ".svg")) return ".svg, .png, .pdf, .gp, .dat";
    return std::filesystem::exists(base + ".gp") ? ".gp, .dat" : "";
  }

  bool quiet_;
  bool told_ = false;
};

Result<void> show_timeline(const Study& study,
    const std::vector<Trial>& trials,
    const std::string& measure,
    Announcer& announcer) {
  const auto timeline = timeline_of(study, trials, measure);
  if (!timeline) return tl::unexpected(timeline.error());
  const std::string base = study.folder + "/" + measure;
  if (auto written = write_file(base + ".csv", timeline->csv()); !written) return written;
  std::cout << '\n'
            << measure << ": " << meaning_of_timeline(measure) << "\n\n"
            << timeline->table(terminal_columns());
  return announcer.tell(draw_timeline(study, *timeline, base), base, ".csv");
}

/// Draws a picture of the measure, and one of each further figure.
Result<void> draw_all(
    const Study& study, const Summary& summary, const std::string& base, Announcer& announcer) {
  auto said = announcer.tell(
      draw_summary(study, summary, study.plan.measure, base), base, ".csv, .json, runs.csv");
  for (const std::string& measure : study.plan.also) {
    if (!said) return said;
    const std::string other = study.folder + "/" + measure;
    said = announcer.tell(draw_summary(study, summary, measure, other), other, "");
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
Result<void> show_shares(
    const Study& study, const std::vector<Trial>& trials, Announcer& announcer) {
  if (!is_about_shares(study.plan)) return {};
  const auto shares = class_shares_of(study, trials);
  if (!shares) return tl::unexpected(shares.error());
  if (shares->classes.empty()) return {};
  const std::string base = study.folder + "/shares";
  std::cout << "\nshares: what each class had of all that was occupied\n\n"
            << shares->table(terminal_columns());
  return announcer.tell(draw_class_shares(study, *shares, base), base, "");
}

/// The trials of a study and what came of them.
struct Outcome {
  std::vector<Trial> trials;
  Summary summary;
};

/// Prints the table of the trials that ran, where some failed: those that ran may have taken days.
/// Nothing is written, because files of results are of a whole sweep.
void show_those_that_ran(const Study& study, const std::vector<Trial>& trials) {
  const auto summary = summarize_done(study, trials);
  if (!summary || summary->replications.empty()) return;
  std::cout << (study.title.empty() ? "" : study.title + "\n\n")
            << summary->table(study.plan, terminal_columns());
}

/// Runs what is not done, and again as long as intervals are too wide. Empty if it was only handed
/// over.
Result<std::optional<Outcome>> run_study(
    Study& study, const RunnerOptions& runner, std::uint32_t runs_max) {
  const std::size_t measure = figure_index(study.plan.measure);
  while (true) {
    Outcome outcome{.trials = trials_of(study), .summary = {}};
    const auto done = run_trials(study, outcome.trials, runner);
    if (!done) {
      show_those_that_ran(study, outcome.trials);
      return tl::unexpected(done.error());
    }
    if (!*done) return std::nullopt;
    auto summary = summarize(study, outcome.trials);
    if (!summary) return tl::unexpected(summary.error());
    outcome.summary = *std::move(summary);
    if (study.plan.until == 0) return outcome;
    auto wanted = wanted_runs(outcome.summary, measure, study.plan.until, runs_max);
    const auto has = runs_of(outcome.summary);
    // No row needs more runs, or may have more.
    if (wanted == has) {
      const auto wide = wide_rows(outcome.summary, measure, study.plan.until, runs_max);
      if (!wide.empty()) std::cerr << wide << '\n';
      return outcome;
    }
    study.runs = std::move(wanted);
  }
}

/// Writes the tables, prints one, and draws.
Result<void> show(const Study& study, const Outcome& outcome, bool quiet) {
  const auto& [trials, summary] = outcome;
  const std::string base = study.folder + "/summary";
  // Written before anything is drawn: without gnuplot the figures are there all the same.
  const std::pair<std::string, std::string> files[] = {{base + ".csv", summary.csv(study.plan)},
      {base + ".json", summary.json(study)},
      {study.folder + "/runs.csv", summary.tidy_csv(study.plan)}};
  for (const auto& [file, text] : files) {
    if (auto written = write_file(file, text); !written) return written;
  }
  std::cout << (study.title.empty() ? "" : study.title + "\n\n")
            << summary.table(study.plan, terminal_columns());
  Announcer announcer(quiet);
  if (auto drawn = draw_all(study, summary, base, announcer); !drawn) return drawn;
  if (auto shown = show_shares(study, trials, announcer); !shown) return shown;
  for (const std::string& measure : study.plan.timelines) {
    if (auto shown = show_timeline(study, trials, measure, announcer); !shown) return shown;
  }
  return {};
}

}  // namespace

Result<void> sweep(const SweepOptions& options) {
  auto study = study_of(options);
  if (!study) return tl::unexpected(study.error());
  if (auto fine = check_study(*study); !fine) return fine;
  const auto runner = runner_of(options.on);
  if (!runner) return tl::unexpected(runner.error());
  if (study->plan.until > 0 && *runner == Runner::slurm) {
    return failure(ErrorKind::usage,
        "--until needs each round's results: use --on here or dunlin, or --replications");
  }
  if (const auto warning = load_warning(*study); !warning.empty()) std::cerr << warning << '\n';
  if (options.print_commands) {
    for (const Trial& trial : trials_of(*study)) {
      std::cout << shell_command_of(*study, trial, "dunlin-sim") << '\n';
    }
    return {};
  }
  const auto outcome = run_study(*study,
      {.runner = *runner, .at_once = options.at_once, .quiet = options.quiet}, options.runs_max);
  if (!outcome) return tl::unexpected(outcome.error());
  return *outcome ? show(*study, **outcome, options.quiet) : Result<void>{};
}

}  // namespace dunlin::sim
