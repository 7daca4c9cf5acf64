// SPDX-License-Identifier: MIT
#include "node/control/cells/report_walk.h"

#include <limits>

#include "node/control/cells/cell_answer.h"

// A walk over the tree of cells that asks each manager for its report. Which nodes are asked, and
// whose word counts, CellWalk decides; this adds that a report may be too long for one answer, and
// then comes in pieces. A piece of another epoch than the first is of no use, and the cell is asked
// anew.
namespace dunlin::node {
namespace {

/// A report, as far as the walk goes on from it.
sched::WalkedCell walked(const CellReport& report) {
  sched::WalkedCell cell{.cell = report.cell, .epoch = report.epoch, .parent = report.parent};
  if (sched::level_of(report.cell) == 0) return cell;
  for (const ReportedMember& member : report.members) {
    cell.children.push_back({member.member.cell(), {member.node, member.address}});
  }
  return cell;
}

}  // namespace

std::vector<ReportWalk::Ask> ReportWalk::next(overlay::Time now) {
  std::vector<Ask> asks;
  for (const sched::CellWalk::Ask& ask : walk_.next(now)) {
    CellQuestion question = question_;
    question.request = ask.request;
    if (const auto rest = rests_.find(ask.to.id); rest != rests_.end()) {
      question.cell = rest->second.cell;
      question.after = rest->second.after;
      question.members_after = rest->second.members_after;
    }
    asks.push_back({ask.to, question});
  }
  return asks;
}

bool ReportWalk::on_answer(overlay::PeerId from, const CellAnswer& answer) {
  std::vector<sched::WalkedCell> cells;
  cells.reserve(answer.cells.size());
  for (const CellReport& report : answer.cells) cells.push_back(walked(report));
  std::vector<sched::ManagerPlace> places;
  places.reserve(answer.places.size());
  for (const CellPlace& place : answer.places) places.push_back(from_wire(place));
  if (!walk_.on_answer(from, answer.request, cells, places)) return false;
  sched::CellId rest_of;
  if (const auto node = rests_.extract(from)) rest_of = node.mapped().cell;
  for (const CellReport& report : answer.cells) {
    const auto manager = walk_.managers().find(report.cell);
    const bool counts = manager != walk_.managers().end() && manager->second.node == from &&
        manager->second.epoch == report.epoch;
    if (counts) keep(from, report, report.cell == rest_of);
  }
  return true;
}

// A report that is too long for one answer comes in several, of one epoch.
void ReportWalk::keep(overlay::PeerId from, const CellReport& report, bool rest) {
  const auto known = reports_.find(report.cell);
  if (!rest) {
    reports_[report.cell] = report;
    reports_[report.cell].manager = from;
    return ask_for_rest(from, report);
  }
  if (known == reports_.end() || known->second.epoch != report.epoch) {
    walk_.ask_again(from);
    return;
  }
  CellReport& kept = known->second;
  kept.partners.insert(kept.partners.end(), report.partners.begin(), report.partners.end());
  kept.more = report.more;
  kept.members.insert(kept.members.end(), report.members.begin(), report.members.end());
  kept.more_members = report.more_members;
  ask_for_rest(from, kept);
}

void ReportWalk::ask_for_rest(overlay::PeerId from, const CellReport& report) {
  constexpr sched::CellId kNoMore{std::numeric_limits<std::uint64_t>::max()};
  const bool partners = report.more && !report.partners.empty();
  const bool members = report.more_members && !report.members.empty();
  if (!partners && !members) return;
  rests_[from] = {.cell = report.cell,
      .after = partners ? report.partners.back().cell : kNoMore,
      .members_after = members ? report.members.back().member : sched::MemberId(kNoMore)};
  walk_.ask_again(from);
}

}  // namespace dunlin::node
