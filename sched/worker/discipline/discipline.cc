// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/discipline.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sched/job.h"
#include "sched/worker/discipline/edf.h"
#include "sched/worker/discipline/fifo.h"
#include "sched/worker/discipline/priority.h"
#include "sched/worker/discipline/shortest.h"
#include "sched/worker/discipline/tetris.h"

// The list of disciplines. A new one is a file of its own, a word in sched/worker/params.h and a
// case here; the compiler names this switch if the case is missing.
namespace dunlin::sched {

bool submitted_before(const QueuedReservation& a, const QueuedReservation& b) {
  const auto key = [](const QueuedReservation& waiting) {
    const Reserve& reserve = waiting.reserve;
    return std::tuple(waiting.born, reserve.job.home, reserve.job.number, reserve.job.lineage,
        reserve.group, reserve.probe);
  };
  return key(a) < key(b);
}

double aged(double left, Time born, double patience, const ServiceMoment& at) {
  const double waited = std::max(0.0, static_cast<double>((at.now - born).count()));
  const double half_life = patience * static_cast<double>(at.mean_task_time.count());
  return left / (1 + waited / half_life);
}

double by_priority(std::int16_t priority) {
  return std::exp2((kPriorityDefault - priority) / 2.0);
}

std::unique_ptr<const Discipline> make_discipline(
    const WorkerParams& params, const Resources& total) {
  switch (params.discipline) {
    case DisciplineName::fifo:
      return std::make_unique<FifoDiscipline>(params.overtake);
    case DisciplineName::priority:
      return std::make_unique<PriorityDiscipline>(params.overtake, params.ageing);
    case DisciplineName::shortest:
      return std::make_unique<ShortestDiscipline>(
          params.overtake, params.length_weight, params.patience);
    case DisciplineName::edf:
      return std::make_unique<EdfDiscipline>(params.overtake);
    case DisciplineName::tetris:
      return std::make_unique<TetrisDiscipline>(params, total);
  }
  ensure(false, "a discipline without a name");
  return nullptr;
}

}  // namespace dunlin::sched
