// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/ledger/class_name.h"
#include "tests/support/class_world.h"

// The shares of classes in one worker, in the long run, whatever tasks are like.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::ClassId;

const sched::Resources kFour{.cpu = 4000, .memory = 8192, .custom = {}};
const sched::Resources kEight{.cpu = 8000, .memory = 8192, .custom = {}};
constexpr ClassId kWeb = 1;
constexpr ClassId kBatch = 2;
constexpr ClassId kCrawl = 3;

/// A worker on which three classes have tickets as 5 : 3 : 2.
ClassWorld world_of(const sched::Resources& total, sched::Duration round_trip = 1ms) {
  ClassWorld world(total, round_trip);
  const auto part = [&](int tenths) { return sched::Tickets{total.cpu} * tenths / 10; };
  world.set_tickets({{kWeb, part(5)}, {kBatch, part(3)}, {kCrawl, part(2)}});
  return world;
}

/// Within 5 % of their shares of what ran.
void expect_shares(const ClassWorld& world, double web = .5, double batch = .3, double crawl = .2) {
  EXPECT_NEAR(world.share(kWeb), web, .05 * web);
  EXPECT_NEAR(world.share(kBatch), batch, .05 * batch);
  EXPECT_NEAR(world.share(kCrawl), crawl, .05 * crawl);
}

TEST(WorkerClasses, EqualTasksShareByTickets) {
  ClassWorld world = world_of(kFour);
  for (const ClassId class_id : {kCrawl, kBatch, kWeb}) world.want({.class_id = class_id});
  world.run_for(60s);
  expect_shares(world);
  EXPECT_GT(world.busy(), .99);
}

TEST(WorkerClasses, TasksOfDifferentLengthShareByTickets) {
  ClassWorld world = world_of(kFour);
  world.want({.class_id = kWeb, .lasts = 100ms});
  world.want({.class_id = kBatch, .lasts = 1s, .spread = .5});
  world.want({.class_id = kCrawl, .lasts = 4s, .spread = .9});
  world.run_for(120s);
  expect_shares(world);
  EXPECT_GT(world.busy(), .98);
}

TEST(WorkerClasses, LongTasksOfTheLargestClassDoNotCrowdOutOthers) {
  ClassWorld world = world_of(kFour);
  world.want({.class_id = kWeb, .lasts = 20s});
  world.want({.class_id = kBatch, .lasts = 100ms});
  world.want({.class_id = kCrawl, .lasts = 100ms});
  world.run_for(400s);
  expect_shares(world);
}

TEST(WorkerClasses, TasksOfDifferentSizeShareByTickets) {
  ClassWorld world = world_of(kEight);
  world.want({.class_id = kWeb, .task = {.cpu = 500, .memory = 1, .custom = {}}});
  world.want({.class_id = kBatch, .task = {.cpu = 2000, .memory = 1, .custom = {}}});
  world.want({.class_id = kCrawl, .task = {.cpu = 4000, .memory = 1, .custom = {}}});
  world.run_for(240s);
  expect_shares(world);
}

// Each has as large a part of what it takes most of: web a quarter of the memory with each task,
// batch an eighth of the CPUs.
TEST(WorkerClasses, WhoeverTakesMuchMemoryPaysForIt) {
  ClassWorld world(kEight);
  world.set_tickets({{kWeb, 4000}, {kBatch, 4000}});
  world.want({.class_id = kWeb, .task = {.cpu = 500, .memory = 2048, .custom = {}}});
  world.want({.class_id = kBatch, .task = {.cpu = 1000, .memory = 512, .custom = {}}});
  world.run_for(120s);
  EXPECT_NEAR(world.cpu(kBatch) / world.cpu(kWeb), 4, .2);
  EXPECT_GT(world.busy(), .8) << "16 of 24, by the memory";
}

TEST(WorkerClasses, WrongEstimatesDoNotMatterForLong) {
  for (const auto& [told, lasts] :
      {std::pair<sched::Duration, sched::Duration>{24h, 100ms}, {0s, 2s}, {1ms, 2s}}) {
    ClassWorld world = world_of(kFour);
    world.want({.class_id = kWeb, .lasts = lasts, .told = told});
    world.want({.class_id = kBatch, .lasts = 1s});
    world.want({.class_id = kCrawl, .lasts = 100ms});
    world.run_for(120s);
    expect_shares(world);
  }
}

TEST(WorkerClasses, RoundTripsCountSoShortTasksAreNoWayToMore) {
  ClassWorld world = world_of(kFour, 20ms);
  for (const ClassId class_id : {kWeb, kBatch, kCrawl}) {
    world.want({.class_id = class_id, .lasts = 50ms, .jobs = 2});
  }
  world.run_for(60s);
  expect_shares(world);
}

TEST(WorkerClasses, ManyJobsOfAClassGetNoMoreThanOne) {
  ClassWorld world = world_of(kFour);
  world.want({.class_id = kWeb});
  world.want({.class_id = kBatch, .jobs = 20});
  world.want({.class_id = kCrawl, .jobs = 40});
  world.run_for(60s);
  expect_shares(world);
}

