// SPDX-License-Identifier: MIT
#include "sim/engine/make_baseline.h"

#include "overlay/ensure.h"
#include "sim/baseline/central.h"
#include "sim/baseline/early_binding.h"
#include "sim/baseline/master.h"
#include "sim/baseline/megha.h"
#include "sim/baseline/omniscient.h"
#include "sim/baseline/packing/bound.h"
#include "sim/baseline/packing/dealers.h"
#include "sim/baseline/queues.h"
#include "sim/baseline/sparrow.h"

namespace dunlin::sim {

std::unique_ptr<Baseline> make_baseline(const Baseline::Options& options, Recorder& recorder) {
  switch (options.params.scheduler) {
    case Scheduler::omniscient:
      return std::make_unique<Omniscient>(options, recorder);
    case Scheduler::sparrow:
      return std::make_unique<Sparrow>(options, recorder);
    case Scheduler::central:
      return std::make_unique<Central>(options, recorder);
    case Scheduler::batch:
      return std::make_unique<BatchSampling>(options, recorder);
    case Scheduler::per_task:
      return std::make_unique<PerTaskSampling>(options, recorder);
    case Scheduler::random:
      return std::make_unique<RandomPlacement>(options, recorder);
    case Scheduler::early_binding:
      return std::make_unique<EarlyBinding>(options, recorder);
    case Scheduler::edf:
    case Scheduler::edf_preempt:
    case Scheduler::master:
      return std::make_unique<Master>(options, recorder);
    case Scheduler::megha:
      return std::make_unique<Megha>(options, recorder);
    case Scheduler::slots:
      return std::make_unique<SlotDealer>(options, recorder);
    case Scheduler::drf:
      return std::make_unique<DominantShareDealer>(options, recorder);
    case Scheduler::tetris:
      return std::make_unique<TetrisDealer>(options, recorder);
    case Scheduler::bound:
      return std::make_unique<Bound>(options, recorder);
    // Peers need no baseline: they are a Cluster. All are named, so that a new scheduler is not
    // forgotten.
    case Scheduler::dunlin:
    case Scheduler::sampling:
    case Scheduler::gradient:
    case Scheduler::tman:
      break;
  }
  ensure(false, "a scheduler that is made of peers");
  return nullptr;
}

}  // namespace dunlin::sim
