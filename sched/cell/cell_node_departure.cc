// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sched/cell/cell_node.h"
#include "sched/raft/raft_check.h"

// How a node stops without taking anything along that others need.
namespace dunlin::sched {
namespace {

/// True if this replica has a vote, as far as it knows.
bool votes(const RaftGroup& group) {
  return std::ranges::any_of(group.members(), [&](const RaftMember& member) {
    return member.replica == group.replica() && member.role == MemberRole::voter;
  });
}

bool has_savings(const books::State& state) {
  return !state.accounts.empty() || std::ranges::any_of(state.partners, [](const auto& partner) {
    return !partner.outgoing.empty();
  });
}

}  // namespace

void CellNode::hand_over(const CellTurn& turn, HostedReplica& hosted) {
  // Who is to follow may need a while to see that this one is to be replaced, too.
  hosted.manager->resign(turn.now, hosted.group.replica());
  const auto members = hosted.group.members();
  if (std::ranges::count(members, MemberRole::voter, &RaftMember::role) < 2) return;
  // It fails if it is under way, or nobody is up to date yet: then later.
  (void)hosted.group.transfer(turn.raft());
}

void CellNode::drain(const CellTurn& turn, bool on) {
  draining_ = on;
  for (const auto& hosted : hosted_) {
    hosted->resign = {};
    if (on && hosted->manager) hand_over(turn, *hosted);
    settle(turn, *hosted);
  }
}

// Managers learn from reports who drains; but of a cell of cells, only those report who speak for
// its members.
void CellNode::resign(const CellTurn& turn, HostedReplica& hosted) {
  const Time now = turn.now;
  if (now < hosted.resign) return;
  hosted.resign = now + params_->cell.retry;
  if (hosted.books().roster().closed || !votes(hosted.group)) return;
  const auto leader = hosted.group.leader();
  for (const RaftMember& member : hosted.group.members()) {
    const bool asked = leader ? member.replica == leader->replica : member.node != self_.id;
    if (!asked) continue;
    turn.out.send({member.node, member.address},
        cell::Resign{.cell = hosted.group.group(), .replica = hosted.group.replica()});
  }
}

CellId CellNode::sibling_of(const HostedReplica& hosted) const {
  const cell::Hint* largest = nullptr;
  const auto standing = hints_.standing(level_of(hosted.group.group()));
  for (const cell::Hint& hint : standing) {
    if (hint.cell == hosted.group.group()) continue;
    if (largest == nullptr || hint.size > largest->size) largest = &hint;
  }
  return largest == nullptr ? 0 : largest->cell;
}

bool CellNode::is_needed(const HostedReplica& hosted, Time now) const {
  const auto& directory = hosted.books().roster();
  if (directory.closed || !votes(hosted.group)) return false;
  // It was told that it may go, for the others are enough.
  if (!hosted.manager) return hosted.resign != kNever;
  const auto& state = hosted.books().ledger().state();
  if (level_of(hosted.group.group()) > 0) {
    return std::ranges::any_of(state.nodes, [&](const books::Node& member) {
      const HostedReplica* child = this->hosted(member.node.value);
      return child == nullptr || !child->manager || is_needed(*child, now);
    });
  }
  if (hosted.manager->has_successor(hosted.books(), now)) return true;
  // It may end alone; but not before it is known where its savings go, and that they arrived.
  const bool alone =
      state.nodes.empty() || (state.nodes.size() == 1 && state.nodes.front().node == self_.id);
  return alone && has_savings(state) && sibling_of(hosted) != 0;
}

void CellNode::depart(const CellTurn& turn) {
  departing_ = true;
  departing_at_ = turn.now;
  member_.retire();
  drain(turn, true);
}

void CellNode::go_on_departing(const CellTurn& turn) {
  const Time now = turn.now;
  departing_at_ = now + params_->cell.retry;
  bool stays = false;
  for (const auto& hosted : hosted_) {
    if (!is_needed(*hosted, now)) continue;
    const LeaderContext context{hosted->group, hosted->books()};
    const bool ends = hosted->manager && level_of(hosted->group.group()) == 0 &&
        !hosted->manager->has_successor(hosted->books(), now);
    // Whose own cell ends need not be a member there: it ends when it has none.
    stays = stays || !ends;
    if (!ends || hosted->books().roster().dissolving) continue;
    hosted->manager->dissolve(turn, context, sibling_of(*hosted));
    settle(turn, *hosted);
  }
  const auto state = member_.state();
  const bool is = state == CellMember::State::member || state == CellMember::State::joining;
  if (!stays && is) member_.leave(now);
}

bool CellNode::departed(Time now) const {
  if (!on()) return true;
  return departing_ && member_.state() == CellMember::State::seeking && left_behind(now).empty();
}

std::vector<CellId> CellNode::left_behind(Time now) const {
  std::vector<CellId> cells;
  for (const auto& hosted : hosted_) {
    if (is_needed(*hosted, now)) cells.push_back(hosted->group.group());
  }
  return cells;
}

void CellNode::leave(const CellTurn& turn) {
  member_.retire();
  member_.leave(turn.now);
  drain(turn, true);
}

Result<void> CellNode::write_off(const CellTurn& turn, CellId cell, CellId lost, bool reissue) {
  HostedReplica* hosted = find(cell);
  if (hosted == nullptr || !hosted->manager) {
    return failure(ErrorKind::not_found, "cell " + hex_text(cell) + " is not managed here");
  }
  const LeaderContext context{hosted->group, hosted->books()};
  auto asked = hosted->manager->write_off(turn, context, hints_, lost, reissue);
  settle(turn, *hosted);
  return asked;
}

}  // namespace dunlin::sched