TEST(WorkerClasses, WhatAClassDoesNotUseIsLentOutAndReturnsAtOnce) {
  ClassWorld world = world_of(kFour);
  world.want({.class_id = kBatch});
  world.want({.class_id = kCrawl});
  world.run_for(60s);
  EXPECT_GT(world.busy(), .99);
  EXPECT_NEAR(world.share(kBatch), .6, .03);

  // A class that was idle for a minute has its share from now on, not what it missed.
  world.want({.class_id = kWeb, .jobs = 2});
  world.run_for(2s);
  world.forget();
  world.run_for(60s);
  expect_shares(world);

  world.stop(kWeb);
  world.run_for(2s);
  world.forget();
  world.run_for(60s);
  expect_shares(world, 0, .6, .4);
  EXPECT_GT(world.busy(), .99);
}

TEST(WorkerClasses, ALoneClassHasTheWholeNode) {
  ClassWorld world = world_of(kFour);
  world.want({.class_id = kCrawl});
  world.run_for(20s);
  EXPECT_GT(world.busy(), .99);
}

TEST(WorkerClasses, ThoseInNoTableAreServedAsTheDefaultClass) {
  ClassWorld world(kFour);
  world.set_tickets({{sched::class_id_of("default"), 1000}, {sched::class_id_of("web"), 3000}});
  world.want({.class_id = 77});
  world.want({.class_id = 78});
  world.want({.class_id = sched::class_id_of("web"), .jobs = 2});
  world.run_for(60s);
  EXPECT_NEAR(world.share(77) + world.share(78), .25, .0125);
}

TEST(WorkerClasses, WithoutTicketsNobodyStarvesAndNobodyCounts) {
  ClassWorld world = world_of(kFour);
  for (const ClassId class_id : {kWeb, kBatch, kCrawl}) world.want({.class_id = class_id});
  world.want({.class_id = 99, .jobs = 10});
  world.run_for(400s);
  expect_shares(world);
  EXPECT_GT(world.cpu(99), 8) << "a hundredth of 1600 CPU-seconds";
  EXPECT_LT(world.cpu(99), 32);
}

TEST(WorkerClasses, NewTicketsHoldFromNowOn) {
  ClassWorld world = world_of(kFour);
  for (const ClassId class_id : {kWeb, kBatch, kCrawl}) world.want({.class_id = class_id});
  world.run_for(30s);
  world.set_tickets({{kWeb, 400}, {kBatch, 1600}, {kCrawl, 2000}});
  world.forget();
  world.run_for(60s);
  expect_shares(world, .1, .4, .5);
}

TEST(WorkerClasses, GrantsChangeEverySecondAndSharesHoldOnAverage) {
  ClassWorld world = world_of(kFour);
  for (const ClassId class_id : {kWeb, kBatch, kCrawl}) world.want({.class_id = class_id});
  for (int second = 0; second < 120; ++second) {
    const sched::Tickets more = second % 2 == 0 ? 600 : -600;
    world.set_tickets({{kWeb, 2000 + more}, {kBatch, 1200 - more}, {kCrawl, 800}});
    world.run_for(1s);
  }
  expect_shares(world);
}

// Raising one class must not stall another that is due.
TEST(WorkerClasses, ALargeTaskOfAClassThatIsDueGetsItsRoom) {
  ClassWorld world(kFour);
  world.set_tickets({{kWeb, 2000}, {kBatch, 2000}});
  world.want({.class_id = kWeb, .task = {.cpu = 4000, .memory = 512, .custom = {}}, .lasts = 2s});
  world.want({.class_id = kBatch, .lasts = 1s, .spread = .5, .jobs = 2});
  world.run_for(300s);
  EXPECT_NEAR(world.share(kWeb), .5, .025);
}

// Room is kept of what it lacks, and not of what it does not.
TEST(WorkerClasses, WaitingForAGpuDoesNotKeepTheCpusIdle) {
  ClassWorld world({.cpu = 4000, .memory = 8192, .custom = {{"gpu", 1}}});
  world.set_tickets({{kWeb, 2000}, {kBatch, 2000}});
  world.want({.class_id = kWeb,
      .task = {.cpu = 1000, .memory = 1, .custom = {{"gpu", 1}}},
      .lasts = 30s,
      .jobs = 2});
  world.want({.class_id = kBatch});
  world.run_for(120s);
  EXPECT_GT(world.busy(), .98);
  EXPECT_NEAR(world.cpu(kWeb) / 120, world.cpu(kBatch) / 480, .05) << "of the GPU, and of CPUs";
}

TEST(WorkerClasses, TheExpressShareHoldsWhoeverIsDue) {
  ClassWorld world(kFour, 1ms, {.express_share = .25, .express_limit = 10s});
  world.set_tickets({{kWeb, 3600}, {kBatch, 400}});
  world.want({.class_id = kWeb, .lasts = 30s, .jobs = 4});
  world.want({.class_id = kBatch, .lasts = 1s});
  world.run_for(300s);
  EXPECT_NEAR(world.share(kWeb), .75, .04);
  EXPECT_GT(world.busy(), .97);
  // Web could not have what it was due, and has no claim to it later.
  world.stop(kWeb);
  world.run_for(31s);
  world.want({.class_id = kWeb, .lasts = 1s, .jobs = 2});
  world.run_for(2s);
  world.forget();
  world.run_for(60s);
  EXPECT_NEAR(world.share(kBatch), .1, .02);
}

}  // namespace
}  // namespace dunlin::test
