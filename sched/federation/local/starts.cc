// SPDX-License-Identifier: MIT
#include "sched/federation/local/starts.h"

#include <algorithm>
#include <vector>

#include "sched/worker/share/stride.h"

// The local master verifies a launch by the rows as they are now, and sends it on to the member.
// The member's answer decides: what one declines goes to another, as long as there is one.
namespace dunlin::sched::federation {
namespace {

/// Draws of a member that did not decline the task yet.
constexpr int kDraws = 4;

/// What such a task takes of a node.
Tickets tickets_of(const Resources& demand, const Resources& total) {
  return static_cast<Tickets>(std::uint64_t{dominant_part(demand, total)} * total.cpu / kWholeNode);
}

/// The member that was chosen cannot take the task.
void note_inconsistency(
    const Owners& owners, AttachedMaster& master, Launched& launched, PeerId wanted) {
  if (launched.inconsistent) return;
  launched.inconsistent = true;
  const bool is_internal = owners.has_member(wanted) && owners.owner_of(wanted) == master.where.id;
  ++(is_internal ? master.counts.internal : master.counts.external);
}

/// A member where tasks of the class that the launch names may be stopped, and leave room for it;
/// empty if there is none, or the class has no more than its share of this cell.
std::optional<PeerId> find_yielding(const MastersTurn& turn,
    MemberTable& table,
    const CellShares& shares,
    const Launched& launched) {
  const Reserve& group = launched.launch->reserve;
  const ClassId over = launched.launch->over;
  std::vector<PeerId> found;
  for (const auto& [node, yields] : shares.yielding(over)) {
    if (std::ranges::count(launched.declined, node) > 0) continue;
    turn.count_rows(1);
    if (!table.would_have_room(node, yields, group.demand, group.constraints)) continue;
    const Tickets part = tickets_of(group.demand, table.total_of(node));
    if (shares.spares(over, part, table.capacity().cpu)) found.push_back(node);
  }
  if (found.empty()) return std::nullopt;
  return found[turn.rng.index(found.size())];
}

}  // namespace

void Starts::begin(const MastersTurn& turn,
    const Members& members,
    AttachedMaster& master,
    Launched& launched,
    std::optional<PeerId> wanted) {
  const LaunchTasks& launch = *launched.launch;
  const Reserve& group = launch.reserve;
  std::optional<PeerId> node;
  const Search before = members.table.search();
  if (wanted) turn.count_rows(1);
  if (wanted && members.table.has_room(*wanted, group.demand, group.constraints)) node = wanted;
  if (wanted && !node) note_inconsistency(members.table.owners(), master, launched, *wanted);
  const bool may_choose = params_.repair || launch.preempts;
  for (int i = 0; may_choose && !node && i < kDraws; ++i) {
    node = members.table.match(group.demand, group.constraints, params_.pick, turn.rng);
    if (!node) break;
    if (std::ranges::count(launched.declined, *node) > 0) node.reset();
  }
  turn.count_search(before, members.table.search());
  launched.start = 0;
  launched.stops_others = !node && launch.preempts;
  if (launched.stops_others) node = find_yielding(turn, members.table, members.shares, launched);
  if (!node) {
    ++master.counts.refused;
    launched.launch.reset();
    return;
  }
  launched.node = *node;
  launched.born = members.born.at(*node);
  launched.start = ++members.last;
  under_way_[launched.start] = {master.where.id, launched.verdict.number};
  members.table.send(launched.start, *node, group.demand);
  if (!launched.stops_others) return;
  members.shares.send(
      launched.start, *node, launch.over, tickets_of(group.demand, members.table.total_of(*node)));
}

void Starts::note_declined(
    const Owners& owners, AttachedMaster& master, Launched& launched, PeerId by) {
  note_inconsistency(owners, master, launched, by);
  launched.declined.push_back(by);
}

void Starts::succeed(const Members& members,
    AttachedMaster& master,
    Launched& launched,
    const Endpoint& at,
    std::uint32_t incarnation) {
  settle(members, launched.start);
  if (launched.stops_others) ++master.counts.preempted;
  launched.start = 0;
  launched.launch.reset();
  launched.verdict.fate = LaunchFate::placed;
  launched.verdict.node = at.id;
  launched.verdict.address = at.address;
  launched.verdict.incarnation = incarnation;
}

void Starts::decline(const MastersTurn& turn,
    const Members& members,
    AttachedMaster& master,
    Launched& launched,
    bool crowded) {
  const PeerId by = launched.node;
  settle(members, launched.start);
  if (!launched.launch->preempts) {
    note_inconsistency(members.table.owners(), master, launched, by);
  }
  // What it declines of one user it may take of others.
  if (!crowded) {
    launched.stops_others ? members.shares.distrust(by) : members.table.distrust(by);
  }
  launched.declined.push_back(by);
  begin(turn, members, master, launched, std::nullopt);
}

void Starts::forget_below(const Members& members, AttachedMaster& master, std::uint64_t floor) {
  master.floor = std::max(master.floor, floor);
  auto& launches = master.launches;
  while (!launches.empty() && launches.begin()->first < master.floor) {
    settle(members, launches.begin()->second.start);
    launches.erase(launches.begin());
  }
  master.count();
}

void Starts::forget_all(const Members& members, const AttachedMaster& master) {
  for (const auto& [number, launched] : master.launches) settle(members, launched.start);
}

std::optional<Starts::Origin> Starts::find(std::uint64_t start) const {
  const auto found = under_way_.find(start);
  if (found == under_way_.end()) return std::nullopt;
  return found->second;
}

void Starts::settle(const Members& members, std::uint64_t start) {
  if (start == 0) return;
  under_way_.erase(start);
  members.table.settle(start);
  members.shares.settle(start);
}

}  // namespace dunlin::sched::federation
