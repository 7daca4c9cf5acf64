// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sched/plan/planner.h"
#include "tests/unit/sched/plan/plan_world.h"

namespace dunlin::sched::plan_world {

using namespace std::chrono_literals;

/// A manager, and what members tell it.
class PlannedCell {
 public:
  explicit PlannedCell(const PlanParams& rule = {}) { planner.set_rule(now, rule); }

  static Endpoint node(std::uint64_t id) {
    return {.id = {id}, .address = Address::v4(static_cast<std::uint32_t>(id), 7700)};
  }
  /// Node `id` has so many slots and claims for these jobs, which were submitted there.
  void say(std::uint64_t id, std::uint32_t slots, std::vector<cell::Claim> claims = {}) {
    said_[id] = {.member = {id}, .sequence = ++sequence_, .slots = slots, .speed = 1000};
    said_[id].claims = std::move(claims);
    planner.hear(now, node(id), said_[id]);
  }
  /// The same, and its tasks yield by plan.
  void say_that_preempts(
      std::uint64_t id, std::uint32_t slots, std::vector<cell::Claim> claims = {}) {
    say(id, slots, std::move(claims));
    said_[id].sequence = ++sequence_;
    said_[id].preempts = true;
    planner.hear(now, node(id), said_[id]);
  }
  /// Node `id` of another cell claims for jobs that lack slots there.
  void ask(std::uint64_t id, std::vector<cell::Claim> claims) {
    cell::Claims said{.member = {id}, .sequence = ++sequence_, .slots = 9, .guest = true};
    said.claims = std::move(claims);
    planner.hear(now, node(id), said);
  }
  /// The slots of a job that lacks some, as its frontend hears it.
  std::optional<std::uint32_t> lacks(std::uint64_t frontend, std::uint32_t job) const {
    const auto allotments = planner.allotments({frontend});
    if (!allotments) return std::nullopt;
    for (const cell::Lack& each : allotments->lacks) {
      if (each.job == job_id(job)) return each.slots;
    }
    return std::nullopt;
  }
  void forget(std::uint64_t node) {
    planner.forget_others([&](PeerId id) { return id.value != node; });
  }
  static cell::Claim claim(std::uint32_t number, int priority, std::uint32_t left) {
    return {.job = job_id(number),
        .priority = static_cast<std::int16_t>(priority),
        .left = left,
        .task_time = 1s};
  }
  /// The members that get others than before, after the gap.
  std::vector<std::uint64_t> plan_after_gap() {
    now += params.gap;
    std::vector<std::uint64_t> told;
    for (const Endpoint& each : planner.wake(now)) told.push_back(each.id.value);
    return told;
  }
  std::uint32_t slots(std::uint64_t node, std::uint32_t job) const {
    const auto allotments = planner.allotments({node});
    if (!allotments) return 0;
    std::uint32_t slots = 0;
    for (const auto& each : allotments->allotted) {
      if (each.job == job_id(job)) slots += each.slots;
    }
    return slots;
  }
  std::uint64_t plans() const {
    return planner.plans().empty() ? 0 : planner.plans().back().number;
  }

  Time now{100s};
  PlannerParams params;
  Planner planner{params, 10s, 2s};

 private:
  std::uint64_t sequence_ = 0;
  std::map<std::uint64_t, cell::Claims> said_;
};

/// A cell of two nodes, past the time in which a new manager only listens.
struct TwoNodes : PlannedCell {
  explicit TwoNodes(const PlanParams& rule = {}) : PlannedCell(rule) {
    planner.hear_all(0);
    say(1, 4, {claim(1, 50, 20)});
    say(2, 4);
    EXPECT_EQ(plan_after_gap(), (std::vector<std::uint64_t>{1, 2}));
  }
};

}  // namespace dunlin::sched::plan_world
