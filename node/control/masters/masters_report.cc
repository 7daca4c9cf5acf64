// SPDX-License-Identifier: MIT
#include "node/control/masters/masters_report.h"

#include <algorithm>
#include <map>

#include "node/ids.h"

// The reports of local masters about the global masters that launch in their cells, summed up over
// all cells for each global master. Launches that were refused because a view was old are counted
// against those that were made: that is how good the views are.
namespace dunlin::node {
namespace {

/// As the local master knows it, which has so many groups of its parked.
ReportedGlobalMaster reported(const sched::federation::AttachedMaster& master,
    std::size_t partition,
    std::size_t parked,
    const sched::federation::LogicalNodes::Borrowed& borrowed) {
  const auto under_way = std::ranges::count_if(
      master.launches, [](const auto& each) { return each.second.start != 0; });
  return {.node = master.where.id,
      .partition = static_cast<std::uint32_t>(partition),
      .launched = master.counts.launched,
      .internal = master.counts.internal,
      .external = master.counts.external,
      .refused = master.counts.refused,
      .under_way = static_cast<std::uint32_t>(under_way),
      .parked = static_cast<std::uint32_t>(parked),
      .preempting = master.counts.preempting,
      .preempted = master.counts.preempted,
      .borrowed = static_cast<std::uint32_t>(borrowed.nodes),
      .borrowed_cpu = borrowed.held.cpu};
}

/// A global master in all cells.
struct Sum {
  std::uint32_t cells = 0;
  ReportedGlobalMaster all;
};

Json sum_json(const Sum& sum, const NameOf& name_of) {
  const ReportedGlobalMaster& all = sum.all;
  const auto wrong = static_cast<double>(all.internal + all.external);
  return {{"node", to_string(all.node)}, {"name", name_of(all.node)}, {"cells", sum.cells},
      {"partition", all.partition}, {"launched", all.launched}, {"internal", all.internal},
      {"external", all.external}, {"refused", all.refused}, {"under_way", all.under_way},
      {"parked", all.parked}, {"preempting", all.preempting}, {"preempted", all.preempted},
      {"borrowed", {{"nodes", all.borrowed}, {"cpu_milli", all.borrowed_cpu}}},
      {"inconsistency",
          all.launched == 0 ? Json(nullptr) : Json(wrong / static_cast<double>(all.launched))}};
}

}  // namespace

ReportedLocalMaster reported(const sched::federation::LocalMaster& master, overlay::Time now) {
  const auto& table = master.members();
  ReportedLocalMaster told{.rows = static_cast<std::uint32_t>(table.size())};
  for (const auto& row : table.rows()) {
    told.free_cpu += row.free.cpu;
    told.free_memory += row.free.memory;
  }
  if (const auto oldest = master.oldest_word()) told.age = now - *oldest;
  const auto& partitions = table.owners().partitions();
  auto borrowed = table.logical_nodes().by_borrower(table.owners());
  for (const auto& [node, attached] : master.masters()) {
    // The report is one message, whatever the number of masters.
    if (told.masters.size() == ReportedLocalMaster::kMastersMax) break;
    const auto partition = partitions.find(node);
    told.masters.push_back(
        reported(attached, partition == partitions.end() ? 0 : partition->second.size(),
            master.offers().count_of(node), borrowed[node]));
  }
  return told;
}

Json local_masters_json(const CellReports& reports, const NameOf& name_of) {
  Json cells = Json::array();
  for (const auto& [cell, report] : reports) {
    for (const ReportedLocalMaster& local : report.local_master) {
      cells.push_back({{"cell", to_string(cell)}, {"manager", to_string(report.manager)},
          {"manager_name", name_of(report.manager)}, {"epoch", report.epoch}, {"size", report.size},
          {"rows", local.rows},
          {"free", {{"cpu_milli", local.free_cpu}, {"memory_mib", local.free_memory}}},
          {"age_ns", local.age.count()}, {"masters", local.masters.size()}});
    }
  }
  return cells;
}

Json global_masters_json(const CellReports& reports, const NameOf& name_of) {
  std::map<overlay::PeerId, Sum> sums;
  for (const auto& [cell, report] : reports) {
    for (const ReportedLocalMaster& local : report.local_master) {
      for (const ReportedGlobalMaster& told : local.masters) {
        Sum& sum = sums[told.node];
        ++sum.cells;
        sum.all.node = told.node;
        sum.all.partition += told.partition;
        sum.all.launched += told.launched;
        sum.all.internal += told.internal;
        sum.all.external += told.external;
        sum.all.refused += told.refused;
        sum.all.preempting += told.preempting;
        sum.all.preempted += told.preempted;
        sum.all.borrowed += told.borrowed;
        sum.all.borrowed_cpu += told.borrowed_cpu;
        sum.all.under_way += told.under_way;
        // Most groups wait at all of them.
        sum.all.parked = std::max(sum.all.parked, told.parked);
      }
    }
  }
  Json masters = Json::array();
  for (const auto& [node, sum] : sums) masters.push_back(sum_json(sum, name_of));
  std::stable_sort(masters.begin(), masters.end(),
      [](const Json& a, const Json& b) { return a["name"] < b["name"]; });
  return masters;
}

}  // namespace dunlin::node
