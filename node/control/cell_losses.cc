// SPDX-License-Identifier: MIT
#include "node/control/cell_losses.h"

#include <algorithm>

namespace dunlin::node {

CellTraces traces_of(const CellReports& reports, sched::CellId lost) {
  CellTraces traces{.manager = reports.contains(lost)};
  for (const auto& [cell, report] : reports) {
    if (cell == lost || report.closed) continue;
    const auto partner = std::ranges::find(report.partners, lost, &ReportedPartner::cell);
    const bool known = partner != report.partners.end();
    if (known && partner->lost) {
      traces.done[cell] = report.manager;
      continue;
    }
    const bool missing = std::ranges::count(report.missing, lost, &ReportedMissing::cell) > 0;
    const bool member = sched::level_of(cell) > 0 &&
        std::ranges::count(report.members, lost, &ReportedMember::member) > 0;
    if (!known && !missing && !member) continue;
    traces.open[cell] = report.manager;
    if (!known) continue;
    for (const auto& each : partner->outgoing) traces.under_way += each.tickets;
  }
  return traces;
}

}  // namespace dunlin::node
