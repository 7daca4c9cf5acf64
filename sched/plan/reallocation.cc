// SPDX-License-Identifier: MIT
#include "sched/plan/reallocation.h"

#include <algorithm>
#include <map>

// Slots of one speed are alike, so a job that held k of them and gets n keeps min(k, n), whichever
// the others get: first each job keeps what it may, then the free slots fill up what is missing.
// Nothing else would keep more, because no two jobs held the same slot.
namespace dunlin::sched {
namespace {

using Slots = std::map<std::pair<std::size_t, std::size_t>, std::uint32_t>;  ///< By job, worker.

class Reallocation {
 public:
  Reallocation(const Division& division, std::span<const PlanWorker> workers)
      : division_(division),
        workers_(workers),
        by_speed_(workers.size()) {
    for (std::size_t i = 0; i < workers.size(); ++i) {
      nodes_.emplace(workers[i].node, i);
      free_.push_back(workers[i].slots);
      by_speed_[division.pool().speed_of()[i]].push_back(i);
    }
    for (std::size_t i = 0; i < division.jobs().size(); ++i) {
      jobs_.emplace(division.jobs()[i].job, i);
      const SlotsBySpeed& slots = division.slots_of(i);
      for (std::size_t speed = 0; speed < slots.size(); ++speed) {
        if (slots[speed] > 0) wanted_[{i, speed}] = slots[speed];
      }
    }
  }

  /// Gives each job again what it held and may keep; returns the held slots that it may not.
  std::uint32_t keep(std::span<const Allotment> held) {
    std::uint32_t lost = 0;
    for (const Allotment& each : held) {
      const auto node = nodes_.find(each.node);
      const auto job = jobs_.find(each.job);
      if (node == nodes_.end() || job == jobs_.end()) continue;
      const auto wanted = wanted_.find({job->second, division_.pool().speed_of()[node->second]});
      const std::uint32_t max = wanted == wanted_.end() ? 0 : wanted->second;
      const std::uint32_t kept = std::min({each.slots, max, free_[node->second]});
      if (kept > 0) give(job->second, node->second, wanted->second, kept);
      lost += each.slots - kept;
    }
    return lost;
  }

  /// Gives each job what it still wants, of any node of that speed.
  void fill() {
    for (auto& [key, wanted] : wanted_) {
      auto& nodes = by_speed_[key.second];
      while (wanted > 0) {
        if (free_[nodes.back()] == 0) {
          nodes.pop_back();
          continue;
        }
        give(key.first, nodes.back(), wanted, std::min(wanted, free_[nodes.back()]));
      }
    }
  }

  std::vector<Allotment> allotments() const {
    std::vector<Allotment> all;
    for (const auto& [key, slots] : given_) {
      all.push_back({workers_[key.second].node, division_.jobs()[key.first].job, slots});
    }
    return all;
  }

 private:
  void give(std::size_t job, std::size_t node, std::uint32_t& wanted, std::uint32_t slots) {
    given_[{job, node}] += slots;
    free_[node] -= slots;
    wanted -= slots;
  }

  const Division& division_;
  std::span<const PlanWorker> workers_;
  std::map<PeerId, std::size_t> nodes_;
  std::map<JobId, std::size_t> jobs_;
  std::vector<std::uint32_t> free_;                 ///< Of each worker.
  std::vector<std::vector<std::size_t>> by_speed_;  ///< The workers of each speed.
  Slots wanted_;                                    ///< By job and speed: what it still gets.
  Slots given_;                                     ///< By job and worker.
};

}  // namespace

std::vector<Allotment> reallocate(const Division& division,
    std::span<const PlanWorker> workers,
    std::span<const Allotment> held,
    std::uint32_t& moved) {
  Reallocation reallocation(division, workers);
  moved += reallocation.keep(held);
  reallocation.fill();
  return reallocation.allotments();
}

}  // namespace dunlin::sched
