// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/turn.h"
#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched::federation {

/// All that a global or a local master may see and touch during one step. Valid only during the
/// call.
struct MastersTurn {
  Time now;
  Rng& rng;
  overlay::Port<Message>& out;
};

}  // namespace dunlin::sched::federation
