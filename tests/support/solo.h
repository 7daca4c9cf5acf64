// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "overlay/neighbour.h"
#include "sched/surroundings.h"
#include "sched/turn.h"
#include "tests/support/fake_executor.h"
#include "tests/support/memory_store.h"

namespace dunlin::test {

/// A port that keeps what was sent.
template <typename Kind>
class KeptPort final : public overlay::Port<Kind> {
 public:
  void send(const sched::Endpoint& to, const Kind& message) override {
    sent.emplace_back(to, message);
  }

  std::vector<std::pair<sched::Endpoint, Kind>> sent;
};

/// Keeps the messages of scheduling, and finds those of a kind among them.
class SchedRecorder final : public overlay::Port<sched::Message> {
 public:
  void send(const sched::Endpoint& to, const sched::Message& message) override {
    sent.emplace_back(to, message);
  }

  /// All messages of a kind, in the order they were sent.
  template <typename Kind>
  std::vector<Kind> all() const {
    std::vector<Kind> found;
    for (const auto& [to, message] : sent) {
      if (const auto* kind = std::get_if<Kind>(&message)) found.push_back(*kind);
    }
    return found;
  }
  /// The only message of a kind; a failure of the test if there are none or more.
  template <typename Kind>
  Kind only() const {
    const auto found = all<Kind>();
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? Kind{} : found.front();
  }
  void clear() { sent.clear(); }

  std::vector<std::pair<sched::Endpoint, sched::Message>> sent;
};

/// Keeps the scheduling events.
class EventRecorder final : public sched::Observer {
 public:
  using sched::Observer::on;
  void on(const overlay::Event&) override {}
  void on(const sched::Event& event) override { seen.push_back(event); }

  std::vector<sched::Event> seen;
};

/// One frontend or worker alone, and all that a turn needs. Its surroundings are nodes 1 to n.
class Solo : public ::testing::Test {
 protected:
  sched::Turn turn() {
    executor.set_now(now);
    return {
        .now = now, .rng = rng, .out = out, .events = events, .store = store, .executor = executor};
  }
  sched::Surroundings around() const { return sched::Surroundings(known); }

  static sched::Endpoint node(std::uint64_t id) {
    return {.id = {id},
        .address = sched::Address::v4(0x0a000000 + static_cast<std::uint32_t>(id), 7700)};
  }
  /// Adds a node that has 8 CPU and 8 GiB, so much of it free.
  void know(std::uint64_t id, std::uint32_t cpu_free = 8000, std::uint32_t memory_free = 8192) {
    overlay::Descriptor peer;
    peer.id = {id};
    peer.address = node(id).address;
    peer.incarnation = 1;
    peer.cpu_total = 8000;
    peer.memory_total = 8192;
    peer.cpu_free = cpu_free;
    peer.memory_free = memory_free;
    known.push_back({.peer = peer, .born = now});
  }
  void know_nodes(std::uint64_t count) {
    for (std::uint64_t id = 1; id <= count; ++id) know(id);
  }

  sched::Time now{std::chrono::seconds(100)};
  overlay::Rng rng{1};
  SchedRecorder out;
  EventRecorder events;
  MemoryStore store;
  FakeExecutor executor{{}, overlay::Rng{2}};
  std::vector<overlay::Neighbour> known;
};

}  // namespace dunlin::test
