// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "node/control/agent_services.h"
#include "overlay/address.h"
#include "overlay/result.h"
#include "sched/frontend/job_state.h"

namespace dunlin::node {

/// Where to look for a task's output.
struct OutputPlace {
  overlay::PeerId worker;  ///< None: it never ran.
  overlay::Address address;
  std::uint32_t attempt = 0;
  bool running = false;
};

/// The worker that runs the task, or ran that attempt of it; 0: the one that counts. Fails with
/// `not_found` if there was no such attempt.
Result<OutputPlace> find_output(
    AgentServices& agent, const sched::JobState& job, std::uint32_t index, std::uint32_t attempt);

}  // namespace dunlin::node
