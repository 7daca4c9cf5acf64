// SPDX-License-Identifier: MIT
#include "sched/worker/walk/walk.h"

#include "sched/constraints.h"
#include "sched/hop.h"
#include "sched/worker/loans/task_place.h"

// A reservation that cannot start where it is walks on, at most `hops_left` times and to no node
// twice. On its way each node writes down how long it would wait there, if that beats all earlier
// ones. When no hop is left, the reservation returns to the best of the nodes it met and settles:
// it waits there to the end. As in power-of-d choices, the best of a few nodes drawn by chance is
// nearly as good as the best of all.
namespace dunlin::sched {
namespace {

/// True if there was a node to go to.
bool hop(Turn& turn, const Surroundings& around, PeerId self, const Reserve& reserve) {
  if (reserve.walk.hops_left == 0) return false;
  Reserve next = leaving(reserve);
  if (!next.walk.visited.try_push(self.value)) return false;
  const Signature signature = demanded_signature(next.constraints, next.demand);
  const auto step = draw_hop(around,
      {.demand = next.demand,
          .signature = signature,
          .visited = next.walk.visited,
          .rank = next.walk.rank},
      next.walk, turn.rng);
  if (!step) return false;
  --next.walk.hops_left;
  next.walk.greedy_hops = static_cast<std::uint8_t>(next.walk.greedy_hops + (step->greedy ? 1 : 0));
  next.walk.last_greedy = step->greedy;
  turn.events.on(ReservationForwarded{next.job, next.probe, step->to.id, step->greedy});
  turn.out.send(step->to, next);
  return true;
}

}  // namespace

bool pass_on(Turn& turn, const Surroundings& around, PeerId self, const Reserve& reserve) {
  if (reserve.settled) return false;
  if (hop(turn, around, self, reserve)) return true;
  if (reserve.best_node == PeerId{} || reserve.best_node == self) return false;
  Reserve last = leaving(reserve);
  last.settled = true;
  turn.events.on(ReservationForwarded{last.job, last.probe, last.best_node, false});
  turn.out.send({last.best_node, last.best}, last);
  return true;
}

Walk consume_walk_report(Walk& walk, bool started) {
  walk.greedy_hits = walk.last_greedy && started ? 1 : 0;
  const Walk report = walk;
  walk.greedy_hops = 0;
  walk.last_greedy = false;
  return report;
}

}  // namespace dunlin::sched
