// SPDX-License-Identifier: MIT
#include "sched/invariants.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/frontend/job_check.h"
#include "sched/peer_view.h"
#include "sched/resources.h"

// Each invariant is counted twice by different ways: the state that the code keeps (free resources,
// counts of tasks, a view's size) against a sum over what it stands for. A fault in the arithmetic
// of one way shows at the step that made it, not at its consequence a thousand steps later.
namespace dunlin::sched {
namespace {

using Broken = std::optional<std::string>;

/// Free, running and held resources make up the node's total.
Broken check_capacity(const Worker& worker) {
  Resources sum = worker.slots().free();
  give(sum, worker.slots().background());
  for (const RunningTask& running : worker.running()) {
    give(sum, held_by(running));
    take(sum, running.relief);
  }
  for (const PendingRequest& asking : worker.asking()) {
    if (!asking.preempts) give(sum, asking.reservation.reserve.demand, asking.room);
  }
  for (const LoanOut& loan : worker.loans().lender().out()) give(sum, loan.amounts);
  const Resources& total = worker.slots().total();
  if (sum == total) return {};
  return "a worker of " + to_string(total) + " accounts for " + to_string(sum);
}

/// What is lent is less than there is, by bounded loans with different names. A task that waits for
/// a loan has asked for it.
Broken check_loans(const Worker& worker) {
  std::vector<std::tuple<PeerId, std::uint64_t>> loans;
  for (const LoanOut& loan : worker.loans().lender().out()) {
    loans.emplace_back(loan.borrower.id, loan.number);
  }
  std::ranges::sort(loans);
  if (std::ranges::adjacent_find(loans) != loans.end()) return "a worker lends twice by one number";
  for (const RunningTask& running : worker.running()) {
    if (!running.borrows) continue;
    const auto is_its = [&](const LoanIn& loan) {
      return loan.task == running.task && loan.attempt == running.attempt && !loan.has;
    };
    if (!running.waits) return "a task runs before it has its loan";
    if (std::ranges::none_of(worker.loans().borrower().loans(), is_its)) {
      return "a task waits for a loan that nothing asks for";
    }
  }
  return {};
}

/// A task that waits for room waits for others that have been stopped.
Broken check_waits(const Worker& worker) {
  const auto waits = [](const RunningTask& running) {
    return running.waits != nullptr && !running.borrows;
  };
  const auto ends = [](const RunningTask& running) { return !running.waits && running.killed; };
  if (std::ranges::none_of(worker.running(), waits)) return {};
  if (std::ranges::any_of(worker.running(), ends)) return {};
  return "a task waits for room that nothing leaves";
}

/// An attempt runs once, and each open question has a number of its own.
Broken check_attempts(const Worker& worker) {
  std::vector<AttemptKey> attempts;
  for (const RunningTask& running : worker.running()) {
    attempts.push_back(key_of(running.task, running.attempt));
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

/// A view holds neither its owner, nor the empty id, nor a peer twice.
Broken check_view(std::vector<PeerId> view, std::size_t size_max, PeerId self, const char* name) {
  if (view.size() > size_max) return std::string(name) + " view exceeds its size";
  std::ranges::sort(view);
  if (std::ranges::binary_search(view, self)) return std::string(name) + " view holds its owner";
  if (std::ranges::binary_search(view, PeerId{}))
    return std::string(name) + " view holds an empty id";
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

Broken check_plans(const Peer& peer) {
  if (peer.cells() == nullptr) return {};
  for (const auto& hosted : peer.cells()->hosted()) {
    if (!hosted->manager) continue;
    if (auto broken = hosted->manager->planner().broken_invariant()) return broken;
  }
  return {};
}

}  // namespace

std::optional<std::string> broken_invariant(const Peer& peer) {
  if (const Worker* worker = peer.worker()) {
    if (auto broken = check_capacity(*worker)) return broken;
    if (auto broken = check_attempts(*worker)) return broken;
    if (auto broken = check_waits(*worker)) return broken;
    if (auto broken = check_loans(*worker)) return broken;
  }
  if (auto broken = check_views(peer)) return broken;
  if (auto broken = check_plans(peer)) return broken;
  const Frontend& frontend = frontend_of(peer);
  if (auto broken = broken_invariant(frontend.table())) return broken;
  return frontend.ends().broken_invariant(frontend.table());
}

std::optional<std::string> broken_invariant(std::span<const Peer* const> peers) {
  using Attempt = std::tuple<PeerId, std::uint32_t, std::uint64_t, std::uint32_t, std::uint32_t>;
  std::vector<Attempt> attempts;
  for (const Peer* peer : peers) {
    if (peer->worker() == nullptr) continue;
    for (const RunningTask& running : peer->worker()->running()) {
      const JobId& job = running.task.job;
      attempts.emplace_back(job.home, job.number, job.lineage, running.task.index, running.attempt);
    }
  }
  std::ranges::sort(attempts);
  if (std::ranges::adjacent_find(attempts) == attempts.end()) return {};
  return "two workers run the same attempt of a task";
}

}  // namespace dunlin::sched
