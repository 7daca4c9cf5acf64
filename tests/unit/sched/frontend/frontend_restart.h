// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <utility>

#include "sched/frontend/frontend.h"
#include "tests/support/builders.h"
#include "tests/support/solo.h"

namespace dunlin::test {

/// A frontend that begins with what an earlier life stored.
class FrontendRestart : public Solo {
 protected:
  FrontendRestart() { know_nodes(8); }

  static constexpr sched::PeerId kHome{99};
  static sched::StoredJob stored(std::optional<sched::Time> submitted) {
    sched::StoredJob job{.job = test::job(1), .submitted = submitted, .progress = {}, .tasks = {}};
    job.job.id = {.home = kHome, .number = 1};
    return job;
  }
  /// A frontend of node 99 that begins with `job`, and has sent its first reservations.
  sched::Frontend restored(sched::StoredJob job) {
    sched::Frontend frontend(params, node(kHome.value));
    auto first = turn();
    frontend.restore(first, {std::move(job)});
    now = frontend.deadline() + params.recovery_wait;
    auto next = turn();
    frontend.wake(next, around());
    return frontend;
  }
  sched::Duration age(const sched::Frontend& frontend) const {
    return now - frontend.jobs().begin()->second.accepted();
  }
  sched::Duration waited() const { return out.all<sched::Reserve>().front().waited; }

  sched::FrontendParams params{.placement = sched::PlacementName::random};
};

}  // namespace dunlin::test
