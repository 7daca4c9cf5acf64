// SPDX-License-Identifier: MIT
#include "sched/worker/tracker/tracker.h"

#include <gtest/gtest.h>

#include "tests/support/now.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::kNow;

constexpr std::uint32_t kRate = 100'000;

Resources written(std::uint32_t rate, std::uint32_t cpu = 0) {
  return {.cpu = cpu, .memory = 0, .custom = {}, .disk_write = rate};
}

class TrackerTest : public ::testing::Test {
 protected:
  static NodeSpec node() {
    NodeSpec spec;
    spec.total = {.cpu = 8000, .memory = 4096, .custom = {}, .disk_write = kRate};
    return spec;
  }
  RunningTask& start(std::uint32_t index, const Resources& demand) {
    running.push_back({.task = {{}, index}, .demand = demand, .started = now});
    slots.hold(now, footprint(running.back()));
    return running.back();
  }
  void end(std::size_t i) {
    slots.release(now, footprint(running[i]));
    slots.end_task(running[i].relief);
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
  }
  static MeasuredTask used(std::uint32_t index, const Resources& use) {
    return {.task = {{}, index}, .use = use, .has_disk = true, .has_net = true};
  }
  /// One period in which the whole node wrote so much, and tasks as they say.
  void measure(std::uint32_t rate, std::vector<MeasuredTask> tasks = {}) {
    now += params.period;
    if (!tracker) tracker.emplace(params, params.reclaim == Reclaim::fluid);
    tracker->hear(now, {.node = written(rate), .tasks = std::move(tasks)}, running, slots);
  }
  std::uint32_t free_rate() const { return slots.free().disk_write; }

  TrackerParams params;
  WorkerParams worker;
  Time now = kNow;
  Slots slots{worker, node()};
  std::vector<RunningTask> running;
  std::optional<Tracker> tracker;
};

TEST_F(TrackerTest, WhatOthersWriteIsNotOfferedAndComesBack) {
  measure(60'000);
  EXPECT_EQ(free_rate(), kRate) << "it may be a task that was not counted yet";
  measure(60'000);
  EXPECT_EQ(free_rate(), kRate - 60'000);
  EXPECT_EQ(slots.free().cpu, 8000u) << "it follows rates alone";
  for (int i = 0; i < 9; ++i) measure(0);
  EXPECT_EQ(free_rate(), kRate - 60'000) << "a pause within ramp_up is none";
  for (int i = 0; i < 3; ++i) measure(0);
  EXPECT_EQ(free_rate(), kRate);
  for (int i = 0; i < 2; ++i) measure(kRate / 100);
  EXPECT_EQ(free_rate(), kRate) << "noise";
}

TEST_F(TrackerTest, WhatTasksWriteIsNoBackground) {
  start(0, written(40'000));
  measure(40'000, {used(0, written(40'000))});
  EXPECT_EQ(free_rate(), 60'000u);
  for (int i = 0; i < 2; ++i) measure(70'000, {used(0, written(40'000))});
  EXPECT_EQ(free_rate(), 30'000u);
}

// The node was counted a moment after its task, which has just begun to write.
TEST_F(TrackerTest, WhatATaskBeginsToDoIsNoBackgroundEither) {
  start(0, written(40'000));
  for (int i = 0; i < 4; ++i) measure(0, {used(0, written(0))});
  measure(40'000, {used(0, written(0))});
  measure(40'000, {used(0, written(40'000))});
  measure(40'000, {used(0, written(0))});
  EXPECT_EQ(free_rate(), 60'000u);
}

// Where nothing counts the use of a task, its demand does.
TEST_F(TrackerTest, AnUnknownUseIsTakenForTheDemand) {
  start(0, written(40'000));
  measure(40'000);
  EXPECT_EQ(free_rate(), 60'000u);
  MeasuredTask blind = used(0, written(0));
  blind.has_disk = false;
  for (int i = 0; i < 2; ++i) measure(90'000, {blind});
  EXPECT_EQ(free_rate(), 10'000u);
}

TEST_F(TrackerTest, RunningTasksStayAndTheRestIsTakenLater) {
  start(0, written(80'000));
  for (int i = 0; i < 2; ++i) measure(180'000, {used(0, written(80'000))});
  EXPECT_EQ(free_rate(), 0u);
  EXPECT_EQ(slots.background().disk_write, 20'000u) << "as much as is free";
  end(0);
  EXPECT_EQ(free_rate(), 0u) << "no other task gets it";
}

TEST_F(TrackerTest, AnOldTaskLeavesWhatItDoesNotUse) {
  params.reclaim = Reclaim::fluid;
  start(0, written(80'000, 4000));
  for (int i = 0; i < 9; ++i) measure(20'000, {used(0, written(20'000))});
  EXPECT_EQ(free_rate(), 20'000u) << "it is young";
  measure(20'000, {used(0, written(20'000))});
  EXPECT_EQ(free_rate(), kRate - 22'000) << "its peak and a tenth";
  EXPECT_EQ(slots.free().cpu, 4000u) << "which is not watched";

  // Another one takes it, and the first wants it back: it gets what is left, then the rest.
  start(1, written(78'000));
  EXPECT_EQ(free_rate(), 0u);
  measure(160'000, {used(0, written(80'000)), used(1, written(78'000))});
  EXPECT_EQ(running[0].relief.disk_write, 58'000u);
  end(1);
  measure(80'000, {used(0, written(80'000))});
  EXPECT_EQ(running[0].relief.disk_write, 0u);
  EXPECT_EQ(free_rate(), 20'000u);
  end(0);
  EXPECT_EQ(slots.free(), slots.total());
}

TEST_F(TrackerTest, ATaskThatEndsTakesItsReliefWithIt) {
  params.reclaim = Reclaim::fluid;
  start(0, written(80'000));
  for (int i = 0; i < 12; ++i) measure(0, {used(0, written(0))});
  EXPECT_EQ(free_rate(), kRate);
  start(1, written(90'000));
  end(0);
  EXPECT_EQ(free_rate(), 10'000u);
  end(0);
  EXPECT_EQ(slots.free(), slots.total());
}

TEST_F(TrackerTest, ItFollowsAllIfToldTo) {
  params.watch = Tracked::all;
  tracker.emplace(params, false);
  for (int i = 0; i < 2; ++i) {
    now += 1s;
    tracker->hear(
        now, {.node = {.cpu = 3000, .memory = 1024, .custom = {}}, .tasks = {}}, running, slots);
  }
  EXPECT_EQ(slots.free().cpu, 5000u);
  EXPECT_EQ(slots.free().memory, 3072u);
}

TEST_F(TrackerTest, OffItChangesNothing) {
  params.watch = Tracked::off;
  for (int i = 0; i < 2; ++i) measure(60'000);
  EXPECT_EQ(slots.free(), slots.total());
}

}  // namespace
}  // namespace dunlin::sched
