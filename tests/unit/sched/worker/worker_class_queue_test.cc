// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/ledger/class_name.h"
#include "tests/support/class_world.h"

// Classes in a worker's queue: single decisions, and what it tells of them.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::ClassId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const sched::Resources kTen{.cpu = 10'000, .memory = 10'240, .custom = {}};

template <typename Kind>
std::vector<Kind> all(const ClassWorld& world) {
  std::vector<Kind> found;
  for (const auto& [to, message] : world.sent()) {
    if (const auto* kind = std::get_if<Kind>(&message)) found.push_back(*kind);
  }
  return found;
}

TEST(ClassQueue, FreeSlotsAreDealtOutByTickets) {
  ClassWorld world(kTen, 10ms);
  world.set_tickets({{1, 5000}, {2, 3000}, {3, 2000}});
  world.want({.class_id = 9, .task = kTen, .lasts = 1s, .tasks = 1});
  world.run_for(500ms);
  for (const ClassId class_id : {1u, 2u, 3u}) world.want({.class_id = class_id});
  world.run_for(1s);
  EXPECT_EQ(world.running(1), 5u);
  EXPECT_EQ(world.running(2), 3u);
  EXPECT_EQ(world.running(3), 2u);
  EXPECT_EQ(all<sched::GetTask>(world).size(), 4u) << "one for each class, not for each slot";
}

TEST(ClassQueue, WithinAClassTheDisciplineDecides) {
  ClassWorld world({.cpu = 1000, .memory = 1024, .custom = {}});
  world.set_tickets({{1, 500}, {2, 500}});
  world.want({.class_id = 9, .lasts = 1s, .tasks = 1});
  world.run_for(500ms);
  world.want({.class_id = 1, .lasts = 1s, .tasks = 50});  // Number 2.
  world.want({.class_id = 1, .lasts = 1s, .tasks = 2});   // Number 3: the least work left.
  world.want({.class_id = 2, .lasts = 1s, .tasks = 50});
  world.run_for(4s);
  std::vector<std::uint64_t> asked;
  for (const auto& get : all<sched::GetTask>(world)) asked.push_back(get.job.home.value);
  EXPECT_THAT(asked, ElementsAre(101, 103, 104, 103, 104));
}

TEST(ClassQueue, AheadCountsTheOwnClassAndTheTurnsOfOthers) {
  ClassWorld world({.cpu = 1000, .memory = 1024, .custom = {}});
  world.set_tickets({{1, 750}, {2, 250}});
  world.want({.class_id = 9, .lasts = 1h, .tasks = 1});
  world.run_for(500ms);
  world.want({.class_id = 1, .jobs = 10});
  world.want({.class_id = 2, .jobs = 2});
  world.run_for(500ms);
  const auto queued = all<sched::Queued>(world);
  ASSERT_EQ(queued.size(), 12u);
  EXPECT_EQ(queued[9].ahead, 9u);
  EXPECT_EQ(queued[10].ahead, 3u) << "three turns of class 1 for each of class 2";
  EXPECT_EQ(queued[11].ahead, 1 + 6u);
}

TEST(ClassQueue, AFullQueueHasRoomForThoseWithLessThanTheirPart) {
  ClassWorld world({.cpu = 1000, .memory = 1024, .custom = {}}, 1ms, {.queue_max = 8});
  world.set_tickets({{1, 500}, {2, 500}});
  world.want({.class_id = 9, .lasts = 1h, .tasks = 1});
  world.run_for(500ms);
  world.want({.class_id = 1, .jobs = 10});
  world.run_for(500ms);
  EXPECT_EQ(all<sched::Bounced>(world).size(), 2u);
  world.want({.class_id = 2, .jobs = 10});
  world.run_for(500ms);
  const auto& waiting = world.worker().queue().waiting();
  EXPECT_EQ(waiting.size(), 8u);
  EXPECT_EQ(std::ranges::count(waiting, 2u,
                [](const sched::QueuedReservation& each) { return each.reserve.class_id; }),
      4);
}

