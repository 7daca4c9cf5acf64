// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "sched/federation/peer/member_desk.h"
#include "sched/worker/worker.h"

// With federation.validate = worker a launch goes straight to the member. It decides once and for
// all, by number: what it started it says so as often as it is asked, and what it could not start
// never starts here, so its local master may send it to another member. Only this process of the
// node knows what it decided: a launch for an earlier one is answered `unknown`.
namespace dunlin::sched::federation {

void MemberDesk::Launched::forget_below(std::uint64_t floor) {
  if (floor == 0) return;
  forgotten = std::max(forgotten, floor - 1);
  fates.erase(fates.begin(), fates.upper_bound(forgotten));
}

MemberDesk::Launched& MemberDesk::launched_by(
    PeerId master, std::uint32_t incarnation, CellId cell) {
  Launcher& launcher = launchers_[{master, cell}];
  if (launcher.incarnation < incarnation) launcher = {.incarnation = incarnation, .launched = {}};
  launcher.used = ++uses_;
  if (launchers_.size() > kLaunchersMax) {
    launchers_.erase(std::ranges::min_element(
        launchers_, {}, [](const auto& each) { return each.second.used; }));
  }
  return launcher.launched;
}

std::optional<MemberDesk::Fate> MemberDesk::take(
    Turn& turn, const LaunchTasks& launch, std::size_t index, Launched& launched, Worker& worker) {
  const std::uint64_t number = launch.targets[index].number;
  if (number <= launched.forgotten) return std::nullopt;
  const auto before = launched.fates.find(number);
  if (before != launched.fates.end()) return before->second;
  Tasks one = launch.tasks;
  one.tasks = {launch.tasks.tasks[index]};
  const bool passes =
      called(turn.now) && launch.known.cell == cell_ && launch.known.epoch == epoch_;
  Fate fate = passes ? Fate::passed : Fate::refused;
  if (start_once(turn, launch.reserve, one, std::nullopt, worker)) fate = Fate::started;
  launched.fates[number] = fate;
  if (launched.fates.size() > kStartsMax) launched.forget_below(launched.fates.begin()->first + 1);
  return fate;
}

void MemberDesk::launch(
    Turn& turn, const Endpoint& from, const LaunchTasks& launch, Worker& worker) {
  const CellId cell = launch.known.cell;
  const auto of_it = launchers_.find({from.id, cell});
  if (of_it != launchers_.end() && of_it->second.incarnation > launch.incarnation) return;
  Launched& launched = launched_by(from.id, launch.incarnation, cell);
  launched.forget_below(launch.known.floor);
  LaunchReply reply{.verdicts = {}, .view = {.cell = cell}};
  PassedLaunch passed{.master = from.id, .address = from.address, .launch = launch};
  passed.launch.targets.clear();
  passed.launch.tasks.tasks.clear();
  const bool same_epoch = called(turn.now) && cell == cell_ && launch.known.epoch == epoch_;
  const std::size_t count = std::min(launch.targets.size(), launch.tasks.tasks.size());
  for (std::size_t i = 0; i < count; ++i) {
    const LaunchTarget& target = launch.targets[i];
    LaunchVerdict verdict{.number = target.number, .fate = LaunchFate::unknown};
    if (target.born == born_) {
      const auto fate = take(turn, launch, i, launched, worker);
      if (!fate) continue;
      if (*fate == Fate::passed && same_epoch) {
        passed.launch.targets.push_back(target);
        passed.launch.tasks.tasks.push_back(launch.tasks.tasks[i]);
        continue;
      }
      // What was passed in another epoch may run somewhere.
      if (*fate == Fate::started) verdict.fate = LaunchFate::placed;
      if (*fate == Fate::refused) verdict.fate = LaunchFate::refused;
    }
    verdict.node = target.node;
    reply.verdicts.push_back(verdict);
  }
  passed.crowded = worker.for_masters().is_crowded(launch.reserve);
  if (!passed.launch.targets.empty()) turn.out.send(master_, passed);
  if (!reply.verdicts.empty()) replies_.emplace_back(from, std::move(reply));
}

}  // namespace dunlin::sched::federation
