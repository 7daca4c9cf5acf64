// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "sched/federation/local/local_master.h"

// A launch of a global master is verified and sent on to a member (starts.h), and the member's
// answer goes back. The local master keeps the outcome of a launch until the global master has
// settled it. So it can answer a launch that comes twice, and send a lost start again, without a
// clock.
namespace dunlin::sched::federation {
namespace {

/// Launches of one global master that are not settled. More of them are not heard.
constexpr std::size_t kLaunchesMax = 8192;

/// The starts for each member, of the local master of that cell in that epoch.
class StartBatch {
 public:
  StartBatch(CellId cell, std::uint64_t epoch) : cell_(cell), epoch_(epoch) {}

  void add(const Launched& launched) {
    const auto [start, is_new] = starts_.try_emplace({launched.node, launched.stops_others});
    StartTasks& message = start->second;
    if (is_new) {
      message = {.cell = cell_,
          .epoch = epoch_,
          .born = launched.born,
          .numbers = {},
          .reserve = launched.launch->reserve,
          .tasks = launched.launch->tasks,
          .preempts = launched.stops_others,
          .over = launched.launch->over};
      message.tasks.tasks.clear();
    }
    message.numbers.push_back(launched.start);
    message.tasks.tasks.push_back(launched.launch->tasks.tasks[launched.index]);
  }
  void send(const MastersTurn& turn, const Roll& roll) const {
    for (const auto& [to, message] : starts_) {
      const PeerId node = to.first;
      if (roll.has(node)) turn.out.send(roll.where(node), message);
    }
  }

 private:
  CellId cell_;
  std::uint64_t epoch_;
  std::map<std::pair<PeerId, bool>, StartTasks> starts_;  ///< By member, and if it stops others.
};

/// Nullptr if it is not to be started: the same attempt may run by another number.
Launched* take_in(
    AttachedMaster& master, const std::shared_ptr<const LaunchTasks>& launch, std::size_t index) {
  const Assignment& task = launch->tasks.tasks[index];
  const TaskId id{launch->tasks.job, task.index};
  const bool runs = std::ranges::any_of(master.launches, [&](const auto& each) {
    const Launched& other = each.second;
    return other.task == id && other.attempt == task.attempt && other.may_run();
  });
  if (runs || master.launches.size() >= kLaunchesMax) return nullptr;
  const std::uint64_t number = launch->targets[index].number;
  ++(launch->preempts ? master.counts.preempting : master.counts.launched);
  return &(master.launches[number] = {.task = id,
               .attempt = task.attempt,
               .launch = launch,
               .index = index,
               .node = {},
               .verdict = {.number = number, .fate = LaunchFate::refused}});
}

}  // namespace

void LocalMaster::receive(
    const MastersTurn& turn, const Endpoint& from, const PassedLaunch& passed) {
  if (!roll_.has(from.id)) {
    ++ignored_.strangers;
    return;
  }
  if (!passed.crowded) table_.distrust(from.id);
  receive(turn, {passed.master, passed.address}, passed.launch, from.id);
}

void LocalMaster::receive(const MastersTurn& turn,
    const Endpoint& from,
    const LaunchTasks& launch,
    std::optional<PeerId> declined_by) {
  Verdicts verdicts;
  if (launch.known.epoch != epoch_) {
    ++ignored_.epochs;
    if (launch.known.epoch > epoch_) return;  // This one was deposed, and does not know yet.
    for (const LaunchTarget& target : launch.targets) {
      verdicts.push_back({.number = target.number, .fate = LaunchFate::unknown});
    }
    turn.out.send(from, LaunchReply{.verdicts = verdicts, .view = {.cell = cell_}});
    return;
  }
  const auto known = masters_.find(from.id);
  if (known == masters_.end() || known->second.incarnation != launch.incarnation) {
    ++ignored_.strangers;
    return;
  }
  AttachedMaster& master = known->second;
  master.renew(launch.known, epoch_, turn.now + params_.lease);
  starts_.forget_below(started_members(), master, launch.known.floor);
  const auto kept = std::make_shared<const LaunchTasks>(launch);
  const std::size_t count = std::min(launch.targets.size(), launch.tasks.tasks.size());
  StartBatch starts(cell_, epoch_);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t number = launch.targets[i].number;
    if (number < master.floor) continue;
    const auto before = master.launches.find(number);
    Launched* launched = before == master.launches.end() ? nullptr : &before->second;
    if (launched == nullptr) {
      launched = take_in(master, kept, i);
      if (launched == nullptr) continue;
      std::optional<PeerId> wanted = launch.targets[i].node;
      if (declined_by) Starts::note_declined(table_.owners(), master, *launched, *declined_by);
      if (declined_by || launch.preempts) wanted.reset();
      starts_.begin(turn, started_members(), master, *launched, wanted);
    }
    if (launched->start != 0) {
      starts.add(*launched);
    } else {
      verdicts.push_back(launched->verdict);
    }
  }
  master.count();
  starts.send(turn, roll_);
  if (!verdicts.empty()) reply(turn, master, std::move(verdicts));
  note_shape(turn.now);
}

void LocalMaster::on_answer(const MastersTurn& turn,
    const Endpoint& from,
    std::uint32_t incarnation,
    const StartAnswer& answer,
    std::map<PeerId, Verdicts>& verdicts) {
  const std::optional<Starts::Origin> origin = starts_.find(answer.number);
  if (!origin) {
    (void)offers_.settle(table_, from.id, answer);  // Or it was answered, or given up.
    return;
  }
  AttachedMaster& master = masters_.at(origin->master);
  Launched& launched = master.launches.at(origin->number);
  if (launched.node != from.id) {
    ++ignored_.strangers;
    return;
  }
  if (answer.started) {
    starts_.succeed(started_members(), master, launched, from, incarnation);
  } else {
    starts_.decline(turn, started_members(), master, launched, answer.crowded);
    if (launched.start != 0) {
      StartBatch starts(cell_, epoch_);
      starts.add(launched);
      return starts.send(turn, roll_);
    }
  }
  verdicts[origin->master].push_back(launched.verdict);
}

void LocalMaster::reply(const MastersTurn& turn, AttachedMaster& master, Verdicts verdicts) {
  for (std::size_t first = 0; first < verdicts.size(); first += LaunchReply::kVerdictsMax) {
    const std::size_t end = std::min(verdicts.size(), first + LaunchReply::kVerdictsMax);
    LaunchReply reply{.verdicts = {}, .view = view(master, master.known, master.known)};
    reply.verdicts.assign(verdicts.begin() + static_cast<std::ptrdiff_t>(first),
        verdicts.begin() + static_cast<std::ptrdiff_t>(end));
    turn.count_rows(reply.view.rows.size() + reply.view.gone.size());
    // A global master that misses it asks again.
    if (reply.view.from <= master.sent) master.sent = std::max(master.sent, reply.view.version);
    turn.out.send(master.where, reply);
  }
}

}  // namespace dunlin::sched::federation