TEST(ClassQueue, UsesAreOccupancyWhatWaitsAndCpuTime) {
  ClassWorld world(kTen, 2ms);
  world.set_tickets({{1, 5000}, {2, 5000}});
  world.worker().classes().take_uses(world.now(), 10'000);
  world.want(
      {.class_id = 1, .task = {.cpu = 2000, .memory = 1, .custom = {}}, .lasts = 1s, .tasks = 3});
  world.want({.class_id = 2,
      .task = {.cpu = 1000, .memory = 2048, .custom = {}},
      .lasts = 8s,
      .tasks = 40});
  world.run_for(4s);
  const auto uses = world.worker().classes().take_uses(world.now(), 10'000);
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].class_id, 1u);
  EXPECT_NEAR(static_cast<double>(uses[0].used), 2000 * 3 / 4, 20);
  EXPECT_EQ(uses[0].need, 0);
  EXPECT_NEAR(static_cast<double>(uses[0].cpu), 1000 * 3 / 4, 20) << "it waited for half of that";
  EXPECT_NEAR(static_cast<double>(uses[1].used), 9500, 20) << "of the memory";
  EXPECT_EQ(uses[1].need, 10'000) << "no more than the node has";
  EXPECT_EQ(uses[1].cpu, 0) << "none of its tasks has ended";
}

class ClassWalk : public Solo {
 protected:
  ClassWalk() {
    know_nodes(8);
    sched::NodeSpec spec;
    spec.endpoint = node(99);
    spec.total = {.cpu = 2000, .memory = 4096, .custom = {}};
    worker = std::make_unique<sched::Worker>(sched::WorkerParams{}, spec);
    worker->classes().set_tickets(
        now, std::vector<std::pair<ClassId, sched::Tickets>>{{1, 1000}, {2, 1000}});
  }
  void receive(ClassId class_id, std::uint32_t job, std::uint16_t tasks_max) {
    auto now_turn = turn();
    const sched::Reserve reserve{.job = {{100}, job},
        .probe = 1,
        .frontend = node(100).address,
        .demand = {.cpu = 1000, .memory = 1, .custom = {}},
        .constraints = {},
        .tasks_max = tasks_max,
        .walk = {.hops_left = 5},
        .class_id = class_id};
    worker->on_message(now_turn, around(), node(100), reserve);
  }
  std::size_t forwarded() const { return out.all<sched::Reserve>().size(); }
  std::size_t queued() const { return out.all<sched::Queued>().size(); }

  std::unique_ptr<sched::Worker> worker;
};

// Where nothing of a class waits, it can have no share.
TEST_F(ClassWalk, EndsWhereItsClassLacksItsShareAndDoesNotWait) {
  receive(2, 1, 2);  // Both CPUs are asked for.
  ASSERT_EQ(worker->slots().free().cpu, 0u);
  receive(1, 2, 1);
  EXPECT_EQ(forwarded(), 1u) << "a small job looks further for room";
  receive(1, 3, 64);
  EXPECT_EQ(forwarded(), 1u);
  EXPECT_EQ(queued(), 1u) << "one of many tasks stays";
  receive(1, 4, 64);
  EXPECT_EQ(forwarded(), 2u) << "its class waits here already";
  receive(2, 5, 64);
  EXPECT_EQ(forwarded(), 3u) << "this class has all of the node";
}

TEST_F(ClassWalk, GoesOnWithoutTickets) {
  worker->classes().set_tickets(now, {});
  receive(2, 1, 2);
  receive(1, 3, 64);
  EXPECT_EQ(forwarded(), 1u);
  EXPECT_EQ(queued(), 0u);
}

// Before there are any tickets, all is used by the default class: it is as if there were no others.
TEST(ClassQueue, UsesBeforeThereAreClassesAreTheDefaultClasss) {
  ClassWorld world(kTen);
  world.worker().classes().take_uses(world.now(), 10'000);
  world.want({.class_id = 1, .lasts = 1h, .tasks = 4});
  world.run_for(10s);
  const auto uses = world.worker().classes().take_uses(world.now(), 10'000);
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].class_id, sched::class_id_of(""));
  EXPECT_NEAR(static_cast<double>(uses[0].used), 4000, 10);
  // From now on what runs counts for its own class.
  world.set_tickets({{1, 5000}});
  world.run_for(10s);
  const auto later = world.worker().classes().take_uses(world.now(), 10'000);
  ASSERT_EQ(later.size(), 2u);
  EXPECT_EQ(later[0].class_id, 1u);
  EXPECT_EQ(later[0].used, 4000);
  EXPECT_EQ(later[1].used, 0) << "it was busy lately, so it is expected again";
  EXPECT_GT(later[1].soon, 0);
}

TEST(ClassQueue, NoMoreClassesAreTold) {
  ClassWorld world(kTen);
  ClassWorld::Tickets tickets;
  for (ClassId class_id = 1; class_id <= 16; ++class_id) tickets.emplace_back(class_id, 625);
  world.set_tickets(tickets);
  for (ClassId class_id = 1; class_id <= 20; ++class_id) world.want({.class_id = class_id});
  world.run_for(30s);
  const auto uses = world.worker().classes().take_uses(world.now(), 10'000);
  ASSERT_EQ(uses.size(), 16u) << "those of no class would be one too many";
  EXPECT_EQ(uses.back().class_id, 16u);
}

// A cluster without shares behaves as before.
TEST(ClassQueue, WithoutTicketsTheDisciplineAloneDecides) {
  std::vector<std::vector<std::pair<sched::Endpoint, sched::Message>>> runs;
  for (const int variant : {0, 1, 2}) {
    ClassWorld world(kTen, 5ms);
    if (variant == 1) world.worker().classes().take_uses(world.now(), 10'000);
    if (variant == 2) {
      world.set_tickets({{1, 10}, {2, 5000}});
      world.set_tickets({});
    }
    world.want({.class_id = 1, .lasts = 2s, .spread = .3, .jobs = 3, .tasks = 20});
    world.want({.class_id = 2, .lasts = 1s, .spread = .3, .jobs = 3, .tasks = 40});
    world.run_for(60s);
    runs.push_back(world.sent());
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(runs[0], runs[2]);
}

}  // namespace
}  // namespace dunlin::test
