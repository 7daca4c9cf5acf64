// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sched/cell/cell_manager.h"

// The shape of a cell: who keeps its books, and when it is too small to go on.
namespace dunlin::sched {
namespace {

/// A period's chance that a cell which could dissolve does.
constexpr double kDissolveChance = 0.25;
/// Where there are more cells than these, they are not packed to the last place: newcomers would
/// find none.
constexpr std::size_t kFewCells = 8;
/// Periods in which all members report to a new manager, if they can.
constexpr int kHearing = 2;

}  // namespace

// One change at a time: add a spare, make it a voter, remove another.
void CellManager::change_voters(const CellTurn& turn, const LeaderContext& context) {
  RaftGroup& group = context.group;
  if (group.changing()) return;
  const Time now = turn.now;
  // A new manager knows only who votes: who else could is told by their reports.
  if (!all_spoke(context) && now - began_ < kHearing * params_->cell.period) return;
  const auto raft_members = group.members();
  std::vector<PeerId> voters;
  std::vector<VoterCandidate> candidates;
  std::map<PeerId, const Member*> speakers;
  for (const auto& [id, member] : members_) {
    if (member.sequence != 0 && context.books.ledger().node(id) != nullptr) {
      speakers[member.from.id] = &member;
    }
  }
  for (const RaftMember& raft_member : raft_members) {
    if (raft_member.role != MemberRole::voter) continue;
    voters.push_back(raft_member.node);
    const auto speaker = speakers.find(raft_member.node);
    if (raft_member.node == self_.id || speaker != speakers.end()) {
      silent_.erase(raft_member.replica);
    }
    if (speaker == speakers.end()) {
      const Time since = silent_.try_emplace(raft_member.replica, now).first->second;
      const bool lost = raft_member.node != self_.id && now - since >= params_->cell.voter_lost;
      candidates.push_back({.node = raft_member.node,
          .score = 0,
          .lost = lost,
          .draining = has_resigned(raft_member.replica, now)});
    }
  }
  for (const auto& [node, member] : speakers) {
    const cell::MemberReport& report = member->report;
    VoterCandidate candidate{.node = node,
        .score = voter_score(report.uptime, report.capacity),
        .lost = node != self_.id && now - member->heard >= params_->cell.voter_lost,
        .draining = report.draining || report.leaving};
    // Back without its disk: the replica that votes is no more.
    for (const RaftMember& raft_member : raft_members) {
      const bool voter = raft_member.role == MemberRole::voter && raft_member.node == node;
      if (voter && report.replica != raft_member.replica) candidate.lost = node != self_.id;
      if (voter && has_resigned(raft_member.replica, now)) candidate.draining = true;
    }
    candidates.push_back(candidate);
  }
  // Of several that are lost each is tried in its turn: one may be kept by the majority it makes.
  if (!candidates.empty()) {
    std::ranges::rotate(
        candidates, candidates.begin() + static_cast<std::ptrdiff_t>(rounds_ % candidates.size()));
  }
  const bool root = level_of(context.books.cell()) > 0 && context.books.roster().parent == 0;
  const auto step = voters_.next(
      params_->cell, root ? params_->cell.root_voters : params_->cell.voters, voters, candidates);
  follow(turn, group, step, speakers);
}

void CellManager::follow(const CellTurn& turn,
    RaftGroup& group,
    const VoterStep& step,
    const std::map<PeerId, const Member*>& speakers) {
  const auto members = group.members();
  const auto member = std::ranges::find(members, step.node, &RaftMember::node);
  // What does not work now is tried again next period.
  switch (step.what) {
    case VoterStep::What::none:
      for (const RaftMember& spare : members) {
        if (spare.role == MemberRole::voter) continue;
        (void)group.remove(turn.raft(), spare.replica);
        return;
      }
      return;
    case VoterStep::What::remove:
      if (step.node == self_.id) {
        (void)group.transfer(turn.raft());
      } else if (member != members.end()) {
        (void)group.remove(turn.raft(), member->replica);
      }
      return;
    case VoterStep::What::add: {
      const Member& speaker = *speakers.at(step.node);
      if (member == members.end()) {
        turn.out.send(speaker.from, cell::Enlist{.cell = group.group()});
      } else if (speaker.report.replica == member->replica) {
        (void)group.assign(turn.raft(), member->replica, MemberRole::voter);
      } else if (++spare_rounds_ > params_->cell.voter_rounds) {
        spare_rounds_ = 0;
        (void)group.remove(turn.raft(), member->replica);
      }
      return;
    }
  }
}

void CellManager::enlisted(const CellTurn& turn,
    const LeaderContext& context,
    const Endpoint& from,
    const cell::Enlisted& enlisted) {
  const auto members = context.group.members();
  const bool known = std::ranges::count(members, from.id, &RaftMember::node) > 0;
  const bool speaks =
      std::ranges::any_of(members_, [&](const auto& each) { return each.second.from == from; });
  if (enlisted.replica == 0 || known || !speaks || context.group.changing()) return;
  if (context.books.roster().dissolving) return;
  (void)context.group.add(turn.raft(), enlisted.replica, from);
}

// The smallest goes first, of equals the one of the highest id: so two never wait for each other,
// nor do all go at once.
void CellManager::consider_merging(
    const CellTurn& turn, const LeaderContext& context, const CellHints& hints) {
  const std::size_t size = context.books.ledger().state().nodes.size();
  const auto least = params_->cell.cell_min * static_cast<double>(size_max(context));
  std::size_t room = 0;
  const cell::Hint* into = nullptr;
  const auto standing = hints.standing(level_of(context.books.cell()));
  for (const auto& hint : standing) {
    const bool above = hint.size != size ? hint.size > size : hint.cell < context.books.cell();
    if (hint.cell == context.books.cell() || !above || hint.room == 0) continue;
    room += hint.room;
    if (into == nullptr || hint.size > into->size) into = &hint;
  }
  const std::uint8_t level = level_of(context.books.cell());
  const bool small = static_cast<double>(size) <= least || (level > 0 && size <= 1);
  const std::size_t slack = standing.size() > kFewCells ? 2 : 1;
  const bool fits = small && into != nullptr && room >= slack * size;
  // Above a single cell, which needs nobody; but who else would know of one that is missing?
  const bool idle = level > 0 && size <= 1 && context.books.roster().missing.empty() &&
      hints.standing(static_cast<std::uint8_t>(level - 1)).size() <= 1;
  const bool can = fits || idle;
  too_small_ = can ? static_cast<std::uint16_t>(too_small_ + 1) : std::uint16_t{0};
  // Many may see the same room: not all go at once.
  if (too_small_ < params_->cell.merge_rounds || !turn.rng.chance(kDissolveChance)) return;
  too_small_ = 0;
  propose_change(turn, context, books::Dissolve{.into = into == nullptr ? CellId{0} : into->cell});
}

// Its members leave by themselves; then its savings go, and at last the books are closed.
void CellManager::wind_up(
    const CellTurn& turn, const LeaderContext& context, const CellHints& hints) {
  propose_command(turn, context, books::Tick{});
  const auto& state = context.books.ledger().state();
  if (!state.nodes.empty()) return;
  const bool under_way = std::ranges::any_of(
      state.partners, [](const auto& partner) { return !partner.outgoing.empty(); });
  if (state.accounts.empty()) {
    if (!under_way) propose_change(turn, context, books::Close{});
    return;
  }
  auto standing = hints.standing(level_of(context.books.cell()));
  std::erase_if(
      standing, [&](const cell::Hint& hint) { return hint.cell == context.books.cell(); });
  if (standing.empty()) return;
  // The largest is the last to dissolve itself; what is on its way to one that ends comes back.
  const auto meant = std::ranges::find(standing, context.books.roster().into, &cell::Hint::cell);
  const auto into =
      meant != standing.end() ? meant : std::ranges::max_element(standing, {}, &cell::Hint::size);
  desk_.learn(into->cell, endpoint_of(into->manager));
  const ClassId class_id = state.accounts.front().class_id;
  desk_.reserve(context, into->cell, class_id, kTicketsMax, proposer(turn, context));
}

}  // namespace dunlin::sched
