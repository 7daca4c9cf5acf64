// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

#include "sched/frontend/job_state.h"
#include "sched/frontend/params.h"
#include "tests/support/builders.h"
#include "tests/support/solo.h"

namespace dunlin::test {

/// A job of `count` tasks at frontend 99, and all that the parts of a frontend need.
class OwnJob : public Solo {
 protected:
  OwnJob() { know_nodes(20); }

  static constexpr sched::PeerId kHome{99};
  sched::JobState submitted(std::uint32_t count, std::uint32_t number = 1) const {
    sched::Job submitted = test::job(count);
    submitted.groups[0].duration = task_time;
    submitted.id = {.home = kHome, .number = number};
    return {std::move(submitted), now};
  }
  sched::GetTask question(std::uint16_t room, std::uint32_t probe = 1) {
    return {.job = {.home = kHome, .number = 1},
        .probe = probe,
        .request = ++request,
        .incarnation = 1,
        .room = room};
  }
  /// The kinds of events seen, counted.
  template <typename Kind>
  std::size_t seen() const {
    return static_cast<std::size_t>(std::ranges::count_if(events.seen,
        [](const sched::Event& event) { return std::holds_alternative<Kind>(event); }));
  }

  sched::FrontendParams params;
  sched::Duration task_time = std::chrono::seconds(10);  ///< As the user says.
  std::uint32_t request = 0;
};

}  // namespace dunlin::test
