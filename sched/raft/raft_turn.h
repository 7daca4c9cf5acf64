// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/turn.h"
#include "sched/kernel.h"
#include "sched/raft/message.h"
#include "sched/raft/raft_store.h"

namespace dunlin::sched {

/// Everything that a Raft group may see and touch during one step. Valid only during the call.
struct RaftTurn {
  Time now;
  Rng& rng;
  overlay::Port<raft::Rpc>& out;
  RaftStore& store;
};

}  // namespace dunlin::sched
