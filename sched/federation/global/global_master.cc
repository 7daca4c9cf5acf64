// SPDX-License-Identifier: MIT
#include "sched/federation/global/global_master.h"

#include <utility>

#include "sched/resources.h"

namespace dunlin::sched::federation {

GlobalMaster::GlobalMaster(const FederationParams& params, PeerId self, std::uint32_t incarnation)
    : params_(params),
      incarnation_(incarnation),
      view_(self, params.external),
      cells_(params_, incarnation),
      launches_(params_) {}

void GlobalMaster::follow(const MastersTurn& turn,
    std::span<const ManagerPlace> own,
    std::span<const ManagerPlace> known) {
  // What is too old to be matched for long is not to be found any more.
  for (const CellId cell : view_.cells()) {
    if (view_.heard(cell) + params_.stale_max + params_.lease >= turn.now) continue;
    view_.forget(cell);
    cells_.forget(cell);
  }
  cells_.follow(turn, view_, own, known);
}

void GlobalMaster::receive(const MastersTurn& turn, const Endpoint& from, const Attached& answer) {
  cells_.receive(turn, from, answer, view_);
}

bool GlobalMaster::receive(const MastersTurn& turn, const Endpoint& from, const CellView& told) {
  if (told.full) {
    view_.forget(told.cell);
    cells_.forget(told.cell);
    return false;
  }
  turn.count_rows(told.rows.size() + told.gone.size());
  const Heard heard = view_.learn(told, turn.now);
  if (heard == Heard::old) return false;
  cells_.heard(from, told.cell, told.epoch);
  if (heard == Heard::gap) cells_.catch_up(turn, told.cell, view_);
  return heard == Heard::taken && !(told.rows.empty() && told.gone.empty());
}

// The rows count the launches that are answered, so they come first: or the room would seem free in
// between.
std::vector<LaunchOutcome> GlobalMaster::receive(
    const MastersTurn& turn, const Endpoint& from, const LaunchReply& reply) {
  if (reply.view.epoch != 0) receive(turn, from, reply.view);
  turn.count_rows(reply.row.size());
  for (const MemberRow& row : reply.row) view_.hear_row(reply.view.cell, from.id, row);
  std::vector<LaunchOutcome> outcomes;
  for (const LaunchVerdict& verdict : reply.verdicts) {
    const auto outcome = launches_.settle(reply.view.cell, from, verdict);
    if (!outcome) continue;
    view_.settle(reply.view.cell, verdict.number);
    count(*outcome);
    outcomes.push_back(*outcome);
  }
  return outcomes;
}

std::optional<Place> GlobalMaster::match(
    const MastersTurn& turn, const Resources& demand, std::span<const Constraint> constraints) {
  const Search before = view_.search();
  auto place =
      view_.match(demand, constraints, params_.pick, turn.now - params_.stale_max, turn.rng);
  turn.count_search(before, view_.search());
  ++(place ? counts_.matches : counts_.misses);
  return place;
}

std::map<CellId, std::uint32_t> GlobalMaster::match_all(const MastersTurn& turn,
    const Resources& demand,
    std::span<const Constraint> constraints,
    std::uint32_t tasks) {
  std::map<CellId, std::uint32_t> cells;
  std::vector<std::pair<CellId, std::uint64_t>> taken;
  while (taken.size() < tasks) {
    const auto place = match(turn, demand, constraints);
    if (!place) break;
    taken.emplace_back(place->cell, view_.launch(*place, demand));
    ++cells[place->cell];
  }
  // Nothing is sent, so the numbers are settled as none that was launched.
  for (const auto& [cell, number] : taken) view_.settle(cell, number);
  if (taken.size() < tasks) cells.clear();
  return cells;
}

std::map<CellId, std::uint32_t> GlobalMaster::spread(
    Time now, const Resources& demand, std::uint32_t tasks) const {
  const Resources plain{.cpu = demand.cpu, .memory = demand.memory, .custom = {}};
  std::map<CellId, std::uint32_t> cells;
  for (const CellStanding& cell : standings(now)) {
    const std::uint32_t here = cell.open ? how_many_fit(plain, cell.capacity, tasks) : 0;
    if (here == 0) continue;
    cells[cell.cell] = here;
    tasks -= here;
    if (tasks == 0) return cells;
  }
  return {};
}

LaunchTarget GlobalMaster::take(const Place& place, const Resources& demand) {
  if (!place.internal) ++counts_.borrowed;
  return {.number = view_.launch(place, demand), .node = place.node};
}

void GlobalMaster::launch(
    const MastersTurn& turn, CellId cell, LaunchTasks launch, std::optional<PeerId> member) {
  launch.known = view_.known(cell);
  launch.incarnation = incarnation_;
  if (launch.preempts) counts_.preempting += launch.targets.size();
  // Rows are known of the cell, so its local master is.
  const Endpoint local = cells_.master_of(cell).value_or(Endpoint{});
  const auto straight = member ? view_.member(cell, *member) : std::nullopt;
  launch.direct = straight.has_value();
  if (straight) {
    for (LaunchTarget& target : launch.targets) target.born = straight->born;
  }
  launches_.send(turn, straight ? straight->where : local, local, std::move(launch));
}

void GlobalMaster::park(const MastersTurn& turn, CellId cell, const Reserve& group) {
  const auto where = cells_.master_of(cell);
  if (!where) return;
  turn.out.send(*where,
      Park{.cell = cell,
          .epoch = view_.known(cell).epoch,
          .incarnation = incarnation_,
          .reserve = group,
          .word = ++words_});
}

std::vector<CellId> GlobalMaster::matched_cells(Time now) const {
  std::vector<CellId> cells = view_.cells();
  std::erase_if(cells, [&](CellId cell) { return view_.heard(cell) + params_.stale_max < now; });
  return cells;
}

std::vector<LaunchOutcome> GlobalMaster::wake(const MastersTurn& turn) {
  std::vector<LaunchOutcome> outcomes;
  for (const Launches::Lost& lost : launches_.wake(turn, view_)) {
    view_.settle(lost.cell, lost.number);
    if (lost.member) {
      view_.distrust(lost.cell, *lost.member);
    } else {
      view_.forget(lost.cell);
      cells_.forget(lost.cell);
      cells_.hurry(turn.now);
    }
    count(lost.outcome);
    outcomes.push_back(lost.outcome);
  }
  return outcomes;
}

void GlobalMaster::leave(const MastersTurn& turn) {
  cells_.leave(turn);
  for (const CellId cell : view_.cells()) view_.forget(cell);
}

void GlobalMaster::count(const LaunchOutcome& outcome) {
  using Fate = LaunchOutcome::Fate;
  if (outcome.fate == Fate::placed) ++counts_.placed;
  if (outcome.fate == Fate::refused) ++counts_.refused;
  if (outcome.fate == Fate::lost) ++counts_.lost;
}

}  // namespace dunlin::sched::federation
