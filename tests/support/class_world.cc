// SPDX-License-Identifier: MIT
#include "tests/support/class_world.h"

#include <algorithm>
#include <variant>

namespace dunlin::test {

using sched::Duration;
using sched::Time;

ClassWorld::ClassWorld(
    const sched::Resources& total, Duration round_trip, const sched::WorkerParams& params)
    : round_trip_(round_trip) {
  node_.endpoint = home(1);
  node_.incarnation = 1;
  node_.total = total;
  worker_ = std::make_unique<sched::Worker>(params, node_);
}

sched::Endpoint ClassWorld::home(std::uint64_t number) {
  return {.id = {number},
      .address = sched::Address::v4(0x0a000000 + static_cast<std::uint32_t>(number), 7700)};
}

void ClassWorld::want(const ClassDemand& demand) {
  for (std::uint32_t i = 0; i < demand.jobs; ++i) {
    Frontend& frontend = frontends_.emplace_back();
    frontend.demand = demand;
    if (demand.told < Duration{0}) frontend.demand.told = demand.lasts;
    frontend.job = {.home = {100 + frontends_.size()}, .number = 1};
    reserve(frontend);
  }
}

void ClassWorld::stop(sched::ClassId class_id) {
  for (Frontend& frontend : frontends_) {
    if (frontend.demand.class_id != class_id) continue;
    frontend.demand.tasks = 0;
    arrivals_.emplace(now_ + round_trip_ / 2,
        std::pair(home(frontend.job.home.value), sched::Cancel{.job = frontend.job, .group = 0}));
  }
}

void ClassWorld::reserve(Frontend& frontend) {
  const ClassDemand& demand = frontend.demand;
  if (demand.tasks == 0) return;
  sched::Reserve reserve{.job = frontend.job,
      .probe = ++frontend.probe,
      .frontend = home(frontend.job.home.value).address,
      .demand = demand.task,
      .constraints = {},
      .tasks_max = static_cast<std::uint16_t>(
          std::min<std::uint32_t>(demand.tasks, sched::Tasks::kTasksMax)),
      .task_time = demand.told,
      .work = demand.told * demand.tasks,
      .class_id = demand.class_id};
  arrivals_.emplace(
      now_ + round_trip_ / 2, std::pair(home(frontend.job.home.value), std::move(reserve)));
}

void ClassWorld::answer(Frontend& frontend, const sched::GetTask& asked) {
  ClassDemand& demand = frontend.demand;
  const double factor = 1 + demand.spread * (2 * rng_.uniform() - 1);
  const auto lasts =
      Duration{static_cast<std::int64_t>(static_cast<double>(demand.lasts.count()) * factor)};
  sched::Tasks tasks{.job = asked.job,
      .group = asked.group,
      .probe = asked.probe,
      .request = asked.request,
      .spec = Script{.duration = lasts}.spec(),
      .name = {},
      .tasks = {}};
  const auto count = std::min<std::uint32_t>(asked.room, demand.tasks);
  for (std::uint32_t i = 0; i < count; ++i) tasks.tasks.push_back({frontend.given++, 1, {}});
  demand.tasks -= count;
  tasks.task_count = frontend.given + demand.tasks;
  tasks.remaining = demand.tasks;
  tasks.task_time = demand.told;
  tasks.work = demand.told * demand.tasks;
  arrivals_.emplace(now_ + round_trip_, std::pair(home(asked.job.home.value), std::move(tasks)));
}

void ClassWorld::answer(const sched::Message& message) {
  const auto of = [&](const sched::JobId& job) -> Frontend* {
    const auto found = std::ranges::find(frontends_, job, &Frontend::job);
    return found == frontends_.end() ? nullptr : &*found;
  };
  const auto reply = [&](const sched::JobId& job, sched::Message told) {
    arrivals_.emplace(now_ + round_trip_, std::pair(home(job.home.value), std::move(told)));
  };
  if (const auto* asked = std::get_if<sched::GetTask>(&message)) {
    if (Frontend* frontend = of(asked->job)) answer(*frontend, *asked);
  } else if (const auto* done = std::get_if<sched::Done>(&message)) {
    sched::DoneAck ack{.job = done->job, .tasks = {}};
    for (const auto& report : done->reports) ack.tasks.push_back({report.index, report.attempt});
    reply(done->job, std::move(ack));
  } else if (const auto* renew = std::get_if<sched::Renew>(&message)) {
    reply(renew->job, sched::RenewAck{.job = renew->job});
  } else if (const auto* queued = std::get_if<sched::Queued>(&message)) {
    const Frontend* frontend = of(queued->job);
    if (frontend == nullptr) return;
    reply(queued->job,
        sched::Remaining{.job = queued->job,
            .work = frontend->demand.told * frontend->demand.tasks,
            .group = queued->group,
            .task_time = frontend->demand.told});
  }
}

void ClassWorld::turn(const std::function<void(sched::Turn&)>& call) {
  SchedRecorder out;
  executor_.set_now(now_);
  sched::Turn turn{.now = now_,
      .rng = rng_,
      .out = out,
      .events = events_,
      .store = store_,
      .executor = executor_};
  call(turn);
  for (const auto& [to, message] : out.sent) {
    answer(message);
    sent_.emplace_back(to, message);
  }
}

void ClassWorld::deliver(const sched::Endpoint& from, const sched::Message& message) {
  turn([&](sched::Turn& turn) {
    const sched::Surroundings nobody{std::vector<overlay::Neighbour>{}};
    if (const auto* reserve = std::get_if<sched::Reserve>(&message)) {
      worker_->on_message(turn, nobody, from, *reserve);
    } else if (const auto* tasks = std::get_if<sched::Tasks>(&message)) {
      worker_->on_message(turn, from, *tasks);
    } else if (const auto* ack = std::get_if<sched::DoneAck>(&message)) {
      worker_->on_message(turn, from, *ack);
    } else if (const auto* renewed = std::get_if<sched::RenewAck>(&message)) {
      worker_->on_message(turn, from, *renewed);
    } else if (const auto* remaining = std::get_if<sched::Remaining>(&message)) {
      worker_->on_message(turn, from, *remaining);
    } else if (const auto* cancel = std::get_if<sched::Cancel>(&message)) {
      worker_->on_message(turn, from, *cancel);
    }
  });
}

void ClassWorld::pass(Time until) {
  const double seconds = std::chrono::duration<double>(until - now_).count();
  for (const auto& running : worker_->running()) {
    cpu_[running.class_id] += running.demand.cpu / 1000.0 * seconds;
  }
  now_ = until;
}

void ClassWorld::run_for(Duration span) {
  const Time end = now_ + span;
  for (;;) {
    const Time arrival = arrivals_.empty() ? sched::kNever : arrivals_.begin()->first;
    const Time next = std::min({arrival, executor_.next(), worker_->deadline()});
    if (next > end) break;
    pass(std::max(now_, next));
    if (arrival == next) {
      const auto [from, message] = std::move(arrivals_.begin()->second);
      arrivals_.erase(arrivals_.begin());
      deliver(from, message);
    } else if (executor_.next() == next) {
      const auto exits = executor_.take_ended(now_);
      turn([&](sched::Turn& turn) {
        worker_->on_exits(turn, sched::Surroundings(sched::Surroundings::Nodes{}), exits);
      });
    } else {
      turn([&](sched::Turn& turn) { worker_->wake(turn); });
    }
  }
  pass(end);
}

double ClassWorld::cpu(sched::ClassId class_id) const {
  const auto found = cpu_.find(class_id);
  return found == cpu_.end() ? 0 : found->second;
}

double ClassWorld::share(sched::ClassId class_id) const {
  double all = 0;
  for (const auto& [other, seconds] : cpu_) all += seconds;
  return all == 0 ? 0 : cpu(class_id) / all;
}

double ClassWorld::busy() const {
  double all = 0;
  for (const auto& [class_id, seconds] : cpu_) all += seconds;
  const double seconds = std::chrono::duration<double>(now_ - forgotten_).count();
  return all / (seconds * node_.total.cpu / 1000.0);
}

std::uint32_t ClassWorld::running(sched::ClassId class_id) const {
  return static_cast<std::uint32_t>(
      std::ranges::count(worker_->running(), class_id, &sched::RunningTask::class_id));
}

void ClassWorld::forget() {
  cpu_.clear();
  forgotten_ = now_;
}

}  // namespace dunlin::test
