// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/turn.h"
#include "sched/cell/message.h"
#include "sched/cell/raft_store.h"
#include "sched/kernel.h"

namespace dunlin::sched {

/// What a Raft group may see and touch during one step. Valid only during the call.
struct RaftTurn {
  Time now;
  Rng& rng;
  overlay::Port<cell::Message>& out;
  RaftStore& store;
};

}  // namespace dunlin::sched
