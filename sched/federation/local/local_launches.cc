// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "sched/federation/local/local_master.h"
#include "sched/worker/share/stride.h"

// The local master verifies a launch by the rows as they are now, and sends it on to the member.
// The member's answer decides. Each launched task has a number. The local master keeps the outcome
// of a number until the global master has settled it. So it can answer a launch that comes twice,
// and send a lost start again, without a clock.
namespace dunlin::sched::federation {
namespace {

/// Launches of one global master that are not settled. More of them are not heard.
constexpr std::size_t kLaunchesMax = 8192;
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

void LocalMaster::forget_below(AttachedMaster& master, std::uint64_t floor) {
  master.floor = std::max(master.floor, floor);
  auto& launches = master.launches;
  while (!launches.empty() && launches.begin()->first < master.floor) {
    const std::uint64_t start = launches.begin()->second.start;
    if (start != 0) {
      starts_.erase(start);
      table_.settle(start);
      shares_.settle(start);
    }
    launches.erase(launches.begin());
  }
  master.count();
}

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
  forget_below(master, launch.known.floor);
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
      if (declined_by) {
        note_inconsistency(table_.owners(), master, *launched, *declined_by);
        launched->declined.push_back(*declined_by);
      }
      if (declined_by || launch.preempts) wanted.reset();
      find_place(turn, master, *launched, wanted);
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

/// Begins a start of the task at the member that is wanted, or at another one that has room, or at
/// one where the launch may have room made. Without one it stays refused.
void LocalMaster::find_place(const MastersTurn& turn,
    AttachedMaster& master,
    Launched& launched,
    std::optional<PeerId> wanted) {
  const LaunchTasks& launch = *launched.launch;
  const Reserve& group = launch.reserve;
  std::optional<PeerId> node;
  const Search before = table_.search();
  if (wanted) turn.count_rows(1);
  if (wanted && table_.has_room(*wanted, group.demand, group.constraints)) node = wanted;
  if (wanted && !node) note_inconsistency(table_.owners(), master, launched, *wanted);
  const bool may_choose = params_.repair || launch.preempts;
  for (int i = 0; may_choose && !node && i < kDraws; ++i) {
    node = table_.match(group.demand, group.constraints, params_.pick, turn.rng);
    if (!node) break;
    if (std::ranges::count(launched.declined, *node) > 0) node.reset();
  }
  turn.count_search(before, table_.search());
  launched.start = 0;
  launched.stops_others = !node && launch.preempts;
  if (launched.stops_others) node = find_yielding(turn, table_, shares_, launched);
  if (!node) {
    ++master.counts.refused;
    launched.launch.reset();
    return;
  }
  launched.node = *node;
  launched.born = born_.at(*node);
  launched.start = ++start_last_;
  starts_[launched.start] = {master.where.id, launched.verdict.number};
  table_.send(launched.start, *node, group.demand);
  if (!launched.stops_others) return;
  shares_.send(
      launched.start, *node, launch.over, tickets_of(group.demand, table_.total_of(*node)));
}

void LocalMaster::on_answer(const MastersTurn& turn,
    const Endpoint& from,
    std::uint32_t incarnation,
    const StartAnswer& answer,
    std::map<PeerId, Verdicts>& verdicts) {
  const auto start = starts_.find(answer.number);
  if (start == starts_.end()) {
    (void)offers_.settle(table_, from.id, answer);  // Or it was answered, or given up.
    return;
  }
  const Origin origin = start->second;
  AttachedMaster& master = masters_.at(origin.master);
  Launched& launched = master.launches.at(origin.number);
  if (launched.node != from.id) {
    ++ignored_.strangers;
    return;
  }
  starts_.erase(start);
  table_.settle(answer.number);
  shares_.settle(answer.number);
  if (!answer.started) {
    if (!launched.launch->preempts) {
      note_inconsistency(table_.owners(), master, launched, from.id);
    }
    // What it declines of one user it may take of others.
    if (!answer.crowded) {
      launched.stops_others ? shares_.distrust(from.id) : table_.distrust(from.id);
    }
    launched.declined.push_back(from.id);
    find_place(turn, master, launched, std::nullopt);
    if (launched.start != 0) {
      StartBatch starts(cell_, epoch_);
      starts.add(launched);
      return starts.send(turn, roll_);
    }
  } else {
    if (launched.stops_others) ++master.counts.preempted;
    launched.start = 0;
    launched.launch.reset();
    launched.verdict.fate = LaunchFate::placed;
    launched.verdict.node = from.id;
    launched.verdict.address = from.address;
    launched.verdict.incarnation = incarnation;
  }
  verdicts[origin.master].push_back(launched.verdict);
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
