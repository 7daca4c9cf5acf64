// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "node/control/cells/cell_audit.h"
#include "node/control/json.h"
#include "sched/cell/message.h"

// The findings about cells, in the form of the control protocol.
namespace dunlin::node {

using NameOf = std::function<std::string(overlay::PeerId)>;

/// One class in the cluster, or in a part of it; in tickets.
struct ShareLine {
  std::string name;
  std::int64_t weight = 0;
  sched::Tickets desired = 0;
  sched::Tickets granted = 0;
  sched::Tickets used = 0;  ///< Occupied.
  sched::Tickets cpu = 0;   ///< CPU time.
  sched::Tickets need = 0;
  sched::Tickets balance = 0;
};

/// The classes by name, with what they have in all cells of nodes; with a `cell`, in that one,
/// or in those below it. Desired is the weight's part of all tickets there.
std::vector<ShareLine> share_lines(const CellReports& reports, sched::CellId cell = {});

/// What each class had saved, each minute, the newest last.
struct BalanceLine {
  std::string name;
  std::vector<sched::Tickets> values;
};

/// The balances over time of the cells that share_lines() counts, added up, by class. As far back
/// as the managers of all of these tell: a sum over some of them would look like savings that came.
std::vector<BalanceLine> balance_lines(const CellReports& reports, sched::CellId cell = {});

/// The one cell with an id that begins so. Fails with `not_found` or, if there are several,
/// `usage`.
Result<sched::CellId> find_cell(const CellReports& reports, const std::string& text);

Json cell_json(const CellReport& report, const NameOf& name_of);
/// Parents before their children.
Json cells_json(const CellReports& reports, const NameOf& name_of);
Json shares_json(const std::vector<ShareLine>& lines);
/// {"step_ns", "classes": [{"name", "values"}]}
Json balances_json(const std::vector<BalanceLine>& lines);
Json silent_json(const std::map<sched::CellId, std::string>& silent);
Json audit_json(const CellAuditor& auditor, const std::map<sched::CellId, std::string>& silent);
/// {"version", "classes": [{"name", "class_id", "weight", "percent"}]}, by name.
Json classes_json(const sched::books::Classes& classes);
/// {"version", "policy", "spare", "reserve", "horizon_ns"}: the rule of plans.
Json plan_rule_json(const sched::books::Classes& classes);
/// The last plan of each cell of nodes that plans, by cell.
Json plans_json(const CellReports& reports, const NameOf& name_of);

/// Policies and spare rules in the order of the schema (sched/ledger/roster.capnp).
inline constexpr std::string_view kPlanPolicyWords[] = {
    "off", "priority", "proportion", "workload", "deadline", "edf", "assured"};
inline constexpr std::string_view kPlanSpareWords[] = {"deadline", "priority"};

}  // namespace dunlin::node
