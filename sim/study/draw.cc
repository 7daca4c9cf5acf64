// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sim/report/gnuplot.h"
#include "sim/study/line_picture.h"
#include "sim/study/scales.h"
#include "sim/study/summary.h"

namespace dunlin::sim {

Result<void> draw_summary(
    const Study& study, const Summary& summary, const std::string& what, const std::string& base) {
  const auto& plan = study.plan;
  if (plan.axes.empty()) {
    remove_pictures(base);
    return {};
  }
  const auto all = figures();
  const auto measure =
      static_cast<std::size_t>(std::ranges::find(all, what, &Figure::name) - all.begin());
  // References stand over the first axis, so a star has no place for them.
  const bool referred = std::ranges::count(plan.references, what, &Reference::measure) > 0;
  if (plan.design == Design::star && plan.axes.size() > 1 && !referred) {
    return draw_star(study, summary, measure, base);
  }
  const PictureText picture = line_picture(study, summary, measure);
  return draw(picture.script, picture.plot, base);
}

}  // namespace dunlin::sim
