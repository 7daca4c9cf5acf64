// SPDX-License-Identifier: MIT
#include "sched/cell/manager/cell_shape.h"

#include <algorithm>

// A cell that is too small dissolves when larger ones have room for all its members: they leave one
// by one and join where they find room, then its savings are sent to the largest, then its books
// close. The smallest goes first, and of two equals the one of the higher id: so two cells never
// wait for each other. Many cells may see the same room, so each goes only by chance in a period.
// Of two cells one alone can go, and goes at once: two nodes that each established a cell in a
// young cluster would else keep its first jobs waiting for their standbys.
namespace dunlin::sched {
namespace {

/// A period's chance that a cell which could dissolve does, where it may not be alone in that.
constexpr double kDissolveChance = 0.25;
/// Where there are more cells than these, they are not packed to the last place: newcomers would
/// find none.
constexpr std::size_t kFewCells = 8;

/// The room in the cells of this level that do not go before this one.
struct RoomElsewhere {
  std::size_t places = 0;
  std::optional<CellId> largest;  ///< The largest cell that has room, if one has.
  std::size_t cells = 0;          ///< All of this level, this one included if gossip spoke of it.
  std::size_t others = 0;         ///< The same, without this one.
};

RoomElsewhere room_elsewhere(const LeaderTurn& turn) {
  const std::size_t size = turn.books.ledger().state().nodes.size();
  const auto standing = turn.hints.standing(turn.level());
  RoomElsewhere room{.cells = standing.size()};
  const cell::Hint* largest = nullptr;
  for (const auto& hint : standing) {
    if (hint.cell != turn.cell()) ++room.others;
    const bool stays = hint.size != size ? hint.size > size : hint.cell < turn.cell();
    if (hint.cell == turn.cell() || !stays || hint.room == 0) continue;
    room.places += hint.room;
    if (largest == nullptr || hint.size > largest->size) largest = &hint;
  }
  if (largest != nullptr) room.largest = largest->cell;
  return room;
}

bool has_transfers_under_way(const books::State& state) {
  return std::ranges::any_of(
      state.partners, [](const auto& partner) { return !partner.outgoing.empty(); });
}

}  // namespace

CellShape::CellShape(
    const CellParams& params, const Membership& members, TransferDesk& desk, const LogMoves& moves)
    : params_(&params),
      members_(&members),
      desk_(&desk),
      moves_(&moves) {}

void CellShape::on_period(const LeaderTurn& turn) {
  if (turn.ending) {
    wind_up(turn);
  } else {
    consider_merging(turn);
  }
}

void CellShape::set_parent(const LeaderTurn& turn, const books::SetParent& parent) const {
  const books::Roster& roster = turn.books.roster();
  if (roster.parent == parent.parent && roster.parent_contacts == parent.contacts) return;
  turn.propose_change(parent);
}

void CellShape::dissolve(const LeaderTurn& turn, std::optional<CellId> into) const {
  turn.propose_change(books::Dissolve{.into = into.value_or(CellId{})});
}

bool CellShape::is_small(const CellBooks& books) const {
  const std::size_t size = books.ledger().state().nodes.size();
  const auto min = params_->cell_min * static_cast<double>(members_->size_max(books.cell()));
  return static_cast<double>(size) <= min || (level_of(books.cell()) > 0 && size <= 1);
}

void CellShape::consider_merging(const LeaderTurn& turn) {
  const std::size_t size = turn.books.ledger().state().nodes.size();
  const RoomElsewhere room = room_elsewhere(turn);
  const std::size_t slack = room.cells > kFewCells ? 2 : 1;
  const bool fits = is_small(turn.books) && room.largest && room.places >= slack * size;
  // A single cell needs no cell above it. But where one is missing, no other would know of it.
  const bool idle = turn.level() > 0 && size <= 1 && turn.books.roster().missing.empty() &&
      turn.hints.standing(static_cast<std::uint8_t>(turn.level() - 1)).size() <= 1;
  const bool can = fits || idle;
  too_small_ = can ? static_cast<std::uint16_t>(too_small_ + 1) : std::uint16_t{0};
  if (too_small_ < params_->merge_rounds) return;
  if (room.others > 1 && !turn.rng.chance(kDissolveChance)) return;
  too_small_ = 0;
  dissolve(turn, room.largest);
}

// The members leave by themselves. Savings that are on their way to a cell which ends, too, come
// back; the largest cell is the last to dissolve, so in the end they arrive.
void CellShape::wind_up(const LeaderTurn& turn) {
  turn.propose(books::Tick{});
  const books::State& state = turn.books.ledger().state();
  if (!state.nodes.empty()) return;
  if (state.accounts.empty()) {
    const bool settled = !has_transfers_under_way(state) && moves_->settled(turn);
    if (settled) turn.propose_change(books::Close{});
    return;
  }
  const std::optional<cell::Hint> into = turn.heir();
  if (!into || !desk_->idle()) return;
  const ClassId class_id = state.accounts.front().class_id;
  desk_->send(turn, into->cell, endpoint_of(into->manager), class_id, kTicketsMax);
}

}  // namespace dunlin::sched
