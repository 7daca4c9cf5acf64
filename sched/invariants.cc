// SPDX-License-Identifier: MIT
#include "sched/invariants.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "sched/peer_view.h"
#include "sched/resources.h"

namespace dunlin::sched {
namespace {

using Broken = std::optional<std::string>;

std::string name_of(const JobId& job) {
  return std::to_string(job.home.value) + "/" + std::to_string(job.number);
}

Broken check_capacity(const Worker& worker) {
  Resources sum = worker.free();
  for (const RunningTask& running : worker.running()) give(sum, running.demand);
  for (const PendingRequest& asking : worker.asking()) {
    give(sum, asking.reservation.reserve.demand, asking.room);
  }
  if (sum == worker.total()) return {};
  return "a worker of " + to_string(worker.total()) + " accounts for " + to_string(sum);
}

Broken check_attempts(const Worker& worker) {
  std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint16_t>> attempts;
  for (const RunningTask& running : worker.running()) {
    const JobId& job = running.task.job;
    attempts.emplace_back(job.home.value, job.number, running.task.index, running.attempt);
  }
  std::ranges::sort(attempts);
  if (std::ranges::adjacent_find(attempts) != attempts.end()) {
    return "a worker runs an attempt twice";
  }
  std::vector<std::uint32_t> requests;
  for (const PendingRequest& asking : worker.asking()) requests.push_back(asking.request);
  std::ranges::sort(requests);
  if (std::ranges::adjacent_find(requests) != requests.end()) {
    return "a worker awaits two answers under one number";
  }
  return {};
}

Broken check_view(std::vector<PeerId> view, std::size_t most, PeerId self, const char* name) {
  if (view.size() > most) return std::string(name) + " view exceeds its size";
  std::ranges::sort(view);
  if (std::ranges::binary_search(view, self)) return std::string(name) + " view holds its owner";
  if (std::ranges::binary_search(view, PeerId{})) return std::string(name) + " view holds nobody";
  if (std::ranges::adjacent_find(view) != view.end()) {
    return std::string(name) + " view holds a peer twice";
  }
  return {};
}

Broken check_views(const Peer& peer) {
  const overlay::Cyclon& cyclon = peer.overlay().cyclon();
  const overlay::Gradient& gradient = peer.overlay().gradient();
  std::vector<PeerId> random;
  for (const overlay::Link& link : cyclon.view().links()) random.push_back(link.id());
  std::vector<PeerId> best;
  for (const overlay::Neighbour& neighbour : gradient.view()) best.push_back(neighbour.peer.id);
  const PeerId self = peer.self().endpoint.id;
  if (auto broken = check_view(std::move(random), cyclon.params().view_size, self, "the random")) {
    return broken;
  }
  return check_view(std::move(best), gradient.params().view_size, self, "the gradient");
}

Broken check_counts(const JobState& job) {
  std::array<std::uint32_t, kTaskStates> found{};
  for (std::uint32_t i = 0; i < job.task_count(); ++i) {
    const TaskState state = job.task(i).state;
    ++found[static_cast<std::size_t>(state)];
    const bool bound = state == TaskState::launched || state == TaskState::cancelling;
    if (bound != job.bindings().contains(i)) {
      return "task " + name_of(job.id()) + ":" + std::to_string(i) + " is " +
          std::string(kTaskStateWords[static_cast<std::size_t>(state)]) +
          (bound ? " at no worker" : " and still bound");
    }
  }
  if (found == job.counts().of) return {};
  return "the counts of job " + name_of(job.id()) + " are not those of its tasks";
}

/// Waiting tasks must be where the next GetTask looks for them, or nobody would ever run them.
Broken check_waiting(const JobState& job) {
  for (std::size_t g = 0; g < job.groups().size(); ++g) {
    const JobState::Group& group = job.groups()[g];
    const std::uint32_t end = group.first + job.spec_of(static_cast<std::uint16_t>(g)).count;
    std::uint32_t waiting = 0;
    for (std::uint32_t i = group.first; i < end; ++i) {
      if (job.task(i).state != TaskState::waiting) continue;
      ++waiting;
      if (i >= group.next || std::ranges::find(group.again, i) != group.again.end()) continue;
      return "task " + name_of(job.id()) + ":" + std::to_string(i) + " waits where nobody looks";
    }
    if (waiting != group.waiting) {
      return "job " + name_of(job.id()) + " counts " + std::to_string(group.waiting) + " of " +
          std::to_string(waiting) + " waiting tasks of a group";
    }
  }
  return {};
}

Broken check_job(const JobState& job) {
  if (auto broken = check_counts(job)) return broken;
  if (job.finished().has_value() != job.all_final()) {
    return "job " + name_of(job.id()) +
        (job.finished() ? " is finished, but not its tasks" : " is not finished, but its tasks");
  }
  if (job.finished()) return {};
  return check_waiting(job);
}

}  // namespace

std::optional<std::string> broken_invariant(const Peer& peer) {
  if (const Worker* worker = peer.worker()) {
    if (auto broken = check_capacity(*worker)) return broken;
    if (auto broken = check_attempts(*worker)) return broken;
  }
  if (auto broken = check_views(peer)) return broken;
  for (const auto& [number, job] : frontend_of(peer).jobs()) {
    if (auto broken = check_job(job)) return broken;
  }
  return {};
}

std::optional<std::string> broken_invariant(std::span<const Peer* const> peers) {
  using Attempt = std::tuple<PeerId, std::uint32_t, std::uint32_t, std::uint16_t>;
  std::vector<Attempt> attempts;
  for (const Peer* peer : peers) {
    if (peer->worker() == nullptr) continue;
    for (const RunningTask& running : peer->worker()->running()) {
      const JobId& job = running.task.job;
      attempts.emplace_back(job.home, job.number, running.task.index, running.attempt);
    }
  }
  std::ranges::sort(attempts);
  if (std::ranges::adjacent_find(attempts) == attempts.end()) return {};
  return "two workers run the same attempt of a task";
}

}  // namespace dunlin::sched
