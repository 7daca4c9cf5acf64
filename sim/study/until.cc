// SPDX-License-Identifier: MIT
#include "sim/study/until.h"

#include <algorithm>
#include <cmath>

#include "overlay/param_entries.h"

// The half width of an interval shrinks with the root of the number of runs, so the spread seen so
// far tells how many runs are missing. It is itself uncertain when runs are few; hence at most
// twice as many a round. Stopping as soon as an interval is narrow makes it a little narrower than
// it should be, the more so the fewer runs there are: Law, section 9.4.1.
namespace dunlin::sim {

bool is_narrow(const Estimate& estimate, double until) {
  return estimate.count >= kRunsAtFirst && estimate.half_width <= until * std::abs(estimate.mean);
}

std::vector<std::uint32_t> runs_of(const Summary& summary) {
  std::vector<std::uint32_t> runs(summary.rows.size());
  for (const Replication& each : summary.replications) ++runs[each.row];
  return runs;
}

std::vector<std::uint32_t> wanted_runs(
    const Summary& summary, std::size_t measure, double until, std::uint32_t runs_max) {
  std::vector<std::uint32_t> wanted = runs_of(summary);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Estimate& estimate = summary.rows[i].estimates[measure];
    const std::uint32_t has = wanted[i];
    if (estimate.count == 0 || is_narrow(estimate, until)) continue;
    const double target = until * std::abs(estimate.mean);
    const double factor = target > 0 ? std::pow(estimate.half_width / target, 2) : 2.0;
    // The spread of few runs may be seen far too large: so not more than twice as many at once.
    const double needed = std::ceil(has * std::min(factor, 2.0));
    const auto runs = std::max({has + 1, kRunsAtFirst, static_cast<std::uint32_t>(needed)});
    wanted[i] = std::min(runs, std::max(runs_max, has));
  }
  return wanted;
}

std::string wide_rows(
    const Summary& summary, std::size_t measure, double until, std::uint32_t runs_max) {
  const auto missing = std::ranges::count_if(summary.rows, [&](const SummaryRow& row) {
    const Estimate& estimate = row.estimates[measure];
    return estimate.count == 0 && estimate.runs > 0;
  });
  std::string text;
  if (missing > 0) {
    text = std::to_string(missing) + " of " + std::to_string(summary.rows.size()) +
        " combinations have no mean, as it never came in some run, or there was nothing to take it "
        "of: --until says nothing of them, use --replications";
  }
  const auto wide = std::ranges::count_if(summary.rows, [&](const SummaryRow& row) {
    const Estimate& estimate = row.estimates[measure];
    return estimate.count > 0 && !is_narrow(estimate, until);
  });
  if (wide == 0) return text;
  return text + (text.empty() ? "" : "\n") + std::to_string(wide) + " of " +
      std::to_string(summary.rows.size()) + " combinations are not within " +
      overlay::number_text(until * 100) + " % after " + std::to_string(runs_max) +
      " runs: raise --runs-max, or --until";
}

}  // namespace dunlin::sim
