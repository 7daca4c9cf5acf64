// SPDX-License-Identifier: MIT
#include "sim/report/master_counts.h"

#include "sched/federation/global/global_master.h"
#include "sched/federation/peer/peer_masters.h"
#include "sched/frontend/frontend.h"

namespace dunlin::sim {
namespace {

void add_global(const sched::federation::GlobalMaster& master, MasterCounts& sum) {
  ++sum.masters;
  sum.matches += master.counts().matches;
  sum.misses += master.counts().misses;
  sum.placed += master.counts().placed;
  sum.lost += master.counts().lost;
  sum.repartitions += master.counts().borrowed;
  sum.preemption_attempts += master.counts().preempting;
  sum.searched += master.view().search().rows;
  sum.words += master.view().search().words;
}

void add_local(const sched::federation::LocalMaster& master, MasterCounts& sum) {
  ++sum.local_masters;
  const sched::federation::LaunchCounts counts = master.launch_counts();
  sum.internal += counts.internal;
  sum.external += counts.external;
  sum.preemptions += counts.preempted;
  // What found its node taken and was not refused has been started at another one.
  sum.repairs += counts.internal + counts.external - counts.refused;
}

}  // namespace

std::optional<MasterCounts> master_counts(const Simulation& run) {
  if (run.baseline() != nullptr) return run.baseline()->master_counts();
  MasterCounts sum;
  for (std::uint32_t i = 0; i < run.cluster().size(); ++i) {
    const sched::Peer& peer = run.cluster().peer(i);
    const auto* const global = peer.frontend() != nullptr ? peer.frontend()->master() : nullptr;
    if (global != nullptr) add_global(*global, sum);
    if (peer.masters() == nullptr) continue;
    for (const auto& [cell, local] : peer.masters()->masters()) add_local(local, sum);
  }
  if (sum.masters == 0) return std::nullopt;
  return sum;
}

}  // namespace dunlin::sim
