// SPDX-License-Identifier: MIT
#include "sched/federation/local/local_master.h"

#include <algorithm>
#include <utility>

// Global masters attach and ask what has changed, members say what they are, and both are leases.
// Between two heartbeats a global master hears of members that came or went, and by the answers to
// its launches of all that changed meanwhile.
namespace dunlin::sched::federation {
namespace {

/// Members that come within so long are told of together.
constexpr Duration kTogether = std::chrono::milliseconds(50);
/// The parts in which one view is told at most: the next heartbeat goes on.
constexpr int kPartsMax = 32;

constexpr std::uint32_t born_of(std::uint64_t version) {
  return static_cast<std::uint32_t>(version >> 32);
}

}  // namespace

LocalMaster::LocalMaster(const FederationParams& params,
    CellId cell,
    std::uint64_t epoch,
    const WorkerParams& worker,
    std::uint64_t number_last)
    : params_(params),
      cell_(cell),
      epoch_(epoch),
      table_(number_last),
      roll_(params),
      offers_(params, worker, cell, epoch),
      starts_(params),
      start_last_(number_last) {}

void LocalMaster::set_members(std::span<const Endpoint> members) {
  for (const PeerId gone : roll_.set_members(members)) {
    table_.remove(gone);
    shares_.remove(gone);
    born_.erase(gone);
  }
}

/// Nullptr if there are too many already, or an earlier incarnation speaks.
AttachedMaster* LocalMaster::attach(Time now, const Endpoint& from, std::uint32_t incarnation) {
  const auto known = masters_.find(from.id);
  if (known != masters_.end()) {
    if (incarnation < known->second.incarnation) return nullptr;
    if (incarnation > known->second.incarnation) detach(from.id);
  }
  const std::size_t with_partition = table_.owners().partitions().size();
  if (!masters_.contains(from.id) && masters_.size() >= std::size_t{2} * params_.masters_max)
    return nullptr;
  AttachedMaster& master = masters_[from.id];
  master.where = from;
  master.incarnation = incarnation;
  master.until = now + params_.lease;
  if (with_partition < params_.masters_max) table_.attach(from.id);
  return &master;
}

void LocalMaster::detach(PeerId master) {
  const auto known = masters_.find(master);
  if (known == masters_.end()) return;
  starts_.forget_all(started_members(), known->second);
  of_gone_.add(known->second.counts);
  masters_.erase(known);
  table_.detach(master);
  offers_.forget(master);
}

LaunchCounts LocalMaster::launch_counts() const {
  LaunchCounts sum = of_gone_;
  for (const auto& [id, master] : masters_) sum.add(master.counts);
  return sum;
}

void LocalMaster::receive(
    const MastersTurn& turn, const Endpoint& from, const Attach& attach, const KnownView* known) {
  if (attach.leave) {
    const auto master = masters_.find(from.id);
    const bool is_it = master != masters_.end() && master->second.incarnation == attach.incarnation;
    if (is_it) detach(from.id);
    return note_shape(turn.now);
  }
  AttachedMaster* const master = this->attach(turn.now, from, attach.incarnation);
  if (master == nullptr) {
    turn.out.send(from, CellView{.cell = cell_, .epoch = epoch_, .last = true, .full = true});
    return;
  }
  master->wants_places = attach.places;
  const KnownView had = known == nullptr ? KnownView{.cell = cell_} : *known;
  master->renew(had, epoch_, turn.now + params_.lease);
  starts_.forget_below(started_members(), *master, had.floor);
  master->sent = master->known;
  tell(turn, *master);
  note_shape(turn.now);
}

CellView LocalMaster::view(
    const AttachedMaster& master, std::uint64_t from, std::uint64_t begun) const {
  CellView view = table_.continued(from, begun, master.wants_places);
  view.cell = cell_;
  view.epoch = epoch_;
  view.included = master.handled;
  view.capacity = table_.capacity();
  view.uses = shares_.totals(master.where.id);
  return view;
}

/// Tells it all that it was not told yet, even if that is nothing: it hears that this one lives.
void LocalMaster::tell(const MastersTurn& turn, AttachedMaster& master) {
  const std::uint64_t begun = master.sent;
  for (int part = 0; part < kPartsMax; ++part) {
    const CellView view = this->view(master, master.sent, begun);
    master.sent = view.version;
    turn.count_rows(view.rows.size() + view.gone.size());
    turn.out.send(master.where, view);
    if (view.last) return;
  }
}

void LocalMaster::receive(const MastersTurn& turn, const Endpoint& from, const MemberRow& row) {
  if (row.cell != cell_ || row.epoch != epoch_) {
    ++ignored_.epochs;
    return;
  }
  if (!roll_.has(from.id)) {
    ++ignored_.strangers;
    return;
  }
  turn.count_rows(1);
  roll_.heard(turn.now, from);
  born_[from.id] = std::max(born_[from.id], born_of(row.version));
  if (table_.hear(row, from) == MemberTable::Heard::no_kind) {
    turn.out.send(from, RollCall{.cell = cell_, .epoch = epoch_});
  }
  if (table_.version_of(from.id) == row.version) shares_.hear(from.id, row.uses);
  std::map<PeerId, Verdicts> verdicts;
  for (const StartAnswer& answer : row.answers) {
    on_answer(turn, from, row.incarnation, answer, verdicts);
  }
  for (auto& [master, its] : verdicts) reply(turn, masters_.at(master), std::move(its));
  offers_.offer(turn, offered_members(), from.id);
  note_shape(turn.now);
}

void LocalMaster::receive(const MastersTurn& turn, const Endpoint& from, const Park& parked) {
  const auto master = masters_.find(from.id);
  if (parked.epoch != epoch_) {
    ++ignored_.epochs;
  } else if (master == masters_.end() || master->second.incarnation != parked.incarnation) {
    ++ignored_.strangers;
  } else {
    offers_.receive(turn, offered_members(), from.id, parked);
  }
}

/// Has global masters told what changed: members soon, rows if that is wanted.
void LocalMaster::note_shape(Time now) {
  if (table_.shape() != told_shape_) {
    told_shape_ = table_.shape();
    tell_at_ = std::min(tell_at_, now + kTogether);
  }
  if (params_.news_within == Duration{0} || news_at_ != kNever) return;
  const auto waits = [&](const auto& each) { return each.second.sent < table_.version(); };
  if (std::ranges::any_of(masters_, waits)) news_at_ = now + params_.news_within;
}

void LocalMaster::call_roll(const MastersTurn& turn) {
  const Roll::Calls calls = roll_.call(turn.now);
  for (const Endpoint& member : calls.to) {
    turn.out.send(
        member, RollCall{.cell = cell_, .epoch = epoch_, .version = table_.version_of(member.id)});
  }
  for (const PeerId silent : calls.silent) {
    table_.remove(silent);
    shares_.remove(silent);
  }
}

void LocalMaster::on_down(Time now, PeerId node) {
  table_.remove(node);
  shares_.remove(node);
  offers_.forget(node);  // Members that ask it for tasks would wait for an answer.
  note_shape(now);
}

void LocalMaster::wake(const MastersTurn& turn) {
  if (roll_.deadline() <= turn.now) call_roll(turn);
  std::vector<PeerId> silent;
  for (const auto& [id, master] : masters_) {
    if (master.until <= turn.now) silent.push_back(id);
  }
  for (const PeerId master : silent) detach(master);
  offers_.wake(turn.now, table_);
  note_shape(turn.now);
  const bool has_shape = tell_at_ <= turn.now;
  if (!has_shape && news_at_ > turn.now) return;
  if (has_shape) tell_at_ = kNever;
  news_at_ = kNever;
  for (auto& [id, master] : masters_) {
    if (has_shape || master.sent < table_.version()) tell(turn, master);
  }
}

Time LocalMaster::deadline() const {
  Time earliest = std::min({roll_.deadline(), tell_at_, news_at_, offers_.deadline()});
  for (const auto& [id, master] : masters_) earliest = std::min(earliest, master.until);
  return earliest;
}

}  // namespace dunlin::sched::federation
