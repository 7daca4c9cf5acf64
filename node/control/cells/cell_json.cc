// SPDX-License-Identifier: MIT
#include "node/control/cells/cell_json.h"

#include <algorithm>
#include <set>

#include "node/control/cells/balance_ring.h"
#include "node/control/cells/class_table.h"
#include "node/ids.h"
#include "sched/ledger/class_version.h"
#include "sched/sharing/apportion.h"

// Reports of cells, put together. Each ticket is counted once, in the cells of nodes, because the
// levels above sum up the same ones; and what a class should have is computed from one table of
// classes, the newest, since cells learn of a change one after the other.
namespace dunlin::node {
namespace {

using sched::CellId;

/// `cell` and all that are below it; without one, all there are.
std::set<CellId> below(const CellReports& reports, CellId cell) {
  std::set<CellId> found;
  if (cell) found.insert(cell);
  // A parent's id is higher than its children's: its level stands in front.
  for (auto each = reports.rbegin(); each != reports.rend(); ++each) {
    if (!cell || found.contains(each->second.parent)) found.insert(each->first);
  }
  return found;
}

void put_below(const CellReports& reports, CellId parent, const NameOf& name_of, Json& cells) {
  // The highest levels first.
  for (auto each = reports.rbegin(); each != reports.rend(); ++each) {
    const auto& [cell, report] = *each;
    const bool is_root =
        !reports.contains(report.parent) || sched::level_of(report.parent) <= sched::level_of(cell);
    if ((is_root ? CellId{} : report.parent) != parent) continue;
    cells.push_back(cell_json(report, name_of));
    if (sched::level_of(cell) > 0) put_below(reports, cell, name_of, cells);
  }
}

}  // namespace

std::vector<ShareLine> share_lines(const CellReports& reports, CellId cell) {
  std::vector<ShareLine> lines;
  sched::Tickets tickets = 0;
  const std::set<CellId> counted = below(reports, cell);
  // The newest table names the classes.
  // Cells learn of a change one after the other; a share that is printed by two tables would add up
  // to more than all.
  const CellReport* newest = nullptr;
  for (const auto& [id, report] : reports) {
    if (newest == nullptr || report.version > newest->version) newest = &report;
  }
  if (newest == nullptr) return lines;
  std::vector<sched::Tickets> weights;
  for (const ReportedShare& share : newest->shares) {
    lines.push_back({.name = share.name, .weight = share.weight});
    weights.push_back(std::max<sched::Tickets>(share.weight, 0));
  }
  for (const auto& [id, report] : reports) {
    // Cells of nodes alone: the levels above count the same tickets again.
    if (sched::level_of(id) != 0 || !counted.contains(id)) continue;
    tickets += report.tickets;
    for (const ReportedShare& share : report.shares) {
      const auto line = std::ranges::find(lines, share.name, &ShareLine::name);
      if (line == lines.end()) continue;
      line->granted += share.granted;
      line->used += share.used;
      line->cpu += share.cpu;
      line->need += share.need;
      line->balance += share.balance;
    }
  }
  const auto desired = sched::apportion(std::max<sched::Tickets>(tickets, 0), weights);
  for (std::size_t j = 0; j < lines.size(); ++j) lines[j].desired = desired[j];
  std::ranges::sort(lines, {}, &ShareLine::name);
  return lines;
}

std::vector<BalanceLine> balance_lines(const CellReports& reports, CellId cell) {
  const std::set<CellId> counted = below(reports, cell);
  std::size_t steps = BalanceRing::kSize;
  bool any = false;
  for (const auto& [id, report] : reports) {
    if (sched::level_of(id) != 0 || !counted.contains(id)) continue;
    any = true;
    std::size_t told = 0;  // All classes of a report have as many.
    for (const ReportedBalances& each : report.balances) told = each.values.size();
    steps = std::min(steps, told);
  }
  std::map<std::string, BalanceLine> lines;
  for (const auto& [id, report] : reports) {
    if (!any || sched::level_of(id) != 0 || !counted.contains(id)) continue;
    for (const ReportedBalances& each : report.balances) {
      const auto share = std::ranges::find(report.shares, each.class_id, &ReportedShare::class_id);
      if (share == report.shares.end() || each.values.size() < steps) continue;
      BalanceLine& line = lines[share->name];
      line.name = share->name;
      line.values.resize(steps);
      const std::size_t older = each.values.size() - steps;
      for (std::size_t i = 0; i < steps; ++i) line.values[i] += each.values[older + i];
    }
  }
  std::vector<BalanceLine> told;
  for (auto& [name, line] : lines) told.push_back(std::move(line));
  return told;
}

Result<CellId> find_cell(const CellReports& reports, const std::string& text) {
  std::vector<CellId> found;
  for (const auto& [cell, report] : reports) {
    if (to_string(cell).starts_with(text)) found.push_back(cell);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return failure(ErrorKind::not_found, "no cell '" + text + "'; `dunlin cells` lists them");
  }
  return failure(ErrorKind::usage,
      std::to_string(found.size()) + " cells begin with '" + text + "'; give more of the id");
}

Json cell_json(const CellReport& report, const NameOf& name_of) {
  Json members = Json::array();
  for (const ReportedMember& member : report.members) {
    const bool is_node = sched::level_of(report.cell) == 0;
    members.push_back({{"member", to_string(member.member)},
        {"name", is_node ? name_of(member.member.node()) : to_string(member.member)},
        {"tickets", member.tickets}, {"leaving", member.leaving}});
  }
  std::stable_sort(members.begin(), members.end(),
      [](const Json& a, const Json& b) { return a["name"] < b["name"]; });
  return {{"cell", to_string(report.cell)}, {"level", sched::level_of(report.cell)},
      {"manager", to_string(report.manager)}, {"manager_name", name_of(report.manager)},
      {"epoch", report.epoch}, {"size", report.size}, {"size_max", report.size_max},
      {"voters", report.voters},
      {"parent", report.parent ? Json(to_string(report.parent)) : Json(nullptr)},
      {"age_ns", report.age.count()}, {"tickets", report.tickets},
      {"version", sched::edition_of(report.version)}, {"dissolving", report.dissolving},
      {"closed", report.closed}, {"members", std::move(members)}};
}

Json cells_json(const CellReports& reports, const NameOf& name_of) {
  Json cells = Json::array();
  put_below(reports, {}, name_of, cells);
  return cells;
}

Json shares_json(const std::vector<ShareLine>& lines) {
  std::int64_t all = 0;
  for (const ShareLine& line : lines) all += line.weight;
  Json classes = Json::array();
  for (const ShareLine& line : lines) {
    const double percent =
        all == 0 ? 0 : 100.0 * static_cast<double>(line.weight) / static_cast<double>(all);
    classes.push_back({{"name", line.name}, {"weight", line.weight}, {"percent", percent},
        {"desired", line.desired}, {"granted", line.granted}, {"used", line.used},
        {"cpu", line.cpu}, {"need", line.need}, {"balance", line.balance}});
  }
  return classes;
}

Json balances_json(const std::vector<BalanceLine>& lines) {
  Json classes = Json::array();
  for (const BalanceLine& line : lines) {
    classes.push_back({{"name", line.name}, {"values", line.values}});
  }
  return {{"step_ns", BalanceRing::kStep.count()}, {"classes", std::move(classes)}};
}

Json silent_json(const std::map<CellId, std::string>& silent) {
  Json cells = Json::array();
  for (const auto& [cell, why] : silent) {
    cells.push_back({{"cell", to_string(cell)}, {"why", why}});
  }
  return cells;
}

Json audit_json(const CellAuditor& auditor, const std::map<CellId, std::string>& silent) {
  const auto verdict = auditor.verdict();
  const ReportedSums sums = auditor.sums();
  std::uint64_t nodes = 0;
  const auto written_off = auditor.written_off();
  for (const auto& [cell, report] : auditor.latest()) {
    const bool lost = std::ranges::count(written_off, cell, &CellAuditor::WrittenOff::cell) > 0;
    if (sched::level_of(cell) == 0 && !lost) nodes += report.size;
  }
  // One reading proves nothing, since a transfer may be between two cells at that moment.
  const bool conserved =
      auditor.readings() >= 2 && silent.empty() && verdict.conserved() && !auditor.latest().empty();
  Json lost = Json::array();
  for (const auto& each : written_off) {
    lost.push_back(
        {{"cell", to_string(each.cell)}, {"sent", each.sent}, {"received", each.received}});
  }
  return {{"conserved", conserved}, {"cells", auditor.latest().size()}, {"nodes", nodes},
      {"readings", auditor.readings()},
      {"sums",
          {{"minted", sums.minted}, {"pools", sums.pools}, {"granted", sums.granted},
              {"saved", sums.created + sums.received - sums.sent}, {"accounts", sums.available},
              {"in_flight", sums.in_flight}, {"sent", sums.sent}, {"received", sums.received}}},
      {"off", verdict.off}, {"undecided", verdict.undecided}, {"written_off", std::move(lost)},
      {"silent", silent_json(silent)}};
}

Json classes_json(const sched::books::Classes& classes) {
  std::vector<ShareLine> lines;
  std::int64_t all = 0;
  for (const auto& each : classes.classes) {
    lines.push_back({.name = each.name, .weight = each.share});
    all += each.share;
  }
  std::ranges::sort(lines, {}, &ShareLine::name);
  Json list = Json::array();
  for (const ShareLine& line : lines) {
    const double percent =
        all == 0 ? 0 : 100.0 * static_cast<double>(line.weight) / static_cast<double>(all);
    list.push_back({{"name", line.name}, {"weight", line.weight}, {"percent", percent}});
  }
  return {{"version", sched::edition_of(classes.version)}, {"classes", std::move(list)}};
}

Json plan_rule_json(const sched::books::Classes& classes) {
  const auto& rule = classes.plan;
  return {{"version", sched::edition_of(classes.version)},
      {"policy", kPlanPolicyWords[static_cast<std::size_t>(rule.policy)]},
      {"spare", kPlanSpareWords[static_cast<std::size_t>(rule.spare)]}, {"reserve", rule.reserve},
      {"horizon_ns", rule.horizon.count()}};
}

Json plans_json(const CellReports& reports, const NameOf& name_of) {
  Json cells = Json::array();
  for (const auto& [cell, report] : reports) {
    for (const ReportedPlan& plan : report.plans) {
      Json jobs = Json::array();
      for (const ReportedJobPlan& each : plan.jobs) {
        jobs.push_back({{"home", to_string(each.home)}, {"node", name_of(each.home)},
            {"number", each.number}, {"slots", each.slots}, {"need", each.need},
            {"slack_ns", each.has_slack ? Json(each.slack) : Json(nullptr)}});
      }
      cells.push_back({{"cell", to_string(cell)}, {"manager", to_string(report.manager)},
          {"manager_name", name_of(report.manager)}, {"epoch", report.epoch},
          {"number", plan.number}, {"age_ns", plan.age.count()}, {"cause", plan.cause},
          {"slots", plan.slots}, {"moved", plan.moved}, {"job_count", plan.job_count},
          {"jobs", std::move(jobs)}});
    }
  }
  return cells;
}

}  // namespace dunlin::node
