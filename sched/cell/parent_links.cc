// SPDX-License-Identifier: MIT
#include "sched/cell/parent_links.h"

#include <algorithm>

#include "overlay/ensure.h"
#include "sched/cell/hosted_replica.h"

// The tree of cells grows upwards where it is needed, without a plan. A manager that knows of
// another cell of its level for long enough wants a parent: it joins one that has room, or
// establishes one, by the same rules as a node that seeks a cell. When the other cells are gone,
// the parent is of no use, and is left. Cells about to merge need no parent, so small ones wait
// longer.
namespace dunlin::sched {
namespace {

/// Periods for which a cell must know of others before it wants a parent.
constexpr int kPeriodsBefore = 2;
/// ... and so many times merge_rounds for one that may merge first.
constexpr int kRoundsBefore = 2;

}  // namespace

// Gossip of dissolving cells does not count: a parent for one that is about to end is of no use.
bool ParentLinks::has_siblings(const HostedReplica& hosted) const {
  const auto standing = gossip_->hints().standing(hosted.level());
  return std::ranges::any_of(
      standing, [&](const cell::Hint& hint) { return hint.cell != hosted.cell(); });
}

bool ParentLinks::wants_parent(const HostedReplica& hosted, Time now) const {
  const CellParams& cell = params_->cell;
  const std::uint8_t level = hosted.level();
  const auto above = static_cast<std::uint8_t>(level + 1);
  const bool others = has_siblings(hosted) || !gossip_->hints().standing(above).empty();
  const auto size = static_cast<double>(hosted.books().roster().members.size());
  const bool small = size <= cell.cell_min * (level == 0 ? cell.cell_size : cell.fan_out);
  const bool may_merge = small || (level > 0 && size <= 1);
  const auto rounds = may_merge ? kRoundsBefore * cell.merge_rounds : kPeriodsBefore;
  return others && now - std::max(hosted.alone, hosted.made) >= rounds * cell.period;
}

cell::MemberReport ParentLinks::report(Time now, const HostedReplica& hosted) const {
  cell::MemberReport report = local_->report(now, gossip_->table().version());
  report.tickets = std::min(hosted.books().tickets(), kTicketsMax);
  report.replica = host_->replica_of(hosted.above->cell()).value_or(0);
  report.size = static_cast<std::uint32_t>(hosted.books().roster().members.size());
  report.uses = hosted.manager->members().uses(hosted.books());
  report.neediest = hosted.manager->orders().neediest(hosted.books());
  return report;
}

// A new manager goes on where the one before it was: the books name the parent.
bool ParentLinks::begin(Time now, HostedReplica& hosted) {
  const books::Roster& roster = hosted.books().roster();
  const bool has_parent = static_cast<bool>(roster.parent);
  if (!has_parent && (roster.dissolving || !wants_parent(hosted, now))) return false;
  const auto level = static_cast<std::uint8_t>(hosted.level() + 1);
  hosted.above.emplace(params_->cell, level, hosted.cell());
  if (has_parent) {
    hosted.above->join(now, roster.parent, roster.parent_contacts, CellMember::Joins::again);
  }
  return true;
}

void ParentLinks::wake(const CellTurn& turn, HostedReplica& hosted) {
  ensure(hosted.manager.has_value(), "a cell that another node speaks for");
  const Time now = turn.now;
  const books::Roster& roster = hosted.books().roster();
  if (hosted.level() + 1 >= kLevels || roster.closed) {
    hosted.above.reset();
    return;
  }
  if (!has_siblings(hosted)) hosted.alone = now;
  if (!hosted.above && !begin(now, hosted)) return;
  CellMember& above = *hosted.above;
  if (roster.dissolving && above.state() != CellMember::State::leaving) {
    above.retire(turn.now);
    above.leave(now);
  }
  if (above.deadline() > now) return;
  above.wake(turn, gossip_->hints(), [&] { return report(now, hosted); });
  if (above.state() == CellMember::State::seeking) seek(turn, hosted);
}

// A parent of one child is of no more use than the child alone. So above level 1 a cell of one
// member establishes none. A cell that is alone needs none, while there is none it could join.
void ParentLinks::seek(const CellTurn& turn, HostedReplica& hosted) {
  const auto level = static_cast<std::uint8_t>(hosted.level() + 1);
  const bool siblings = has_siblings(hosted);
  const bool may = level == 1 || hosted.books().roster().members.size() > 1;
  if (siblings && may && hosted.above->establishes()) {
    return host_->establish(turn, level, *hosted.above);
  }
  if (siblings || !gossip_->hints().standing(level).empty()) return;
  hosted.above.reset();
  hosted.manager->set_parent(turn, hosted.context(gossip_->hints()), {});
  host_->settle(turn, hosted);
}

// Grants of a parent by Cluster Reserves are the weights of classes in this cell. By the bank a
// cell divides what its nodes have by the class table, and the parent moves savings alone.
bool ParentLinks::receive(
    const CellTurn& turn, const Endpoint& from, const cell::Lease& lease, HostedReplica& hosted) {
  ensure(hosted.manager && hosted.above, "a lease for a cell that another node speaks for");
  CellMember& above = *hosted.above;
  if (!asks(above, from.id)) return false;
  if (lease.standing == cell::Standing::full) gossip_->full(lease.cell);
  const bool changed = above.receive(turn, lease);
  gossip_->on_lease(turn, from, lease, above.cell());
  const LeaderContext context = hosted.context(gossip_->hints());
  hosted.manager->set_classes(turn, context, gossip_->table().classes());
  if (changed && params_->cell.sharing == SharingMode::cluster_reserves) {
    hosted.manager->set_weights(above.grants(turn.now), above.until());
  }
  if (above.is_member()) {
    books::SetParent parent{.parent = above.cell(), .contacts = {}};
    parent.contacts.assign(above.contacts().begin(), above.contacts().end());
    hosted.manager->set_parent(turn, context, parent);
  }
  host_->settle(turn, hosted);
  return true;
}

}  // namespace dunlin::sched
