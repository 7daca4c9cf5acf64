// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "sched/cell/cell_turn.h"
#include "tests/support/grouped_raft_store.h"
#include "tests/support/solo.h"

namespace dunlin::test {

/// A node without tasks and neighbours, but those that a test gives it.
class QuietNode final : public sched::Workload, public sched::GossipTargets {
 public:
  std::vector<sched::books::Use> take(sched::Time, sched::Tickets) override { return uses; }
  std::optional<sched::Endpoint> draw(sched::Rng&) override { return target; }

  std::vector<sched::books::Use> uses;
  std::optional<sched::Endpoint> target;
};

/// One step of a node's cells: all that it needs, and all that came of it.
class CellStage : private overlay::Port<sched::cell::Message> {
 public:
  virtual ~CellStage() = default;

  sched::CellTurn turn() { return {now, rng, *this, store, node, node, events}; }

  static sched::Endpoint at(std::uint64_t number) {
    return {
        .id = {number}, .address = sched::Address::v4(static_cast<std::uint32_t>(number), 7700)};
  }
  static sched::cell::Hint hint(sched::CellId cell, std::uint32_t size, std::uint32_t room) {
    return {.cell = cell,
        .epoch = 1,
        .stamp = 1,
        .manager = {.node = {cell.value & 0xffff}, .address = sched::Address::v4(1, 1)},
        .size = size,
        .room = room};
  }
  /// The messages of a kind that were sent to a node, in their order.
  template <typename Kind>
  std::vector<Kind> told(std::uint64_t to) const {
    std::vector<Kind> found;
    for (const auto& [where, message] : sent) {
      const auto* kind = std::get_if<Kind>(&message);
      if (kind != nullptr && where.id == sched::PeerId{to}) found.push_back(*kind);
    }
    return found;
  }
  /// The number of events of a kind.
  template <typename Kind>
  std::size_t seen() const {
    return static_cast<std::size_t>(std::ranges::count_if(events.seen,
        [](const sched::Event& event) { return std::holds_alternative<Kind>(event); }));
  }

  sched::Time now{std::chrono::hours(1)};
  sched::Rng rng{1};
  GroupedRaftStore store;
  QuietNode node;
  EventRecorder events;
  std::vector<std::pair<sched::Endpoint, sched::cell::Message>> sent;

 private:
  void send(const sched::Endpoint& to, const sched::cell::Message& message) override {
    sent.emplace_back(to, message);
  }
};

}  // namespace dunlin::test
