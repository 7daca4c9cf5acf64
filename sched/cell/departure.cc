// SPDX-License-Identifier: MIT
#include "sched/cell/departure.h"

#include <algorithm>

#include "overlay/ensure.h"
#include "sched/cell/hosted_replica.h"

// A node that leaves with a replica takes a vote along, and with the last replica a cell's savings.
// So it resigns first: as a manager it lets another replica lead, as a voter it asks the manager to
// put another node in its place. It is needed until it has no vote, or until the manager says that
// the others are enough. A node that is alone in its cell dissolves the cell, and stays until the
// savings have arrived elsewhere, if there is an elsewhere.
namespace dunlin::sched {
namespace {

/// Nodes that stop tell each other so within retry / kNotice, and ask again after as long.
constexpr int kNotice = 4;

/// True if this replica has a vote, as far as it knows.
bool has_vote(const RaftGroup& group) {
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

// The replica that follows may need a while to see that this one is to be replaced, too. The
// transfer fails if one is under way, or no replica is up to date yet: then it is tried again.
void Departure::hand_over(const CellTurn& turn, HostedReplica& hosted) {
  if (!local_->draining) return;
  ensure(hosted.manager.has_value(), "a cell that another node manages");
  hosted.manager->resign(turn.now, hosted.group.replica());
  if (turn.now < hosted.resign) return;
  hosted.resign = turn.now + params_->retry;
  const auto next = hosted.manager->successor(hosted.group, turn.now);
  if (next) (void)hosted.group.transfer(turn.raft(), *next);
}

// Often all nodes are told to stop, or to drain, at about the same time. So managers wait for a
// moment: a node that is to lead next may be about to say that it goes, too.
void Departure::drain(const CellTurn& turn, bool on) {
  local_->draining = on;
  notice_ = turn.now + params_->retry / kNotice;
  for (const auto& hosted : host_->all()) {
    hosted->resign = hosted->manager ? notice_ : Time{};
    hosted->excused = false;
    host_->settle(turn, *hosted);
  }
}

// Managers learn from reports which nodes drain; but in a cell of cells, only the nodes report that
// speak for its members.
void Departure::resign(const CellTurn& turn, HostedReplica& hosted) {
  const Time now = turn.now;
  if (!local_->draining || hosted.excused || now < hosted.resign) return;
  hosted.resign = now + params_->retry / kNotice;
  if (hosted.books().roster().closed || !has_vote(hosted.group)) return;
  const auto leader = hosted.group.leader();
  for (const RaftMember& member : hosted.group.members()) {
    const bool asked =
        leader ? member.replica == leader->replica : member.node != local_->endpoint.id;
    if (!asked) continue;
    turn.out.send({member.node, member.address},
        cell::Resign{.cell = hosted.cell(), .replica = hosted.group.replica()});
  }
}

std::optional<CellId> Departure::largest_sibling(const HostedReplica& hosted) const {
  const cell::Hint* largest = nullptr;
  const auto standing = gossip_->hints().standing(hosted.level());
  for (const cell::Hint& hint : standing) {
    if (hint.cell == hosted.cell()) continue;
    if (largest == nullptr || hint.size > largest->size) largest = &hint;
  }
  if (largest == nullptr) return std::nullopt;
  return largest->cell;
}

// A cell of cells needs this node while one of its children is managed elsewhere, or needs this
// node itself: without its last child it ends anyway.
bool Departure::is_needed(const HostedReplica& hosted, Time now) const {
  if (hosted.books().roster().closed || !has_vote(hosted.group)) return false;
  if (!hosted.manager) return !hosted.excused;
  const auto& state = hosted.books().ledger().state();
  if (hosted.level() > 0) {
    return std::ranges::any_of(state.nodes, [&](const books::Node& member) {
      const HostedReplica* child = host_->find(member.node.cell());
      return child == nullptr || !child->manager || is_needed(*child, now);
    });
  }
  if (hosted.manager->members().has_successor(hosted.books(), now)) return true;
  // Where all go at once the manager goes last, or the others would wait for its word.
  if (hosted.manager->holds_back(hosted.group, now)) return true;
  if (state.nodes.size() > 1 && now < notice_) return true;
  return is_alone(hosted) && has_savings(state) && largest_sibling(hosted);
}

bool Departure::is_alone(const HostedReplica& hosted) const {
  const auto& nodes = hosted.books().ledger().state().nodes;
  return nodes.empty() || (nodes.size() == 1 && nodes.front().node == local_->endpoint.id);
}

bool Departure::ends_alone(const HostedReplica& hosted, Time now) const {
  return hosted.manager && hosted.level() == 0 && is_alone(hosted) &&
      !hosted.manager->members().has_successor(hosted.books(), now);
}

void Departure::depart(const CellTurn& turn) {
  departing_ = true;
  next_ = turn.now;
  member_->retire(turn.now);
  drain(turn, true);
}

// The quick way out waits for no other node: its cells replace a lost voter after voter_lost.
void Departure::leave(const CellTurn& turn) {
  member_->retire(turn.now);
  member_->leave(turn.now);
  drain(turn, true);
}

void Departure::wake(const CellTurn& turn) {
  if (departing_ && next_ <= turn.now) go_on(turn);
}

// A node with a cell that ends need not stay a member there: the cell ends once it has no member.
void Departure::go_on(const CellTurn& turn) {
  const Time now = turn.now;
  next_ = now + params_->retry / kNotice;
  bool stays = false;
  for (const auto& hosted : host_->all()) {
    if (!is_needed(*hosted, now)) continue;
    const bool ends = ends_alone(*hosted, now);
    stays = stays || !ends;
    if (!ends || hosted->books().roster().dissolving) continue;
    hosted->manager->dissolve(turn, hosted->context(gossip_->hints()), largest_sibling(*hosted));
    host_->settle(turn, *hosted);
  }
  const auto state = member_->state();
  const bool in_cell = state == CellMember::State::member || state == CellMember::State::joining;
  if (stays || !in_cell) return;
  // Where all nodes go the manager goes last, and no node is left to ask.
  const HostedReplica* const own = host_->find(member_->cell());
  const bool goes_whole =
      own != nullptr && own->manager && !own->books().roster().dissolving && !is_alone(*own);
  goes_whole ? member_->start_over(now, member_->cell()) : member_->leave(now);
}

Time Departure::deadline() const {
  Time earliest = departing_ ? next_ : kNever;
  if (!local_->draining) return earliest;
  for (const auto& hosted : host_->all()) {
    if (!hosted->excused) earliest = std::min(earliest, hosted->resign);
  }
  return earliest;
}

bool Departure::departed(Time now) const {
  return departing_ && member_->state() == CellMember::State::seeking && left_behind(now).empty();
}

std::vector<CellId> Departure::left_behind(Time now) const {
  std::vector<CellId> cells;
  for (const auto& hosted : host_->all()) {
    if (is_needed(*hosted, now)) cells.push_back(hosted->cell());
  }
  return cells;
}

}  // namespace dunlin::sched
