// SPDX-License-Identifier: MIT
// The part of a worker that knows of classes.
#include "sched/worker/service_shares.h"
#include "sched/worker/worker.h"

namespace dunlin::sched {

Worker::~Worker() = default;

void Worker::set_tickets(Time, std::span<const std::pair<ServiceId, Tickets>>) {}

std::vector<cell::Use> Worker::take_uses(Time, Tickets) {
  return {};
}

}  // namespace dunlin::sched
