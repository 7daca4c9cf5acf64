// SPDX-License-Identifier: MIT
#include "sched/frontend/workers/death_watch.h"

#include <algorithm>

// A lease must be long: disks, pauses of a machine and restarts of agents are no deaths. A death is
// common, too, and its tasks should not wait for a long lease. Witnesses tell one from the other:
// what cuts only this frontend off from a worker, cuts hardly three others off as well.
namespace dunlin::sched {

void DeathWatch::suspect(Turn& turn, const Surroundings& around, const Endpoint& worker) {
  if (const auto open = cases_.find(worker.id); open != cases_.end()) {
    if (turn.now - open->second.opened < kPatience) return;
    cases_.erase(open);
  }
  if (cases_.size() >= kCasesMax || worker.id == self_.id) return;
  std::vector<Endpoint> others;
  for (const overlay::Neighbour& node : around.known()) {
    if (node.peer.id == self_.id || node.peer.id == worker.id) continue;
    others.push_back({node.peer.id, node.peer.address});
  }
  if (others.empty()) return;
  Case& opened = cases_[worker.id];
  opened = {.request = turn.rng(), .opened = turn.now, .asked = {}};
  const Inquiry inquiry{.request = opened.request, .node = worker.id, .address = worker.address};
  const auto ask = [&](const Endpoint& witness) {
    opened.asked.push_back({.witness = witness.id});
    turn.out.send(witness, inquiry);
  };
  ask(self_);
  while (!others.empty() && opened.asked.size() <= kWitnesses) {
    const auto drawn = others.begin() + static_cast<std::ptrdiff_t>(turn.rng.index(others.size()));
    ask(*drawn);
    others.erase(drawn);
  }
}

void DeathWatch::look(Turn& turn,
    const Surroundings& around,
    std::span<const JobState* const> jobs,
    Duration patience) {
  std::map<PeerId, Endpoint> silent;
  for (const JobState* job : jobs) {
    for (const auto& [index, binding] : job->bindings()) {
      // No worker is known to have one that is being launched.
      if (binding.launching || turn.now - binding.confirmed <= patience + binding.away) continue;
      silent.emplace(binding.worker.id, binding.worker);
    }
  }
  for (const auto& [id, worker] : silent) suspect(turn, around, worker);
}

bool DeathWatch::on_testimony(const Endpoint& from, const Testimony& testimony) {
  const auto found = cases_.find(testimony.node);
  if (found == cases_.end() || found->second.request != testimony.request) return false;
  auto& asked = found->second.asked;
  const auto witness = std::ranges::find(asked, from.id, &Asked::witness);
  if (witness == asked.end()) return false;
  if (!testimony.silent) {
    // Suspicion may come again: the case stays until then, so that it is not opened with every
    // look.
    asked.clear();
    return false;
  }
  witness->silent = true;
  const auto silent = static_cast<std::size_t>(std::count_if(
      asked.begin() + 1, asked.end(), [](const Asked& other) { return other.silent; }));
  const std::size_t others = asked.size() - 1;
  if (!asked.front().silent || silent < std::min(kSilentMin, others)) return false;
  cases_.erase(found);
  return true;
}

}  // namespace dunlin::sched
