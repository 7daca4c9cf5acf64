// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/address.h"
#include "sched/job.h"

// How people read what names a node or a job.
namespace dunlin::node {

/// "00c0ffee00c0ffee": the id of a node.
std::string to_string(overlay::PeerId id);
/// "00c0ffee00c0ffee.12": a job, unique in a cluster.
std::string to_string(const sched::JobId& job);

}  // namespace dunlin::node
