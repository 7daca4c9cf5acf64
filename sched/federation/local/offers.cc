// SPDX-License-Identifier: MIT
#include "sched/federation/local/offers.h"

#include <algorithm>

#include "sched/resources.h"

// A group gets no more rooms than it has tasks until its global master speaks again. So if the word
// that a group has ended is lost, little is offered in vain. A word that an older one overtakes
// counts nevertheless.
//
// A member may have room, and none for this user. That is no fault of its row, by which others
// find it: so the group alone leaves it aside, until the row is another one.
namespace dunlin::sched::federation {
namespace {

/// Members that are drawn for one group at a time though they have no room for its user.
constexpr int kCrowdedDraws = 4;

}  // namespace

Offers::Offers(
    const FederationParams& params, const WorkerParams& worker, CellId cell, std::uint64_t epoch)
    : params_(params),
      discipline_(make_discipline(worker)),
      cell_(cell),
      epoch_(epoch) {}

Offers::Group* Offers::find(const JobId& job, std::uint16_t group) {
  const auto found = std::ranges::find_if(groups_, [&](const Group& each) {
    const Reserve& reserve = each.waiting.reserve;
    return reserve.job == job && reserve.group == group;
  });
  return found == groups_.end() ? nullptr : &*found;
}

bool Offers::is_crowded(const Group& group, const MemberTable& table, PeerId node) {
  const auto said = group.crowded.find(node);
  return said != group.crowded.end() && said->second == table.version_of(node);
}

void Offers::receive(
    const MastersTurn& turn, const Members& members, PeerId master, const Park& parked) {
  const Reserve& reserve = parked.reserve;
  Group* group = find(reserve.job, reserve.group);
  if (group != nullptr && (group->master != master || parked.word < group->word)) return;
  if (group == nullptr) {
    if (groups_.size() >= kGroupsMax) return;
    group = &groups_.emplace_back();
  }
  group->master = master;
  group->word = parked.word;
  group->ended = reserve.tasks_max == 0;
  if (group->ended) {
    group->waiting.reserve.job = reserve.job;
    group->waiting.reserve.group = reserve.group;
    group->wanted = 0;
    group->until = turn.now + params_.launch_timeout;
    return;
  }
  group->waiting = arriving(reserve, turn.now);
  group->waiting.reserve.task_time = sane_task_time(reserve.task_time);
  task_times_.learn(group->waiting.reserve.task_time);
  discipline_->weigh(group->waiting);
  group->wanted = tasks_wanted(reserve);
  group->until = turn.now + params_.lease;
  for (int crowded = 0; group->wanted > 0 && crowded < kCrowdedDraws;) {
    const Search before = members.table.search();
    const auto node =
        members.table.match(reserve.demand, reserve.constraints, params_.pick, turn.rng);
    turn.count_search(before, members.table.search());
    if (!node || !members.roll.has(*node)) return;
    if (is_crowded(*group, members.table, *node)) {
      ++crowded;
      continue;
    }
    send(turn, members, *group, *node);
  }
}

std::size_t Offers::size() const {
  return static_cast<std::size_t>(std::ranges::count(groups_, false, &Group::ended));
}

std::size_t Offers::count_of(PeerId master) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      groups_, [&](const Group& group) { return group.master == master && !group.ended; }));
}

void Offers::forget(PeerId master) {
  std::erase_if(groups_, [&](const Group& group) { return group.master == master; });
}

void Offers::offer(const MastersTurn& turn, const Members& members, PeerId node) {
  const auto is_open = [&] {
    const Row* const row = members.table.find(node);
    return row != nullptr && !row->draining && row->free.cpu > 0 && members.roll.has(node);
  };
  if (groups_.empty() || !is_open()) return;
  std::vector<Group*> order;
  for (Group& group : groups_) {
    if (group.wanted > 0) order.push_back(&group);
  }
  const ServiceMoment at(turn.now, task_times_.value());
  std::ranges::sort(order, [&](const Group* a, const Group* b) {
    return discipline_->before(a->waiting, b->waiting, at);
  });
  for (Group* const group : order) {
    if (!is_open()) return;
    const Reserve& reserve = group->waiting.reserve;
    turn.count_rows(1);
    if (is_crowded(*group, members.table, node)) continue;
    if (members.table.has_room(node, reserve.demand, reserve.constraints)) {
      send(turn, members, *group, node);
    }
  }
}

/// Offers it as much of the room there as it has tasks for. Requires that one fits.
void Offers::send(const MastersTurn& turn, const Members& members, Group& group, PeerId node) {
  const Reserve& reserve = group.waiting.reserve;
  // A task that demands nothing would fit any number of times.
  const std::uint32_t tasks = std::max<std::uint32_t>(
      1, how_many_fit(reserve.demand, members.table.find(node)->free, group.wanted));
  Resources room;
  give(room, reserve.demand, tasks);
  group.wanted -= tasks;
  const std::uint64_t number = ++members.start_last;
  members.table.send(number, node, room);
  under_way_[number] = {.node = node,
      .job = reserve.job,
      .group = reserve.group,
      .tasks = static_cast<std::uint16_t>(tasks),
      .until = turn.now + params_.launch_timeout};
  Offer offer{.cell = cell_,
      .epoch = epoch_,
      .born = members.born.at(node),
      .number = number,
      .reserve = reserve};
  offer.reserve.tasks_max = static_cast<std::uint16_t>(tasks);
  offer.reserve.waited = whole_milliseconds(turn.now - group.waiting.born);
  turn.out.send(members.roll.where(node), offer);
}

bool Offers::settle(MemberTable& table, PeerId node, const StartAnswer& answer) {
  const auto offer = under_way_.find(answer.number);
  if (offer == under_way_.end() || offer->second.node != node) return false;
  table.settle(answer.number);
  if (!answer.started) {
    if (!answer.crowded) table.distrust(node);
    Group* const group = find(offer->second.job, offer->second.group);
    if (group != nullptr && !group->ended) {
      if (answer.crowded) group->crowded[node] = table.version_of(node);
      const std::uint32_t all = tasks_wanted(group->waiting.reserve);
      group->wanted = std::min<std::uint32_t>(all, group->wanted + offer->second.tasks);
    }
  }
  under_way_.erase(offer);
  return true;
}

void Offers::wake(Time now, MemberTable& table) {
  for (auto offer = under_way_.begin(); offer != under_way_.end();) {
    if (offer->second.until > now) {
      ++offer;
      continue;
    }
    table.settle(offer->first);
    offer = under_way_.erase(offer);
  }
  std::erase_if(groups_, [&](const Group& group) { return group.until <= now; });
}

Time Offers::deadline() const {
  Time earliest = kNever;
  for (const auto& [number, offer] : under_way_) earliest = std::min(earliest, offer.until);
  for (const Group& group : groups_) earliest = std::min(earliest, group.until);
  return earliest;
}

}  // namespace dunlin::sched::federation
