// SPDX-License-Identifier: MIT
#include "sched/cell/manager/cell_manager.h"

#include <algorithm>
#include <utility>

// The leader of a cell's Raft group is its manager, for as long as it leads. Once in a period it
// evicts members that were silent, and then lets every service do its work, in an order that
// matters: lost cells and transfers first, then the voters, then the cell's own end; tickets are
// allocated last, among those members that remain. A service proposes its changes of the books, and
// acts on them when the voters have agreed.
namespace dunlin::sched {

CellManager::CellManager(
    const SharingParams& params, const Endpoint& self, Time now, const LeaderContext& context)
    : params_(&params),
      self_(self),
      proposer_(now, context),
      next_(now),
      members_(params.cell, self, now, context.books),
      lost_(params),
      logs_(params.cell, members_),
      voters_(params.cell, self, now, members_),
      shape_(params.cell, members_, desk_, moves_),
      orders_(params, members_, desk_),
      allocation_(params, members_),
      plans_(params),
      services_(
          {&lost_, &desk_, &logs_, &moves_, &voters_, &shape_, &orders_, &allocation_, &plans_}) {}

LeaderTurn CellManager::step(const CellTurn& turn, const LeaderContext& context) {
  return {turn, context, proposer_, context.books.roster().dissolving};
}

void CellManager::wake(const CellTurn& turn, const LeaderContext& context) {
  const LeaderTurn step = this->step(turn, context);
  services_.on_deadline(step);
  if (turn.now < next_) return;
  next_ = turn.now + params_->cell.period;
  if (context.books.roster().closed) return;
  members_.evict_silent(step);
  services_.on_period(step);
}

Handling CellManager::receive(const CellTurn& turn,
    const LeaderContext& context,
    const Endpoint& from,
    const cell::Message& message) {
  const auto* report = std::get_if<cell::MemberReport>(&message);
  if (report != nullptr && (!report->member || report->sequence == 0)) return Handling::handled;
  const LeaderTurn step = this->step(turn, context);
  const Handling handling = services_.on_message(step, from, message);
  if (handling != Handling::passed || report == nullptr) return handling;
  if (members_.receive(step, from, *report)) services_.on_report(step, *report);
  return Handling::handled;
}

void CellManager::done(
    const CellTurn& turn, const LeaderContext& context, const Resolution& outcome) {
  const LeaderTurn step = this->step(turn, context);
  members_.on_outcome(step, outcome);
  services_.on_outcome(step, outcome);
}

void CellManager::set_classes(
    const CellTurn& turn, const LeaderContext& context, const books::Classes& classes) {
  if (classes.version <= context.books.roster().classes.version || !validate(classes)) return;
  step(turn, context).propose_change(classes);
}

void CellManager::set_parent(
    const CellTurn& turn, const LeaderContext& context, const books::SetParent& parent) {
  shape_.set_parent(step(turn, context), parent);
}

void CellManager::dissolve(
    const CellTurn& turn, const LeaderContext& context, std::optional<CellId> into) {
  shape_.dissolve(step(turn, context), into);
}

Result<void> CellManager::write_off(
    const CellTurn& turn, const LeaderContext& context, CellId lost, bool reissue) {
  return lost_.write_off(step(turn, context), lost, reissue);
}

cell::Hint CellManager::hint(const CellBooks& books) {
  const std::size_t size = books.ledger().state().nodes.size();
  const std::size_t size_max = members_.size_max(books.cell());
  const bool dissolving = books.roster().dissolving;
  const std::size_t room = size < size_max && !dissolving ? size_max - size : 0;
  return {.cell = books.cell(),
      .epoch = epoch(),
      .stamp = ++hints_,
      .age = {},
      .manager = contact_of(self_),
      .size = static_cast<std::uint32_t>(size),
      .room = static_cast<std::uint32_t>(room),
      .dissolving = dissolving,
      .spare = planner().spare()};
}

}  // namespace dunlin::sched
