// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/unit/sched/federation/member_account.h"
#include "tests/unit/sched/federation/rows.h"

namespace dunlin::sched::federation {

using namespace std::chrono_literals;
using rows::at;

/// Global and local masters over a network that loses, repeats and overtakes, with members that may
/// decline, and local masters that die. Classes have shares, and tasks of one are stopped for
/// another. The oracle sees all of it.
class MastersWorld final : public overlay::Port<Message> {
 public:
  explicit MastersWorld(std::uint64_t seed) : rng_(seed) {
    params_.heartbeat = 500ms;
    params_.lease = 2s;
    params_.external = seed % 2 == 0 ? External::turns : External::room;
    for (std::uint64_t i = 1; i <= kMembers; ++i) members_[i].cell = cell_of(i);
    for (std::uint64_t i = 1; i <= kCells; ++i) replace_local(i);
    for (std::uint64_t i = 1; i <= 2; ++i) {
      Frontend& frontend = frontends_[kMasters + i];
      frontend.master = std::make_unique<GlobalMaster>(params_, PeerId{kMasters + i}, 1);
    }
  }

  void submit(std::uint64_t home) {
    auto& tasks = frontends_.at(home).tasks;
    const auto index = static_cast<std::uint32_t>(tasks.size());
    tasks[index].cpu = 500 * (1 + rng_.below(6));
  }
  /// Another local master takes the cell over; the one before is dead.
  void replace_local(std::uint64_t cell) {
    locals_.erase(cell);
    locals_.try_emplace(cell, params_, CellId{cell}, ++epochs_[cell]);
    std::vector<Endpoint> members;
    for (const auto& [id, member] : members_) {
      if (member.cell == CellId{cell}) members.push_back(at(id));
    }
    locals_.at(cell).set_members(members);
    locals_.at(cell).shares().set_shares({{1, 1}, {2, 2}, {3, 3}});
  }
  void chance() {
    if (rng_.chance(0.03)) submit(kMasters + 1 + rng_.below(2));
    if (rng_.chance(0.002)) replace_local(1 + rng_.below(kCells));
  }
  void step(bool lossy) {
    lossy_ = lossy;
    now_ += 5ms;
    while (!wire_.empty() && wire_.begin()->first <= now_) {
      auto next = wire_.extract(wire_.begin());
      auto [from, to, message] = std::move(next.mapped());
      self_ = to;
      deliver(from, to, message);
    }
    for (auto& [id, member] : members_) end_tasks(id, member);
    for (auto& [cell, local] : locals_) {
      self_ = kManagers + cell;
      if (local.deadline() <= now_) local.wake(turn());
    }
    for (auto& [id, frontend] : frontends_) {
      self_ = id;
      act(id, frontend);
    }
  }
  bool all_done() const {
    for (const auto& [id, frontend] : frontends_) {
      for (const auto& [index, task] : frontend.tasks) {
        if (task.state != Task::State::done) return false;
      }
    }
    return true;
  }
  /// Once nothing happens any more, each view is as its members are.
  void expect_views_are_true() const {
    for (const auto& [id, frontend] : frontends_) {
      const GlobalView& view = frontend.master->view();
      ASSERT_EQ(view.size(), kMembers);
      ASSERT_EQ(frontend.master->under_way(), 0);
      for (const auto& [node, member] : members_) {
        const Row* const row = view.find(member.cell, {node});
        ASSERT_NE(row, nullptr);
        EXPECT_EQ(row->free.cpu, member.free());
      }
    }
    for (const auto& [cell, local] : locals_) {
      EXPECT_TRUE(local.members().logical_nodes().by_borrower(local.members().owners()).empty());
    }
  }
  /// At each member of which the last row is known all that it has is accounted for.
  void expect_all_is_accounted_for() {
    for (const auto& [id, member] : members_) {
      const auto account = account_of(locals_.at(member.cell.value), id, member);
      if (!account) continue;
      EXPECT_EQ(account->sum(), kCpus);
      lent_most_ = std::max(lent_most_, account->lent);
    }
  }
  std::size_t tasks() const {
    return frontends_.at(kMasters + 1).tasks.size() + frontends_.at(kMasters + 2).tasks.size();
  }
  std::uint64_t declined() const { return declined_; }
  std::uint64_t stopped() const { return stopped_; }
  std::uint32_t lent_most() const { return lent_most_; }

  void send(const Endpoint& to, const Message& message) override {
    if (const auto* starts = std::get_if<StartTasks>(&message)) check_share(*starts);
    if (lossy_ && rng_.chance(0.03)) return;
    const int copies = lossy_ && rng_.chance(0.05) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      Duration delay = 1ms * (1 + rng_.below(20));
      if (lossy_ && rng_.chance(0.02)) delay = 1ms * (100 + rng_.below(4000));
      wire_.emplace(now_ + delay, std::tuple(self_, to.id.value, message));
    }
  }

