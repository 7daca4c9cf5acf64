// SPDX-License-Identifier: MIT
#include "sched/cell/manager/worker_states.h"

namespace dunlin::sched {

void WorkerStates::hear(PeerId node, const SlotCounts& slots) {
  if (slots.all == 0) return;  // Of an earlier build.
  if (states_.size() >= kNodesMax && !states_.contains(node)) return;
  State& state = states_[node];
  if (state.slots == slots) return;
  state = {.slots = slots, .change = ++changes_};
}

void WorkerStates::lose_others(const std::function<bool(PeerId)>& is_member) {
  for (auto& [node, state] : states_) {
    if (is_member(node) || state.slots.down == state.slots.all) continue;
    state.slots = {.all = state.slots.all, .down = state.slots.all};
    state.change = ++changes_;
  }
}

void WorkerStates::clear() {
  if (!states_.empty()) ++changes_;
  states_.clear();
}

}  // namespace dunlin::sched
