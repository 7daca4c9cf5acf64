// SPDX-License-Identifier: MIT
#include "node/control/cells/balance_ring.h"

#include <algorithm>

#include "node/control/cells/cell_answer.h"
#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"

// Balances over time: which classes lend, and which borrow. The books themselves know no past. The
// manager looks at them all the time, so the manager remembers.
namespace dunlin::node {

void BalanceRing::look(overlay::Time now, const sched::CellNode* cells) {
  if (now.time_since_epoch() / kStep == minute_) return;
  std::map<sched::CellId, Balances> managed;
  if (cells != nullptr) {
    for (const auto& hosted : cells->hosted()) {
      if (!hosted->manager || managed.size() == CellAnswer::kCellsMax) continue;
      managed.emplace(hosted->cell(), balances_of(*hosted));
    }
  }
  add(now, std::move(managed));
}

void BalanceRing::add(overlay::Time now, std::map<sched::CellId, Balances> cells) {
  const std::int64_t minute = now.time_since_epoch() / kStep;
  const bool broken = minute != minute_ + 1;
  minute_ = minute;
  std::erase_if(cells_, [&](const auto& each) { return broken || !cells.contains(each.first); });
  for (auto& [cell, balances] : cells) {
    auto& minutes = cells_[cell];
    if (minutes.size() == kSize) minutes.pop_front();
    minutes.push_back(std::move(balances));
  }
}

std::vector<ReportedBalances> BalanceRing::of(sched::CellId cell) const {
  std::vector<ReportedBalances> told;
  const auto found = cells_.find(cell);
  if (found == cells_.end()) return told;
  for (const auto& [class_id, newest] : found->second.back()) {
    if (told.size() == CellReport::kBalancesMax) break;
    ReportedBalances line{.class_id = class_id};
    for (const Balances& minute : found->second) {
      const auto balance = minute.find(class_id);
      line.values.push_back(balance == minute.end() ? 0 : balance->second);
    }
    told.push_back(std::move(line));
  }
  return told;
}

}  // namespace dunlin::node
