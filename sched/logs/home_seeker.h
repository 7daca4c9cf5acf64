// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "sched/host.h"
#include "sched/message.h"

namespace dunlin::sched {
struct PeerParts;
}

namespace dunlin::sched::logs {

/// Asks nodes that may know which node drives some logs: those that keep the books of this node's
/// cell, managers of other cells, and some that gossip knows. `lost` are the questions of the
/// worker, which has not heard the homes of those logs for long: a task may have begun before its
/// log had a standby.
void seek_homes(const PeerParts& parts, const Host& host, std::span<const FindHome> lost);

}  // namespace dunlin::sched::logs
