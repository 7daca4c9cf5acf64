// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sim/report/gnuplot.h"
#include "sim/study/line_picture.h"
#include "sim/study/lines.h"
#include "sim/study/panels.h"
#include "sim/study/summary.h"
#include "sim/study/survival_picture.h"

namespace dunlin::sim {
namespace {

std::size_t axes_that_vary(const StudyPlan& plan) {
  return static_cast<std::size_t>(
      std::ranges::count_if(plan.axes, [](const Axis& axis) { return axis.values.size() > 1; }));
}

/// Lines, as long as they can be told apart; else a map of two axes, or panels.
PictureKind best_kind(const StudyPlan& plan, const Summary& summary) {
  const LineNames names(plan);
  std::vector<std::string> lines;
  for (const SummaryRow& row : summary.rows) {
    const auto name = names.of(row.settings);
    if (std::ranges::find(lines, name) == lines.end()) lines.push_back(name);
  }
  if (lines.size() <= kLooks) return PictureKind::lines;
  return axes_that_vary(plan) == 2 ? PictureKind::heat : PictureKind::facets;
}

Picture picture_of(const Study& study, const Summary& summary, const Shown& shown) {
  const StudyPlan& plan = study.plan;
  // References stand over the first axis, so a star has no place for them.
  const std::string figure(figures()[shown.measure].name);
  const bool referred = std::ranges::count(plan.references, figure, &Reference::measure) > 0;
  if (plan.design == Design::star && plan.axes.size() > 1) {
    return referred ? line_picture(study, summary, shown) : star_picture(study, summary, shown);
  }
  const bool chosen = plan.picture != PictureKind::best;
  switch (chosen ? plan.picture : best_kind(plan, summary)) {
    case PictureKind::heat:
      // A map of three axes would show only some of the rows: lines show all.
      if (axes_that_vary(plan) == 2) return heat_picture(study, summary, shown);
      break;
    case PictureKind::facets:
      if (axes_that_vary(plan) >= 2) return facet_picture(study, summary, shown);
      break;
    case PictureKind::best:
    case PictureKind::lines:
      break;
  }
  return line_picture(study, summary, shown);
}

}  // namespace

Result<void> draw_summary(
    const Study& study, const Summary& summary, const std::string& what, const std::string& base) {
  const std::string paired_base = base + "-paired";
  remove_pictures(base);
  remove_pictures(paired_base);
  const std::size_t measure = figure_index(what);
  const bool censored = std::ranges::any_of(
      summary.rows, [&](const SummaryRow& row) { return row.estimates[measure].censored > 0; });
  // Where it never came in some run there is no mean to draw.
  if (censored) return draw(survival_picture(study, summary, shown_figure(summary, measure)), base);
  const bool any = std::ranges::any_of(
      summary.rows, [&](const SummaryRow& row) { return row.estimates[measure].count > 0; });
  if (study.plan.axes.empty() || !any) return {};
  const auto paired = paired_of(study.plan, summary, measure);
  auto drawn = draw(picture_of(study, summary, shown_figure(summary, measure)), base);
  // Without gnuplot the script and the data are written all the same.
  const bool goes_on = drawn || drawn.error().kind == ErrorKind::not_found;
  if (!paired || !goes_on) return drawn;
  return draw(picture_of(study, paired->summary, paired->shown), paired_base);
}

}  // namespace dunlin::sim