 private:
  static CellId cell_of(std::uint64_t member) { return {1 + (member + 1) % kCells}; }
  MastersTurn turn() { return {now_, rng_, *this}; }

  void deliver(std::uint64_t from, std::uint64_t to, const Message& message) {
    if (const auto* attach = std::get_if<Attach>(&message)) return on_attach(from, to, *attach);
    if (const auto* launch = std::get_if<LaunchTasks>(&message)) {
      locals_.at(to - kManagers).receive(turn(), at(from), *launch);
    }
    if (const auto* row = std::get_if<MemberRow>(&message)) {
      locals_.at(to - kManagers).receive(turn(), at(from), *row);
    }
    if (const auto* call = std::get_if<RollCall>(&message)) on_call(from, to, *call);
    if (const auto* starts = std::get_if<StartTasks>(&message)) on_starts(from, to, *starts);
    const auto frontend = frontends_.find(to);
    if (frontend == frontends_.end()) return;
    GlobalMaster& master = *frontend->second.master;
    if (const auto* m = std::get_if<Attached>(&message)) master.receive(turn(), at(from), *m);
    if (const auto* m = std::get_if<CellView>(&message)) master.receive(turn(), at(from), *m);
    if (const auto* m = std::get_if<LaunchReply>(&message)) {
      settle(to, frontend->second, master.receive(turn(), at(from), *m));
    }
  }
  void on_attach(std::uint64_t from, std::uint64_t to, const Attach& attach) {
    LocalMaster& local = locals_.at(to - kManagers);
    send(at(from),
        Attached{
            .request = attach.request, .cells = {{.cell = local.cell(), .epoch = local.epoch()}}});
    const KnownView* known = nullptr;
    for (const KnownView& each : attach.known) {
      if (each.cell == local.cell()) known = &each;
    }
    local.receive(turn(), at(from), attach, known);
  }
  void on_call(std::uint64_t from, std::uint64_t to, const RollCall& call) {
    Member& member = members_.at(to);
    if (call.epoch < member.epoch) return;
    if (call.epoch > member.epoch) member.answered.clear();
    member.epoch = call.epoch;
    tell(from, member, {}, call.version == 0);
  }
  void on_starts(std::uint64_t from, std::uint64_t to, const StartTasks& starts) {
    Member& member = members_.at(to);
    if (starts.epoch != member.epoch) return;
    std::vector<StartAnswer> answers;
    for (std::size_t i = 0; i < starts.numbers.size(); ++i) {
      const std::uint64_t number = starts.numbers[i];
      if (!member.answered.contains(number)) {
        member.answered[number] = start(to, member, starts, starts.tasks.tasks[i]);
      }
      answers.push_back({number, member.answered[number]});
    }
    tell(from, member, std::move(answers), false);
  }
  bool start(std::uint64_t node, Member& member, const StartTasks& starts, const Assignment& task) {
    const std::uint32_t cpu = starts.reserve.demand.cpu;
    if (starts.preempts) make_room(member, starts.over, cpu);
    // Sometimes it knows better than its row: a reservation waits there.
    if (cpu > member.free() || rng_.chance(0.05)) {
      ++declined_;
      return false;
    }
    const Run run{starts.tasks.job.home.value, task.index, task.attempt};
    EXPECT_TRUE(started_.emplace(run, node).second) << "an attempt started twice";
    member.running[run] = {now_ + 1ms * (1 + rng_.below(3000)), cpu};
    return true;
  }
  /// Only a class above its share of the cell, by what its members said, loses tasks. A start that
  /// comes again was right when it was sent first.
  void check_share(const StartTasks& starts) {
    const auto local = locals_.find(starts.cell.value);
    if (!starts.preempts || local == locals_.end() || local->second.epoch() != starts.epoch) return;
    for (const std::uint64_t number : starts.numbers) {
      if (!seen_.emplace(starts.cell.value, starts.epoch, number).second) continue;
      std::uint64_t used = 0;
      for (const ClassTotal& total : local->second.shares().totals({})) {
        if (total.class_id == starts.over) used = total.used;
      }
      EXPECT_GT(used * 6, local->second.members().capacity().cpu * starts.over);
    }
  }
  /// Stops tasks of that class, if they leave room enough.
  void make_room(Member& member, ClassId over, std::uint32_t cpu) {
    const std::vector<Run> victims = victims_of(member, over, cpu);
    for (const Run& run : victims) {
      const auto& [home, index, attempt] = run;
      ++stopped_;
      member.running.erase(run);
      // As above: its frontend hears of it.
      Task& task = frontends_.at(home).tasks.at(index);
      if (task.attempt != attempt || task.state == Task::State::done) continue;
      task.state = Task::State::waiting;
      ++task.attempt;
    }
  }
  void tell(std::uint64_t to, Member& member, std::vector<StartAnswer> answers, bool with_kind) {
    ++member.count;
    MemberRow row{.cell = member.cell,
        .epoch = member.epoch,
        .version = member.version(),
        .free = {.cpu = member.free(), .memory = 8192},
        .answers = std::move(answers),
        .uses = uses_of(member),
        .held = held_of(member)};
    if (with_kind) row.kind = {rows::kind({})};
    send(at(to), row);
  }
  void end_tasks(std::uint64_t id, Member& member) {
    self_ = id;
    for (auto task = member.running.begin(); task != member.running.end();) {
      if (task->second.first > now_) {
        ++task;
        continue;
      }
      // Its frontend hears of it by other ways, whatever it believes of the attempt.
      const auto [home, index, attempt] = task->first;
      frontends_.at(home).tasks.at(index).state = Task::State::done;
      task = member.running.erase(task);
      if (member.epoch != 0) tell(kManagers + member.cell.value, member, {}, false);
    }
  }
  void act(std::uint64_t id, Frontend& frontend) {
    GlobalMaster& master = *frontend.master;
    if (master.follow_at() <= now_) {
      const ManagerPlace own[] = {{CellId{1}, at(kManagers + 1)}, {CellId{2}, at(kManagers + 2)}};
      master.follow(turn(), own, {});
    }
    if (master.wake_at() <= now_) settle(id, frontend, master.wake(turn()));
    for (auto& [index, task] : frontend.tasks) {
      if (task.state == Task::State::waiting && !launch(id, master, index, task)) break;
    }
  }
  bool launch(std::uint64_t id, GlobalMaster& master, std::uint32_t index, Task& task) {
    const Resources demand{.cpu = task.cpu, .memory = 1};
    auto place = master.match(turn(), demand, {});
    // A global master may be wrong about shares: the local ones verify.
    const bool preempts = !place && rng_.chance(0.1) && !master.view().cells().empty();
    if (preempts) {
      const CellId cell = master.view().cells().front();
      place = Place{.cell = cell, .epoch = master.view().known(cell).epoch, .node = {}};
    }
    if (!place) return false;
    task.state = Task::State::launching;
    LaunchTasks launch;
    launch.reserve.demand = demand;
    launch.tasks.job = {.home = {id}, .number = 1};
    launch.tasks.tasks = {{index, task.attempt, {}}};
    launch.targets = {master.take(*place, demand)};
    launch.preempts = preempts;
    launch.over = 1 + rng_.below(kClasses);
    master.launch(turn(), place->cell, std::move(launch));
    return true;
  }
  void settle(std::uint64_t home, Frontend& frontend, const std::vector<LaunchOutcome>& outcomes) {
    using Fate = LaunchOutcome::Fate;
    for (const LaunchOutcome& outcome : outcomes) {
      const Run run{home, outcome.task.index, outcome.task.attempt};
      Task& task = frontend.tasks.at(outcome.task.index);
      if (outcome.fate == Fate::refused) {
        EXPECT_FALSE(started_.contains(run)) << "it started, and was refused nevertheless";
      }
      if (outcome.fate == Fate::placed) {
        EXPECT_EQ(started_.at(run), outcome.worker.id.value);
      }
      if (task.state != Task::State::launching || task.attempt != outcome.task.attempt) continue;
      if (outcome.fate == Fate::placed) task.state = Task::State::bound;
      if (outcome.fate == Fate::placed) continue;
      task.state = Task::State::waiting;
      if (outcome.fate == Fate::lost) ++task.attempt;
    }
  }

  FederationParams params_;
  Rng rng_;
  Time now_{};
  bool lossy_ = true;
  std::uint64_t self_ = 0;
  std::multimap<Time, std::tuple<std::uint64_t, std::uint64_t, Message>> wire_;
  std::map<std::uint64_t, Member> members_;
  std::map<std::uint64_t, LocalMaster> locals_;
  std::map<std::uint64_t, std::uint64_t> epochs_;
  std::map<std::uint64_t, Frontend> frontends_;
  std::map<Run, std::uint64_t> started_;
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> seen_;
  std::uint64_t declined_ = 0;
  std::uint64_t stopped_ = 0;
  std::uint32_t lent_most_ = 0;
};

}  // namespace dunlin::sched::federation
