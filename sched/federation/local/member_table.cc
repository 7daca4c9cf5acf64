// SPDX-License-Identifier: MIT
#include "sched/federation/local/member_table.h"

#include <algorithm>
#include <utility>

#include "sched/resources.h"

// Each change of a member gets the next version of the table, and its place in `changes_` moves
// there. So a global master lacks the end of that list. If it gets the end in parts, a member that
// changes meanwhile comes once more, in a later part.
namespace dunlin::sched::federation {
namespace {

/// The room that is left, if any is: a node may have taken other tasks meanwhile.
bool take_if_there(Resources& free, const Resources& demand) {
  if (!fits(demand, free)) return false;
  take(free, demand, 1);
  return true;
}

}  // namespace

MemberTable::Heard MemberTable::hear(const MemberRow& row, const Endpoint& from) {
  const PeerId node = from.id;
  const auto found = known_.find(node);
  const bool is_new = found == known_.end();
  if (is_new && row.kind.empty()) return Heard::no_kind;
  const Row before = is_new ? Row{} : found->second.told;
  if (!is_new && row.version < before.version) return Heard::known;
  logical_nodes_.hear(node, row.held);
  const KindNumber kind =
      row.kind.empty() ? before.kind : expressions_.kinds().number_of(row.kind.front());
  Row told{.node = node,
      .version = row.version,
      .kind = kind,
      .free = row.free,
      .queued = row.queued,
      .draining = row.draining};
  Known& known = known_[node];
  const bool trusted_again = std::exchange(known.distrusted, false);
  const bool moved = std::exchange(known.address, from.address) != from.address;
  if (!is_new && told == before && !trusted_again && !moved) return Heard::known;
  if (!is_new) take(capacity_, total_of(node));
  known.told = std::move(told);
  give(capacity_, total_of(node));
  if (is_new) change_all(owners_.join(node));
  change(node);
  if (is_new || kind != before.kind || moved) {
    known.kind_since = version_;
    ++shape_;
  }
  return Heard::news;
}

void MemberTable::remove(PeerId node) {
  const auto gone = known_.extract(node);
  if (!gone) return;
  take(capacity_, expressions_.kinds().at(gone.mapped().told.kind).total);
  for (const auto& [start, demand] : gone.mapped().under_way) started_at_.erase(start);
  rows_.remove(node);
  logical_nodes_.remove(node);
  changes_.erase(gone.mapped().changed);
  changes_[++version_] = {node, true};
  ++shape_;
  change_all(owners_.leave(node));
  if (++gone_ <= kGoneMax) return;
  // The oldest is forgotten.
  for (auto oldest = changes_.begin(); oldest != changes_.end(); ++oldest) {
    if (!oldest->second.gone) continue;
    begins_ = oldest->first;
    changes_.erase(oldest);
    --gone_;
    return;
  }
}

std::uint64_t MemberTable::version_of(PeerId node) const {
  const auto known = known_.find(node);
  return known == known_.end() ? 0 : known->second.told.version;
}

void MemberTable::attach(PeerId master) {
  change_all(owners_.attach(master));
}

void MemberTable::detach(PeerId master) {
  change_all(owners_.detach(master));
}

void MemberTable::send(std::uint64_t start, PeerId node, const Resources& demand) {
  const auto known = known_.find(node);
  if (known == known_.end()) return;
  known->second.under_way[start] = demand;
  started_at_[start] = node;
  change(node);
}

void MemberTable::settle(std::uint64_t start) {
  const auto at = started_at_.extract(start);
  if (!at) return;
  known_.at(at.mapped()).under_way.erase(start);
  change(at.mapped());
}

void MemberTable::distrust(PeerId node) {
  const auto known = known_.find(node);
  if (known == known_.end() || known->second.distrusted) return;
  known->second.distrusted = true;
  change(node);
}

bool MemberTable::has_room(
    PeerId node, const Resources& demand, std::span<const Constraint> constraints) {
  const Row* const row = rows_.find(node);
  if (row == nullptr || row->draining || row->free.cpu == 0 || !fits(demand, row->free)) {
    return false;
  }
  return satisfies(*row, constraints);
}

bool MemberTable::would_have_room(PeerId node,
    const Resources& more,
    const Resources& demand,
    std::span<const Constraint> constraints) {
  const Row* const row = rows_.find(node);
  if (row == nullptr || row->draining) return false;
  Resources free = row->free;
  give(free, more);
  return fits(demand, free) && satisfies(*row, constraints);
}

bool MemberTable::satisfies(const Row& row, std::span<const Constraint> constraints) {
  const Wish wish = this->wish({}, constraints);
  for (const Expressions::Handle& each : wish.constraints) {
    if (!expressions_.holds(each, row.kind)) return false;
  }
  return true;
}

std::optional<PeerId> MemberTable::match(
    const Resources& demand, std::span<const Constraint> constraints, Pick pick, Rng& rng) {
  const Row* const row = rows_.match(wish(demand, constraints), pick, expressions_, rng, search_);
  return row == nullptr ? std::nullopt : std::optional(row->node);
}

Wish MemberTable::wish(const Resources& demand, std::span<const Constraint> constraints) {
  Wish wish{.demand = demand, .constraints = {}};
  for (const Constraint& constraint : constraints) {
    wish.constraints.push_back(expressions_.handle(constraint));
  }
  return wish;
}

void MemberTable::change(PeerId node) {
  Known& known = known_.at(node);
  changes_.erase(known.changed);
  known.changed = ++version_;
  changes_[version_] = {node, false};
  Row row = known.told;
  for (const auto& [start, demand] : known.under_way) {
    if (!take_if_there(row.free, demand)) row.free.cpu = 0;
  }
  if (known.distrusted) row.free.cpu = 0;
  rows_.put(row, expressions_);
}

void MemberTable::change_all(const std::vector<Owners::Move>& moves) {
  for (const Owners::Move& move : moves) change(move.member);
  if (!moves.empty()) ++shape_;
}

/// The place of a kind in the view, from 1.
std::uint16_t MemberTable::place_of(
    KindNumber kind, CellView& view, std::map<KindNumber, std::uint16_t>& at) const {
  const auto known = at.find(kind);
  if (known != at.end()) return known->second;
  view.kinds.push_back(expressions_.kinds().at(kind));
  return at[kind] = static_cast<std::uint16_t>(view.kinds.size());
}

CellView MemberTable::continued(std::uint64_t from, std::uint64_t begun, bool places) const {
  if (from > version_ || from < begins_) from = 0;
  begun = std::min(begun, from);
  CellView view{.from = from, .version = from, .last = true};
  std::map<KindNumber, std::uint16_t> kinds;
  for (auto next = changes_.upper_bound(from); next != changes_.end(); ++next) {
    if (view.rows.size() == CellView::kRowsMax || view.gone.size() == CellView::kGoneMax) {
      view.last = false;
      return view;
    }
    view.version = next->first;
    const PeerId node = next->second.node;
    if (next->second.gone) {
      // It may have come back: then its row follows.
      if (from > 0) view.gone.push_back(node.value);
      continue;
    }
    const Known& known = known_.at(node);
    const Row& row = *rows_.find(node);
    const bool kind_is_known = begun > 0 && known.kind_since <= begun;
    view.rows.push_back({.node = node,
        .version = row.version,
        .kind = kind_is_known ? std::uint16_t{0} : place_of(row.kind, view, kinds),
        .free = row.free,
        .queued = row.queued,
        .draining = row.draining,
        .owner = owners_.owner_of(node)});
    if (places && !kind_is_known) view.places.push_back({node, known.address});
  }
  view.version = version_;
  return view;
}

}  // namespace dunlin::sched::federation
