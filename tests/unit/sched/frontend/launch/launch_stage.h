// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sched/federation/global/global_master.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/prober.h"
#include "tests/support/own_job.h"
#include "tests/unit/sched/federation/rows.h"

namespace dunlin::test {

/// A frontend at node 99 as a global master, with the local masters 11 and 12 of cells 1 and 2.
class LaunchStage : public OwnJob {
 protected:
  LaunchStage() { federation.park = true; }

  sched::federation::MastersTurn masters_turn() { return {now, rng, out}; }
  /// The local master tells that its only member, 10 × cell + 1, has so much free.
  void tell(std::uint64_t cell, std::uint32_t cpu, std::uint64_t epoch = 1) {
    sched::CellView view{.cell = {cell}, .epoch = epoch, .version = ++version, .last = true};
    sched::ViewRow row = sched::federation::rows::told(10 * cell + 1, 99, cpu, version);
    view.rows = {row};
    view.kinds = {sched::federation::rows::kind({})};
    master.receive(masters_turn(), node(10 + cell), view);
  }
  /// A worker asks for tasks of the first group.
  static sched::GetTask question_of(const sched::JobState& job,
      std::uint32_t request,
      std::uint16_t room,
      std::uint32_t probe = 1) {
    return {.job = job.id(), .probe = probe, .request = request, .incarnation = 1, .room = room};
  }
  std::vector<sched::Park> parked() const { return out.all<sched::Park>(); }

  sched::federation::FederationParams federation;
  sched::federation::GlobalMaster master{federation, sched::PeerId{99}, 1};
  std::uint64_t version = 0;
};

}  // namespace dunlin::test
