// SPDX-License-Identifier: MIT
#include "sched/federation/global_view.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "sched/resources.h"

namespace dunlin::sched::federation {
namespace {

/// What is free when `demand` is taken: nothing, where less than that is free. Only a belief gets
/// there: the node itself never gives what it has not.
void take_what_is_there(Resources& free, const Resources& demand) {
  free.cpu -= std::min(free.cpu, demand.cpu);
  free.memory -= std::min(free.memory, demand.memory);
  for (const Rate& rate : kRates) {
    std::uint32_t& there = free.*rate.amount;
    if (there != kUnlimited) there -= std::min(there, demand.*rate.amount);
  }
  for (const Amount& amount : demand.custom) {
    const std::uint32_t there = amount_of(free, amount.name);
    set_amount(free, amount.name, there - std::min(there, amount.count));
  }
}

}  // namespace

bool GlobalView::makes_sense(const LocalMaster& master, const CellView& view) {
  const bool follows = view.epoch == master.epoch && view.from <= master.version;
  if (view.from != 0 && !follows) return false;
  return std::ranges::all_of(view.rows, [&](const ViewRow& row) {
    return row.kind == 0 ? master.told.contains(row.node) : row.kind <= view.kinds.size();
  });
}

Heard GlobalView::learn(const CellView& view, Time now) {
  LocalMaster& master = masters_[view.cell];
  if (std::tie(view.epoch, view.version) < std::tie(master.epoch, master.version)) {
    return Heard::old;
  }
  if (!makes_sense(master, view)) {
    // A node that was never told, as if it had been: what was missed is no end of the news.
    const auto is_missed = [&](const ViewRow& row) {
      return row.kind == 0 && !master.told.contains(row.node);
    };
    const bool follows = view.epoch == master.epoch && view.from <= master.version;
    if (follows && std::ranges::any_of(view.rows, is_missed)) master.version = 0;
    return Heard::gap;
  }
  master.epoch = view.epoch;
  master.version = view.version;
  master.heard = now;
  master.suspected = false;
  master.capacity = view.capacity;
  master.uses = view.uses;
  if (view.from == 0) {
    master.begins = true;
    for (auto& [node, told] : master.told) told.confirmed = false;
  }
  std::vector<KindNumber> kinds;
  kinds.reserve(view.kinds.size());
  for (const NodeKind& kind : view.kinds) kinds.push_back(expressions_.kinds().number_of(kind));
  for (const std::uint64_t node : view.gone) remove(view.cell, master, PeerId{node});
  for (const ViewRow& row : view.rows) tell(view.cell, master, row, kinds, view.included);
  for (const ViewPlace& place : view.places) {
    const auto told = master.told.find(place.node);
    if (told != master.told.end()) told->second.address = place.address;
  }
  if (master.begins && view.last) drop_unconfirmed(view.cell, master);
  return Heard::taken;
}

/// The news have named all members since they began anew: what they did not name is gone.
void GlobalView::drop_unconfirmed(CellId cell, LocalMaster& master) {
  master.begins = false;
  std::vector<PeerId> absent;
  for (const auto& [node, told] : master.told) {
    if (!told.confirmed) absent.push_back(node);
  }
  for (const PeerId node : absent) remove(cell, master, node);
}

void GlobalView::forget(CellId cell) {
  const auto known = masters_.find(cell);
  if (known == masters_.end()) return;
  LocalMaster& master = known->second;
  master.told.clear();
  master.epoch = 0;
  master.version = 0;
  master.heard = Time::min();
  master.capacity = {};
  master.uses.clear();
  const auto first = partitions_.lower_bound({cell, {}});
  auto last = first;
  while (last != partitions_.end() && last->first.cell == cell) ++last;
  partitions_.erase(first, last);
}

void GlobalView::suspect(CellId cell) {
  const auto known = masters_.find(cell);
  if (known != masters_.end()) known->second.suspected = true;
}

KnownView GlobalView::known(CellId cell) const {
  const auto known = masters_.find(cell);
  if (known == masters_.end()) return {.cell = cell, .floor = 1};
  const LocalMaster& master = known->second;
  const auto unsettled = master.launches.begin();
  return {.cell = cell,
      .epoch = master.epoch,
      .version = master.version,
      .floor = unsettled == master.launches.end() ? master.launch_last + 1 : unsettled->first};
}

Time GlobalView::heard(CellId cell) const {
  const auto known = masters_.find(cell);
  return known == masters_.end() ? Time::min() : known->second.heard;
}

std::vector<CellStanding> GlobalView::standings(Time since) const {
  std::vector<CellStanding> standings;
  for (const auto& [cell, master] : masters_) {
    if (master.told.empty()) continue;
    const bool open = master.heard >= since && !master.suspected;
    standings.push_back({cell, master.epoch, open, master.capacity, master.uses});
  }
  return standings;
}

std::vector<CellId> GlobalView::cells() const {
  std::vector<CellId> cells;
  for (const auto& [cell, master] : masters_) {
    if (!master.told.empty()) cells.push_back(cell);
  }
  return cells;
}

std::uint64_t GlobalView::launch(const Place& place, const Resources& demand) {
  LocalMaster& master = masters_[place.cell];
  const std::uint64_t number = ++master.launch_last;
  master.launches.emplace(number, Launch{place.node, demand});
  master.launched_at.emplace(place.node, number);
  refresh(place.cell, master, place.node);
  return number;
}

void GlobalView::settle(CellId cell, std::uint64_t number) {
  const auto master = masters_.find(cell);
  if (master == masters_.end()) return;
  if (const auto launch = master->second.launches.extract(number)) {
    master->second.launched_at.erase({launch.mapped().node, number});
    refresh(cell, master->second, launch.mapped().node);
  }
}

void GlobalView::hear_row(CellId cell, PeerId node, const MemberRow& row) {
  const auto master = masters_.find(cell);
  if (master == masters_.end()) return;
  const auto told = master->second.told.find(node);
  if (told == master->second.told.end() || row.version <= told->second.row.version) return;
  Row& known = told->second.row;
  known.version = row.version;
  known.free = row.free;
  known.queued = row.queued;
  known.draining = row.draining;
  refresh(cell, master->second, node);
}

void GlobalView::distrust(CellId cell, PeerId node) {
  const auto master = masters_.find(cell);
  if (master == masters_.end()) return;
  const auto told = master->second.told.find(node);
  if (told == master->second.told.end()) return;
  told->second.row.free.cpu = 0;
  refresh(cell, master->second, node);
}

std::optional<GlobalView::Member> GlobalView::member(CellId cell, PeerId node) const {
  const auto master = masters_.find(cell);
  if (master == masters_.end()) return std::nullopt;
  const auto told = master->second.told.find(node);
  const bool known = told != master->second.told.end() && told->second.address != Address{};
  if (!known) return std::nullopt;
  return Member{
      {node, told->second.address}, static_cast<std::uint32_t>(told->second.row.version >> 32)};
}

const Row* GlobalView::find(CellId cell, PeerId node) const {
  const auto master = masters_.find(cell);
  if (master == masters_.end()) return nullptr;
  const auto told = master->second.told.find(node);
  if (told == master->second.told.end()) return nullptr;
  return partitions_.at({cell, told->second.owner}).find(node);
}

std::size_t GlobalView::internal_size() const {
  std::size_t sum = 0;
  for (const auto& [key, partition] : partitions_) {
    if (key.owner == self_) sum += partition.size();
  }
  return sum;
}

std::size_t GlobalView::size() const {
  std::size_t sum = 0;
  for (const auto& [cell, master] : masters_) sum += master.told.size();
  return sum;
}

void GlobalView::tell(CellId cell,
    LocalMaster& master,
    const ViewRow& row,
    std::span<const KindNumber> kinds,
    std::uint64_t included) {
  const auto [known, is_new] = master.told.try_emplace(row.node);
  Told& told = known->second;
  if (!is_new && told.owner != row.owner) take_out({cell, told.owner}, row.node);
  // The owner is the local master's to say, and its news are in order. The row is the node's own
  // word, and only gets later: a new local master may know an older one than this view.
  told.owner = row.owner;
  told.confirmed = true;
  if (is_new || row.version >= told.row.version) {
    told.included = included;
    told.row = {.node = row.node,
        .version = row.version,
        .kind = row.kind == 0 ? told.row.kind : kinds[row.kind - 1u],
        .free = row.free,
        .queued = row.queued,
        .draining = row.draining};
  }
  refresh(cell, master, row.node);
}

void GlobalView::remove(CellId cell, LocalMaster& master, PeerId node) {
  const auto told = master.told.extract(node);
  if (told) take_out({cell, told.mapped().owner}, node);
}

void GlobalView::take_out(const Key& key, PeerId node) {
  Partition& partition = partitions_.at(key);
  partition.remove(node);
  if (partition.size() == 0) partitions_.erase(key);
}

void GlobalView::refresh(CellId cell, const LocalMaster& master, PeerId node) {
  const auto told = master.told.find(node);
  if (told == master.told.end()) return;
  Row row = told->second.row;
  auto at = master.launched_at.upper_bound({node, told->second.included});
  for (; at != master.launched_at.end() && at->first == node; ++at) {
    take_what_is_there(row.free, master.launches.at(at->second).demand);
  }
  partitions_[{cell, told->second.owner}].put(row, expressions_);
}

}  // namespace dunlin::sched::federation
