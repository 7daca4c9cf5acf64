// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/message.h"
#include "sched/cell/message.h"
#include "sched/message.h"
#include "sim/measure/allocation.h"

namespace dunlin::sim {

/// The tasks that a message brings nearer to their start, and where they are while it waits; none,
/// if it brings no task. Messages of the views and of cells never do.
Errand errand_of(const sched::Message& message);
inline Errand errand_of(const overlay::Message&) {
  return {};
}
inline Errand errand_of(const sched::cell::Message&) {
  return {};
}

}  // namespace dunlin::sim
