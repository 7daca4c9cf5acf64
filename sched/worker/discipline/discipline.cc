// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/discipline.h"

#include <tuple>

#include "sched/worker/discipline/edf.h"
#include "sched/worker/discipline/fifo.h"
#include "sched/worker/discipline/priority.h"
#include "sched/worker/discipline/shortest.h"

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

std::unique_ptr<const Discipline> make_discipline(const WorkerParams& params) {
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
  }
  ensure(false, "a discipline without a name");
  return nullptr;
}

}  // namespace dunlin::sched
