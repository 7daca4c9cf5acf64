// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sched/frontend/job_state.h"

namespace dunlin::node {

class AgentServices;
struct RecordMark;

/// What is missing before a job may be acknowledged that requires replicas: "0 of 1
/// standbys on other machines have it". Empty if nothing is.
std::string safety_text(const AgentServices& agent, const sched::JobState& job);

/// What is missing before it outlives as many machines as it has replicas, required or not. Empty
/// if nothing is, or it has none or has ended.
std::string exposure_text(const AgentServices& agent, const sched::JobState& job);

/// What something waits for that is recorded, and not durable() yet.
std::string waits_for_record(const AgentServices& agent, const RecordMark& mark);

}  // namespace dunlin::node
