// SPDX-License-Identifier: MIT
#include "node/control/cell_walk.h"

#include <algorithm>
#include <limits>
#include <set>

// No node knows all cells, but each manager knows its members, its parent and, by gossip, some
// others. So the walk asks one manager, learns of more, and asks them, until no question is open.
// Few are asked at a time, so that an operator's question does not become a flood.
// Knowledge is graded. A cell that books speak of must answer, or the audit has a hole; a cell that
// only gossip spoke of may be gone. Managers change while the walk goes on, so before it gives a
// cell up it pauses and asks those again that spoke of it.
namespace dunlin::node {
namespace {

void add_once(std::vector<overlay::PeerId>& list, overlay::PeerId node) {
  if (node && std::ranges::count(list, node) == 0) list.push_back(node);
}

}  // namespace

CellWalk::CellWalk(const CellQuestion& question, std::uint64_t first, overlay::Time until)
    : question_(question),
      first_(first),
      last_(first),
      until_(until) {}

void CellWalk::begin(std::span<const CellPlace> places, bool sure) {
  for (const CellPlace& place : places) know(place.cell, place.node, place.address, sure, {});
}

// Nullptr if there is no room for another one.
CellWalk::Sought* CellWalk::seek(sched::CellId cell, bool sure) {
  if (!cell || (cells_.size() >= kCellsMax && !cells_.contains(cell))) return nullptr;
  Sought& sought = cells_[cell];
  sought.sure = sought.sure || sure;
  return &sought;
}

void CellWalk::know(sched::CellId cell,
    overlay::PeerId node,
    const overlay::Address& address,
    bool sure,
    overlay::PeerId teller) {
  Sought* sought = seek(cell, sure);
  if (sought == nullptr) return;
  add_once(sought->tellers, teller);
  if (!node || (nodes_.size() >= kNodesMax && !nodes_.contains(node))) return;
  add_once(sought->managers, node);
  Node& known = nodes_[node];
  // A node that came back elsewhere is sought there, if it has not answered here.
  if (!known.answered && known.state != State::asked) known.where = {node, address};
}

// A node that was only said to manage cells is not asked again if those cells have answered.
void CellWalk::time_out(overlay::Time now) {
  std::set<overlay::PeerId> needed;
  for (const auto& [cell, sought] : cells_) {
    if (!reports_.contains(cell)) needed.insert(sought.managers.begin(), sought.managers.end());
  }
  for (auto& [id, node] : nodes_) {
    const bool again = node.tries < kTries && (needed.contains(id) || node.cell);
    if (node.state == State::waiting && node.tries > 0 && !again) node.state = State::over;
    if (node.state != State::asked || now < node.again) continue;
    node.state = again ? State::waiting : State::over;
  }
}

std::vector<CellWalk::Ask> CellWalk::next(overlay::Time now) {
  std::vector<Ask> asks;
  if (done_) return asks;
  time_out(now);
  if (now >= pause_) pause_ = overlay::kNever;
  if (pause_ != overlay::kNever && now < until_) return asks;
  auto under_way = static_cast<std::size_t>(std::ranges::count_if(
      nodes_, [](const auto& each) { return each.second.state == State::asked; }));
  due_ = until_;
  for (auto& [id, node] : nodes_) {
    if (node.state == State::waiting && under_way < kInFlightMax) {
      node.state = State::asked;
      node.again = now + kPatience;
      node.request = ++last_;
      ++node.tries;
      ++under_way;
      CellQuestion question = question_;
      question.request = node.request;
      if (node.cell) question.cell = node.cell;
      question.after = node.after;
      question.members_after = node.members_after;
      asks.push_back({node.where, question});
    }
    if (node.state == State::asked) due_ = std::min(due_, node.again);
  }
  done_ = now >= until_ || (under_way == 0 && !seek_again(now));
  return asks;
}

// A cell's manager may have changed since, so the nodes that told of it are asked once more.
bool CellWalk::seek_again(overlay::Time now) {
  bool any = false;
  const auto ask = [&](overlay::PeerId id) {
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
    pause_ = now + kPause;
    due_ = std::min(until_, pause_);
  }
  return any;
}

bool CellWalk::has_answered(const Sought& sought) const {
  return std::ranges::any_of(sought.managers, [&](overlay::PeerId id) {
    const auto at = nodes_.find(id);
    return at != nodes_.end() && at->second.answered;
  });
}

// A node that gossip named as manager, and that says it is not, is believed.
bool CellWalk::is_silent(sched::CellId cell, const Sought& sought) const {
  if (reports_.contains(cell)) return false;
  return sought.sure || (!sought.managers.empty() && !has_answered(sought));
}

bool CellWalk::on_answer(overlay::PeerId from, const CellAnswer& answer) {
  const auto at = nodes_.find(from);
  // Questions are numbered, not drawn by chance: an answer counts only from the node asked.
  if (done_ || answer.request == 0 || at == nodes_.end()) return false;
  Node& node = at->second;
  if (node.request != answer.request) return false;
  const sched::CellId rest_of = node.cell;
  node.request = 0;
  node.state = State::over;
  node.answered = true;
  node.cell = {};
  node.after = {};
  node.members_after = {};
  for (const CellReport& report : answer.cells) heard(node, report, report.cell == rest_of);
  for (const CellPlace& place : answer.places) {
    know(place.cell, place.node, place.address, false, from);
  }
  return true;
}

void CellWalk::heard(Node& from, const CellReport& report, bool rest) {
  if (seek(report.cell, false) == nullptr) return;
  const auto known = reports_.find(report.cell);
  if (known != reports_.end() && known->second.epoch > report.epoch) return;
  keep(from, report, rest);
  const overlay::PeerId teller = from.where.id;
  know(report.parent, {}, {}, true, teller);
  if (sched::level_of(report.cell) == 0) return;
  for (const ReportedMember& member : report.members) {
    know(member.member.cell(), member.node, member.address, true, teller);
  }
}

// A report that is too long for one answer comes in several, of one epoch.
void CellWalk::keep(Node& from, const CellReport& report, bool rest) {
  if (!rest) {
    reports_[report.cell] = report;
    reports_[report.cell].manager = from.where.id;
    return ask_for_rest(from, report);
  }
  const auto known = reports_.find(report.cell);
  if (known == reports_.end() || known->second.epoch != report.epoch) {
    from.state = State::waiting;
    from.tries = 0;
    return;
  }
  CellReport& kept = known->second;
  kept.partners.insert(kept.partners.end(), report.partners.begin(), report.partners.end());
  kept.more = report.more;
  kept.members.insert(kept.members.end(), report.members.begin(), report.members.end());
  kept.more_members = report.more_members;
  ask_for_rest(from, kept);
}

void CellWalk::ask_for_rest(Node& node, const CellReport& report) {
  constexpr sched::CellId kNoMore{std::numeric_limits<std::uint64_t>::max()};
  const bool partners = report.more && !report.partners.empty();
  const bool members = report.more_members && !report.members.empty();
  if (!partners && !members) return;
  node.cell = report.cell;
  node.after = partners ? report.partners.back().cell : kNoMore;
  node.members_after = members ? report.members.back().member : kNoMore;
  node.state = State::waiting;
  node.tries = 0;
}

std::map<sched::CellId, std::string> CellWalk::silent() const {
  std::map<sched::CellId, std::string> silent;
  for (const auto& [cell, sought] : cells_) {
    if (!is_silent(cell, sought)) continue;
    silent[cell] = sought.managers.empty() ? "no node knows its manager"
        : has_answered(sought)             ? "it has no manager now"
                                           : "its manager does not answer";
  }
  return silent;
}

}  // namespace dunlin::node
