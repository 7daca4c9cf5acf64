// SPDX-License-Identifier: MIT
#include "sim/engine/errands.h"

#include "sched/federation/message.h"
#include "sched/overloaded.h"

namespace dunlin::sim {
namespace {

Errand errand_to(Duration Allocation::* queue, const sched::Tasks& tasks) {
  Errand errand{.job = tasks.job, .tasks = {}, .queue = queue};
  for (const sched::Assignment& each : tasks.tasks) errand.tasks.push_back(each.index);
  return errand;
}

}  // namespace

Errand errand_of(const sched::Message& message) {
  constexpr auto kLocal = &Allocation::local_queue;
  constexpr auto kWorker = &Allocation::worker_queue;
  return std::visit(
      sched::Overloaded{
          [&](const sched::LaunchTasks& m) {
            return errand_to(m.direct ? kWorker : kLocal, m.tasks);
          },
          [&](const sched::PassedLaunch& m) { return errand_to(kLocal, m.launch.tasks); },
          [&](const sched::StartTasks& m) { return errand_to(kWorker, m.tasks); },
          [&](const sched::Tasks& m) { return errand_to(kWorker, m); },
          // What else peers say brings no task nearer.
          [](const auto&) { return Errand{}; },
      },
      message);
}

}  // namespace dunlin::sim
