// SPDX-License-Identifier: MIT
#include "sim/study/shown.h"

#include <algorithm>

#include "sim/study/scales.h"

// The same seeds draw the same jobs for all settings. A hard seed is hard for each of them, and
// makes intervals wide that say nothing about the settings. The difference of two runs of one seed
// is free of that, so its interval is the one that tells whether a setting matters.
// Source: common random numbers; Law, Simulation Modeling and Analysis, section 11.2.
namespace dunlin::sim {
namespace {

std::string meaning_of(std::size_t measure) {
  const Figure figure = figures()[measure];
  return std::string(figure.meaning.empty() ? figure.name : figure.meaning);
}

/// The settings but for the first, as a name; "the first" where they are not the same everywhere.
std::string name_of_firsts(const StudyPlan& plan, const Summary& summary) {
  std::string name;
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    const SummaryRow& row = summary.rows[i];
    if (row.compared_with != i) continue;
    const std::string here = line_name(plan, row.settings);
    if (!name.empty() && here != name) return "the first";
    name = here;
  }
  return name.empty() ? "the first" : name;
}

}  // namespace

std::string note_on_runs(const Summary& summary, std::size_t measure) {
  std::size_t runs_min = 0, runs_max = 0;
  for (const SummaryRow& row : summary.rows) {
    const std::size_t count = row.estimates[measure].count;
    if (count == 0) continue;
    runs_min = runs_min == 0 ? count : std::min(runs_min, count);
    runs_max = std::max(runs_max, count);
  }
  if (runs_max <= 1) return "single runs";
  const std::string runs = runs_min == runs_max
      ? std::to_string(runs_max)
      : std::to_string(runs_min) + " to " + std::to_string(runs_max);
  return "means of " + runs + " runs; bars: 95 % confidence (Student's t)";
}

Shown shown_figure(const Summary& summary, std::size_t measure) {
  return {
      .measure = measure, .meaning = meaning_of(measure), .note = note_on_runs(summary, measure)};
}

std::optional<Paired> paired_of(
    const StudyPlan& plan, const Summary& summary, std::size_t measure) {
  const bool multiples = floor_of_orders(summary, measure).has_value();
  const double level = multiples ? 1 : 0;
  Paired paired{.summary = summary, .shown = {}};
  bool any = false;
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    const std::size_t first = summary.rows[i].compared_with;
    Estimate& estimate = paired.summary.rows[i].estimates[measure];
    if (first == i) {
      // The centre of a star is a point of each of its lines.
      const bool centre = plan.design == Design::star && estimate.count > 0;
      estimate =
          centre ? Estimate{.mean = level, .half_width = 0, .count = estimate.count} : Estimate{};
      continue;
    }
    estimate = multiples ? paired_multiple(summary, i, first, measure)
                         : paired_difference(summary, i, first, measure);
    any = any || estimate.count > 1;
  }
  if (!any) return std::nullopt;
  const std::string first = name_of_firsts(plan, summary);
  paired.shown = {.measure = measure,
      .meaning =
          meaning_of(measure) + (multiples ? ": multiple of " : ": difference from ") + first,
      .note = "paired by seed; " + note_on_runs(paired.summary, measure),
      .level = level,
      .level_name = first};
  return paired;
}

}  // namespace dunlin::sim
