// SPDX-License-Identifier: MIT
#include "sched/cell/cell_walk.h"

#include <algorithm>
#include <set>

// No node knows all cells, but each manager knows its members, its parent and, by gossip, some
// others. So the walk asks one manager, learns of more, and asks them, until no question is open.
// Few are asked at a time, so that one question does not become a flood.
// Knowledge is graded. A cell that books speak of must answer, or the answer has a hole; a cell
// that only gossip spoke of may be gone. Managers change while the walk goes on, so before it gives
// a cell up it pauses and asks those again that spoke of it.
namespace dunlin::sched {
namespace {

void add_once(std::vector<PeerId>& list, PeerId node) {
  if (node && std::ranges::count(list, node) == 0) list.push_back(node);
}

}  // namespace

CellWalk::CellWalk(std::uint64_t first, Time until, const Pace& pace)
    : first_(first),
      last_(first),
      until_(until),
      pace_(pace) {}

void CellWalk::begin(std::span<const ManagerPlace> places, bool sure) {
  for (const ManagerPlace& place : places) know(place, sure, {});
}

// Nullptr if there is no room for another one.
CellWalk::Sought* CellWalk::seek(CellId cell, bool sure) {
  if (!cell || (cells_.size() >= kCellsMax && !cells_.contains(cell))) return nullptr;
  Sought& sought = cells_[cell];
  sought.sure = sought.sure || sure;
  return &sought;
}

void CellWalk::know(const ManagerPlace& place, bool sure, PeerId teller) {
  Sought* sought = seek(place.cell, sure);
  if (sought == nullptr) return;
  add_once(sought->tellers, teller);
  const PeerId node = place.where.id;
  if (!node || (nodes_.size() >= kNodesMax && !nodes_.contains(node))) return;
  add_once(sought->managers, node);
  Node& known = nodes_[node];
  // A node that came back elsewhere is sought there, if it has not answered here.
  if (!known.answered && known.state != State::asked) known.where = place.where;
}

// A node that was only said to manage cells is not asked again if those cells have answered.
void CellWalk::time_out(Time now) {
  std::set<PeerId> needed;
  for (const auto& [cell, sought] : cells_) {
    if (!managers_.contains(cell)) needed.insert(sought.managers.begin(), sought.managers.end());
  }
  for (auto& [id, node] : nodes_) {
    const bool again = node.tries < kTries && (needed.contains(id) || node.unfinished);
    if (node.state == State::waiting && node.tries > 0 && !again) node.state = State::over;
    if (node.state != State::asked || now < node.again) continue;
    node.state = again ? State::waiting : State::over;
  }
}

std::vector<CellWalk::Ask> CellWalk::next(Time now) {
  std::vector<Ask> asks;
  if (done_) return asks;
  time_out(now);
  if (now >= pause_) pause_ = kNever;
  if (pause_ != kNever && now < until_) return asks;
  auto under_way = static_cast<std::size_t>(std::ranges::count_if(
      nodes_, [](const auto& each) { return each.second.state == State::asked; }));
  due_ = until_;
  for (auto& [id, node] : nodes_) {
    if (node.state == State::waiting && under_way < kInFlightMax) {
      node.state = State::asked;
      node.again = now + pace_.patience;
      node.request = ++last_;
      ++node.tries;
      ++under_way;
      asks.push_back({node.where, node.request});
    }
    if (node.state == State::asked) due_ = std::min(due_, node.again);
  }
  done_ = now >= until_ || (under_way == 0 && !seek_again(now));
  return asks;
}

// A cell's manager may have changed since, so the nodes that told of it are asked once more.
bool CellWalk::seek_again(Time now) {
  bool any = false;
  const auto ask = [&](PeerId id) {
    const auto at = nodes_.find(id);
    if (at == nodes_.end()) return;
    at->second.state = State::waiting;
    at->second.tries = 0;
    any = true;
  };
  for (const auto& [cell, sought] : cells_) {
    if (!is_silent(cell, sought)) continue;
    std::ranges::for_each(sought.managers, ask);
    std::ranges::for_each(sought.tellers, ask);
  }
  if (any) {
    pause_ = now + pace_.pause;
    due_ = std::min(until_, pause_);
  }
  return any;
}

bool CellWalk::has_answered(const Sought& sought) const {
  return std::ranges::any_of(sought.managers, [&](PeerId id) {
    const auto at = nodes_.find(id);
    return at != nodes_.end() && at->second.answered;
  });
}

// A node that gossip named as manager, and that says it is not, is believed.
bool CellWalk::is_silent(CellId cell, const Sought& sought) const {
  if (managers_.contains(cell)) return false;
  return sought.sure || (!sought.managers.empty() && !has_answered(sought));
}

bool CellWalk::on_answer(PeerId from,
    std::uint64_t request,
    std::span<const WalkedCell> cells,
    std::span<const ManagerPlace> places) {
  const auto at = nodes_.find(from);
  // Questions are numbered, not drawn by chance: an answer counts only from the node asked.
  if (done_ || request == 0 || at == nodes_.end()) return false;
  Node& node = at->second;
  if (node.request != request) return false;
  node.request = 0;
  node.state = State::over;
  node.answered = true;
  node.unfinished = false;
  for (const WalkedCell& cell : cells) hear(from, cell);
  for (const ManagerPlace& place : places) know(place, false, from);
  return true;
}

void CellWalk::hear(PeerId from, const WalkedCell& cell) {
  if (seek(cell.cell, false) == nullptr) return;
  Manager& manager = managers_[cell.cell];
  if (manager.epoch > cell.epoch) return;
  manager = {from, cell.epoch};
  know({cell.parent, {}}, true, from);
  if (level_of(cell.cell) == 0) return;
  for (const ManagerPlace& child : cell.children) know(child, true, from);
}

void CellWalk::ask_again(PeerId node) {
  const auto at = nodes_.find(node);
  if (at == nodes_.end() || at->second.state != State::over) return;
  at->second.state = State::waiting;
  at->second.unfinished = true;
  at->second.tries = 0;
}

Endpoint CellWalk::where(PeerId node) const {
  const auto at = nodes_.find(node);
  return at == nodes_.end() ? Endpoint{.id = node} : at->second.where;
}

std::map<CellId, std::string> CellWalk::silent() const {
  std::map<CellId, std::string> silent;
  for (const auto& [cell, sought] : cells_) {
    if (!is_silent(cell, sought)) continue;
    silent[cell] = sought.managers.empty() ? "no node knows its manager"
        : has_answered(sought)             ? "it has no manager now"
                                           : "its manager does not answer";
  }
  return silent;
}

}  // namespace dunlin::sched
