// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>

#include "sched/host.h"
#include "sched/node_spec.h"
#include "sched/peer_params.h"
#include "tests/support/fake_executor.h"
#include "tests/support/grouped_raft_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/solo.h"

namespace dunlin::test {

/// All that a driver lends to one peer, and all that came of it. The peer is node 1, "merlin", with
/// 4 CPUs and 8 GiB.
class LonePeer : public ::testing::Test {
 protected:
  sched::Host host() {
    executor.set_now(now);
    return {.now = now,
        .rng = rng,
        .gossip = gossip,
        .out = out,
        .events = events,
        .store = store,
        .executor = executor,
        .cells = cells,
        .books = books,
        .logs = logs};
  }

  static sched::Endpoint at(std::uint64_t node) {
    return {.id = {node},
        .address = sched::Address::v4(0x0a000000 + static_cast<std::uint32_t>(node), 7700)};
  }
  static sched::NodeSpec spec() {
    return {.endpoint = at(1),
        .incarnation = 1,
        .name = "merlin",
        .total = {.cpu = 4000, .memory = 8192, .custom = {}}};
  }
  /// A reservation of a task of 1 CPU, as `frontend` makes it for its job `number`.
  static sched::Reserve reserve_of(std::uint32_t number, std::uint64_t frontend) {
    sched::Reserve reserve;
    reserve.job = {.home = {frontend}, .number = number};
    reserve.probe = number;
    reserve.frontend = at(frontend).address;
    reserve.demand = {.cpu = 1000, .memory = 1, .custom = {}};
    reserve.tasks_max = 1;
    reserve.task_time = reserve.work = std::chrono::seconds(1);
    return reserve;
  }

  sched::Time now{std::chrono::hours(1)};
  sched::Rng rng{1};
  KeptPort<overlay::Message> gossip;
  SchedRecorder out;
  EventRecorder events;
  MemoryStore store;
  FakeExecutor executor{{}, overlay::Rng{2}};
  KeptPort<sched::cell::Message> cells;
  GroupedRaftStore books;
  MemoryLogStore logs;
  sched::PeerParams params;
};

}  // namespace dunlin::test
