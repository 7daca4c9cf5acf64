// SPDX-License-Identifier: MIT
#include <utility>
#include <vector>

#include "sched/worker/worker.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

// A worker where classes have tickets, and a gang that waits there for slots.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::GetTask;

constexpr std::uint32_t kSilverJob = 1;
constexpr std::uint32_t kGangJob = 9;

/// Four CPUs, all of which run long tasks of class 2, and more of these wait. Half is class 1's.
class WorkerGang : public Solo {
 protected:
  WorkerGang() : worker(params(), LooseParts::node_of(4000)) {
    worker.classes().set_tickets(
        now, std::vector<std::pair<sched::ClassId, sched::Tickets>>{{1, 2000}, {2, 2000}});
    come(reserve(kSilverJob, 2));
    sched::Tasks tasks = answer_to(out.only<GetTask>(), {0, 1, 2, 3});
    tasks.remaining = 8;
    tasks.task_time = tasks.work = 1000s;
    tasks.spec = Script{.duration = 1000s}.spec();
    hear(tasks);
    sched::Reserve gang = reserve(kGangJob, 1);
    gang.gang = true;
    come(gang);
    now += 10s;
    out.clear();
  }
  static sched::WorkerParams params() {
    sched::WorkerParams params;
    params.ask_timeout = 100ms;
    params.ask_tries = 2;
    params.express_share = 0;
    return params;
  }
  static sched::Reserve reserve(std::uint32_t job, sched::ClassId class_id) {
    sched::Reserve reserve = reserve_of(job, 1000s);
    reserve.class_id = class_id;
    reserve.tasks_max = 8;
    reserve.settled = true;
    return reserve;
  }
  void come(const sched::Reserve& reserve) {
    auto now_turn = turn();
    worker.on_message(now_turn, around(), node(99), reserve);
  }
  void hear(const sched::Tasks& tasks) {
    auto now_turn = turn();
    worker.on_message(now_turn, node(99), tasks);
  }
  /// A task of class 2 ends; returns what is asked for in its place.
  GetTask end(std::uint32_t index) {
    out.clear();
    auto now_turn = turn();
    worker.on_exits(now_turn, around(),
        std::vector<sched::Exit>{
            {.job = reserve_of(kSilverJob).job, .report = {.index = index, .attempt = 1}}});
    return out.only<GetTask>();
  }
  void keep(const GetTask& asked) {
    sched::Tasks tasks = answer_to(asked, {});
    tasks.gathers = true;
    tasks.remaining = 8;
    tasks.task_time = tasks.work = 1000s;
    hear(tasks);
  }
  void hold_for_a_minute() {
    for (int second = 0; second < 60; ++second) {
      now += 1s;
      const std::vector<sched::PendingRequest> asking = worker.asking();
      for (const sched::PendingRequest& each : asking) {
        GetTask asked;
        asked.job = each.reservation.reserve.job;
        asked.request = each.request;
        keep(asked);
      }
    }
  }
  void wake() {
    out.clear();
    now = worker.deadline();
    auto now_turn = turn();
    worker.wake(now_turn);
  }

  sched::Worker worker;
};

TEST_F(WorkerGang, GetsSlotAfterSlotWhenItIsTheTurnOfItsClass) {
  const GetTask first = end(0);
  EXPECT_EQ(first.job.number, kGangJob);
  EXPECT_EQ(first.room, 1u);
  keep(first);
  const GetTask second = end(1);
  EXPECT_EQ(second.job.number, kGangJob) << "its reservation waits on";
  EXPECT_NE(second.request, first.request) << "and what it has is kept";
  keep(second);
  EXPECT_EQ(worker.slots().free().cpu, 0u);
  // All of them are there: it begins.
  for (const GetTask& asked : {first, second}) {
    sched::Tasks tasks = answer_to(asked, {asked.request});
    tasks.spec = Script{.duration = 1s}.spec();
    hear(tasks);
  }
  EXPECT_EQ(worker.running().size(), 4u);
}

// What it holds counts as used, so its class has no more than others would have.
TEST_F(WorkerGang, HoldsNoMoreThanTheShareOfItsClassInTheLongRun) {
  keep(end(0));
  keep(end(1));
  // Both classes hold a half, and the gang's is behind by the ten seconds that it waited.
  hold_for_a_minute();
  const GetTask third = end(2);
  keep(third);
  EXPECT_EQ(third.job.number, kGangJob);
  // It holds three quarters: that is paid for.
  hold_for_a_minute();
  EXPECT_EQ(end(3).job.number, kSilverJob) << "it is the turn of the other class";
}

TEST_F(WorkerGang, OthersHaveTheSlotsOfAFrontendThatIsSilent) {
  keep(end(0));
  int asks = 0;
  for (int i = 0; i < 200 && worker.asking().size() == 1 &&
      worker.asking()[0].reservation.reserve.job.number == kGangJob;
      ++i) {
    wake();
    for (const GetTask& asked : out.all<GetTask>()) asks += asked.job.number == kGangJob ? 1 : 0;
  }
  EXPECT_EQ(asks, 4) << "worker.ask_tries for what was kept, and as many for what waited on";
  EXPECT_EQ(worker.slots().free().cpu, 0u);
  ASSERT_EQ(worker.asking().size(), 1u);
  EXPECT_EQ(worker.asking()[0].reservation.reserve.job.number, kSilverJob);
}

TEST_F(WorkerGang, ANodeThatDrainsKeepsNothing) {
  const GetTask asked = end(0);
  auto now_turn = turn();
  worker.drain(now_turn, around(), true);
  keep(asked);
  EXPECT_TRUE(worker.asking().empty());
}

}  // namespace
}  // namespace dunlin::test
