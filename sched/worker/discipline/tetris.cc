// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/tetris.h"

#include <algorithm>
#include <chrono>

// The discipline says how much each job has left and what it holds; a packer (sched/packing/) says
// what follows for the next task. All amounts travel as they are, and each worker measures them by
// its own node: so nobody needs to know the cluster's.
namespace dunlin::sched {
namespace {

/// Others may overtake for as long as so many tasks take, and for `overtake` if that is longer.
constexpr int kTasksOvertaking = 2;

double seconds_of(Duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

packing::Rules packing_rules(const WorkerParams& params) {
  return {.score = params.packing_score,
      .scarcity = params.scarcity,
      .srtf_weight = params.srtf_weight,
      .fairness = params.fairness,
      .remote_penalty = params.remote_penalty,
      .barrier = params.barrier};
}

packing::Shares work_of(const Reserve& reserve, const packing::Dimensions& dimensions) {
  constexpr double kSecondsPerMillisecond = 1e-3;
  const bool is_told = !reserve.extent.empty();
  packing::Shares work =
      is_told ? dimensions.shares(reserve.extent.front().work) : dimensions.shares(reserve.demand);
  const double factor = is_told ? kSecondsPerMillisecond : seconds_of(reserve.work);
  for (double& each : work) each *= factor;
  return work;
}

TetrisDiscipline::TetrisDiscipline(const WorkerParams& params, const Resources& total)
    : Discipline(params.overtake),
      packer_(packing_rules(params), total),
      patience_(params.patience) {}

void TetrisDiscipline::weigh(QueuedReservation& waiting) const {
  const Reserve& reserve = waiting.reserve;
  const packing::Dimensions& dimensions = packer_.dimensions();
  const double work = dimensions.size() == 0 ? seconds_of(reserve.work)
                                             : packing::sum_of(work_of(reserve, dimensions));
  waiting.left = work * by_priority(reserve.priority);
  if (reserve.extent.empty()) return;
  waiting.held = packing::largest_of(dimensions.shares(reserve.extent.front().held));
}

double TetrisDiscipline::work_left(
    const QueuedReservation& waiting, const ServiceMoment& at) const {
  return aged(waiting.left, waiting.born, patience_, at);
}

// The one that is served first has the least work left, and packing passes it over all the time. So
// to be passed over is no starvation yet; and where a job got a task lately it does not starve.
bool TetrisDiscipline::keeps_room_for(
    const QueuedReservation& first, const ServiceMoment& at) const {
  return at.now - first.overtaken > std::max(overtake(), kTasksOvertaking * at.mean_task_time);
}

bool TetrisDiscipline::before(
    const QueuedReservation& a, const QueuedReservation& b, const ServiceMoment& at) const {
  const double left_of_a = work_left(a, at);
  const double left_of_b = work_left(b, at);
  return left_of_a != left_of_b ? left_of_a < left_of_b : submitted_before(a, b);
}

}  // namespace dunlin::sched
