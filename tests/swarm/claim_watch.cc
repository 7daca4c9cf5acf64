// SPDX-License-Identifier: MIT
#include "tests/swarm/claim_watch.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/frontend/plan/claims.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"
#include "tests/swarm/replica_watch.h"

namespace dunlin::test {
namespace {

using sched::CellId;
using sched::JobId;

/// The managers that were elected last, by cell: one before may not know that it is deposed.
std::map<CellId, const sched::CellManager*> managers_of(const World& world) {
  std::map<CellId, const sched::CellManager*> found;
  for (std::size_t node = 0; node < world.size(); ++node) {
    if (!world.up(node) || world.peer(node).cells() == nullptr) continue;
    for (const auto& hosted : world.peer(node).cells()->hosted()) {
      if (!hosted->manager || hosted->level() != 0) continue;
      const sched::CellManager*& manager = found[hosted->cell()];
      if (manager == nullptr || manager->epoch() < hosted->manager->epoch()) {
        manager = &*hosted->manager;
      }
    }
  }
  return found;
}

/// The slots that each job could use now.
std::map<JobId, std::uint64_t> wanted_in(const World& world) {
  std::vector<sched::cell::Claim> claims;
  for (std::size_t node = 0; node < world.size(); ++node) {
    if (!world.up(node)) continue;
    sched::add_claims(sched::frontend_of(world.peer(node)).table(), world.now(), claims);
    if (world.peer(node).logs() == nullptr) continue;
    for (const sched::Frontend* each : world.peer(node).logs()->parts().frontends()) {
      sched::add_claims(each->table(), world.now(), claims);
    }
  }
  std::map<JobId, std::uint64_t> wanted;
  for (const auto& claim : claims) {
    wanted[claim.job] = std::max<std::uint64_t>(wanted[claim.job], claim.left);
  }
  return wanted;
}

}  // namespace

// What a manager heard holds for a lease, and what it allots may be told late; gaps between plans
// and claims come on top.
ClaimWatch::ClaimWatch(World& world, const sched::SharingParams& params)
    : world_(world),
      patience_(2 * params.cell.lease + 4 * params.cell.period + 4 * params.plan.gap +
          std::chrono::seconds(5)) {}

std::uint64_t ClaimWatch::look() {
  std::map<JobId, std::uint64_t> given;
  std::map<JobId, std::size_t> cells;
  for (const auto& [cell, manager] : managers_of(world_)) {
    for (const auto& [job, slots] : manager->planner().given()) {
      given[job] += slots;
      if (slots > 0) ++cells[job];
    }
  }
  std::erase_if(jobs_, [&](const auto& each) { return !given.contains(each.first); });
  if (given.empty()) return 0;
  const auto wanted = wanted_in(world_);
  std::uint64_t abroad = 0;
  for (const auto& [job, slots] : given) {
    if (cells[job] > 1) ++abroad;
    Watched& watched =
        jobs_.try_emplace(job, Watched{.left = {}, .fine = world_.now()}).first->second;
    const auto at = wanted.find(job);
    watched.left.emplace_back(world_.now(), at == wanted.end() ? 0 : at->second);
    while (watched.left.front().first + patience_ < world_.now()) watched.left.pop_front();
    std::uint64_t left_max = 0;
    for (const auto& [when, left] : watched.left) left_max = std::max(left_max, left);
    if (slots <= left_max) watched.fine = world_.now();
    if (world_.now() - watched.fine <= patience_) continue;
    world_.fail("the plans of all cells give job " + text_of(job) + " " + std::to_string(slots) +
        " slots, and it can use " + std::to_string(left_max));
  }
  return abroad;
}

}  // namespace dunlin::test
