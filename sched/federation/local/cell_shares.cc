// SPDX-License-Identifier: MIT
#include "sched/federation/local/cell_shares.h"

#include <algorithm>

#include "sched/resources.h"

namespace dunlin::sched::federation {

// What one member says is bounded, so that the sum over all of a cell is, too.
void CellShares::count(const std::vector<ClassUse>& uses, bool add) {
  for (const ClassUse& use : uses) {
    const auto used =
        static_cast<Tickets>(std::min(use.used, static_cast<std::uint64_t>(kTicketsMax)));
    Tickets& sum = sums_[use.class_id][use.frontend];
    sum += add ? used : -used;
    if (sum != 0) continue;
    sums_[use.class_id].erase(use.frontend);
    if (sums_[use.class_id].empty()) sums_.erase(use.class_id);
  }
}

void CellShares::hear(PeerId node, const std::vector<ClassUse>& uses) {
  const auto before = uses_.find(node);
  if (before == uses_.end() && uses.empty()) return;
  remove(node);
  if (uses.empty()) return;
  count(uses, true);
  uses_[node] = uses;
}

void CellShares::remove(PeerId node) {
  const auto before = uses_.find(node);
  if (before == uses_.end()) return;
  count(before->second, false);
  uses_.erase(before);
}

void CellShares::send(std::uint64_t start, PeerId node, ClassId over, Tickets part) {
  under_way_[start] = {.node = node, .over = over, .part = part};
}

void CellShares::distrust(PeerId node) {
  const auto known = uses_.find(node);
  if (known == uses_.end()) return;
  for (ClassUse& use : known->second) use.yields = {};
}

bool CellShares::spares(ClassId class_id, Tickets part, Tickets capacity) const {
  ClassBalance balance(shares_, capacity);
  for (const auto& [held, by_frontend] : sums_) {
    for (const auto& [frontend, used] : by_frontend) {
      balance.hold(held, static_cast<std::uint64_t>(used));
    }
  }
  for (const auto& [start, each] : under_way_) {
    balance.release(each.over, static_cast<std::uint64_t>(each.part));
  }
  return !shares_.empty() && balance.spares(class_id, static_cast<std::uint64_t>(part));
}

std::vector<std::pair<PeerId, Resources>> CellShares::yielding(ClassId class_id) const {
  std::vector<std::pair<PeerId, Resources>> found;
  for (const auto& [node, uses] : uses_) {
    const bool asked =
        std::ranges::any_of(under_way_, [&](const auto& each) { return each.second.node == node; });
    if (asked) continue;
    Resources yields;
    for (const ClassUse& use : uses) {
      if (use.class_id == class_id) give(yields, use.yields);
    }
    if (yields != Resources{}) found.emplace_back(node, std::move(yields));
  }
  return found;
}

std::vector<ClassTotal> CellShares::totals(PeerId frontend) const {
  std::vector<ClassTotal> totals;
  for (const auto& [class_id, by_frontend] : sums_) {
    if (totals.size() == CellView::kUsesMax) break;
    ClassTotal total{.class_id = class_id};
    for (const auto& [node, used] : by_frontend) {
      total.used += static_cast<std::uint64_t>(used);
      if (node == frontend) total.own += static_cast<std::uint64_t>(used);
    }
    totals.push_back(total);
  }
  return totals;
}

}  // namespace dunlin::sched::federation
