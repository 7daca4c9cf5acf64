// SPDX-License-Identifier: MIT
// Federated placement: classes that share the cluster (Megha, section IV-C and figure 10).
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sched/ledger/class_name.h"
#include "tests/scenario/federated.h"

namespace dunlin::test {
namespace {

/// The queues of the paper: the first at one global master, two at another, the last at a third.
struct Queue {
  const char* name;
  int share;
  std::size_t master;
};
constexpr std::array<Queue, 4> kQueues = {{{"a", 10, 0}, {"b", 25, 1}, {"c", 15, 1}, {"d", 50, 2}}};

class FederationShares : public FederationScenario {
 protected:
  void begin() {
    auto shared = options(sched::PlacementName::federated);
    shared.params.worker.preempt = sched::PreemptMode::share;
    shared.params.federation.park = false;
    form(shared);
    sched::books::Classes classes{.version = 1, .classes = {}};
    for (const Queue& queue : kQueues) {
      classes.classes.push_back(
          {.class_id = sched::class_id_of(queue.name), .name = queue.name, .share = queue.share});
    }
    std::ranges::sort(classes.classes, {}, &sched::books::Class::class_id);
    ASSERT_TRUE(world->set_classes(0, classes));
    world->run_for(10s);
    for (const std::size_t node : {0u, 1u, 2u}) lead(node);
    world->on_event = [this](std::size_t at, const sched::Event& event) {
      note(at, event);
      if (std::holds_alternative<sched::PreemptionAsked>(event)) ++asked;
      if (std::holds_alternative<sched::TaskPreempted>(event)) ++preempted;
    };
  }
  JobId want(const Queue& queue, std::uint32_t tasks, Duration lasts) {
    auto work = job(tasks, lasting(lasts));
    work.service_class = queue.name;
    work.on_preempt = sched::OnPreempt::requeue;
    return *world->submit(queue.master, work);
  }
  /// Milli-CPU that run of the class now.
  std::uint32_t held(const Queue& queue) const {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < world->size(); ++i) {
      const sched::Worker* const worker = world->peer(i).worker();
      if (worker == nullptr) continue;
      for (const sched::RunningTask& running : worker->running()) {
        if (running.class_id == sched::class_id_of(queue.name)) sum += running.demand.cpu;
      }
    }
    return sum;
  }
  static constexpr double kCapacity = 1000.0 * 4 * kFederatedNodes;
  int asked = 0;
  int preempted = 0;
};

TEST_F(FederationShares, ABacklogOfEachClassGetsItsShare) {
  begin();
  // The class of the smallest share has all of the cluster, with tasks that would keep it.
  want(kQueues[0], 400, 1000s);
  world->run_for(5s);
  EXPECT_NEAR(held(kQueues[0]), kCapacity, 1);
  EXPECT_EQ(preempted, 0) << "no other class wants anything";
  for (std::size_t i = 1; i < kQueues.size(); ++i) want(kQueues[i], 400, 1000s);
  world->run_for(60s);
  for (const Queue& queue : kQueues) {
    EXPECT_NEAR(held(queue) / kCapacity, queue.share / 100.0, .02) << queue.name;
  }
  EXPECT_GE(preempted, 36) << "those that were in the way";
  EXPECT_LE(preempted, 60);
  EXPECT_GE(asked, preempted);
  const int before = preempted;
  world->run_for(60s);
  EXPECT_LE(preempted - before, 2) << "and then no class takes from another";
  EXPECT_EQ(world->failure(), "");
}

// Tasks end all the time, and what frees goes by the tickets of each node; one class is served by
// two global masters.
TEST_F(FederationShares, ClassesHaveTheirSharesOfTheTimeToo) {
  begin();
  for (const Queue& queue : kQueues) want(queue, 900, 4s);
  want({.name = "d", .share = 50, .master = 0}, 400, 4s);
  world->run_for(60s);
  std::map<std::string, double> held_for;
  constexpr int kSamples = 300;
  for (int i = 0; i < kSamples; ++i) {
    world->run_for(200ms);
    for (const Queue& queue : kQueues) held_for[queue.name] += held(queue) / kCapacity / kSamples;
  }
  for (const Queue& queue : kQueues) {
    EXPECT_NEAR(held_for[queue.name], queue.share / 100.0, .02) << queue.name;
  }
  EXPECT_EQ(world->failure(), "");
}

TEST_F(FederationShares, WithoutContentionNothingIsStopped) {
  begin();
  std::vector<std::pair<std::size_t, JobId>> jobs;
  for (int round = 0; round < 20; ++round) {
    for (const Queue& queue : kQueues) jobs.emplace_back(queue.master, want(queue, 5, 1s));
    world->run_for(3s);
  }
  for (const auto& [node, id] : jobs) ASSERT_TRUE(finish(node, id));
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(preempted, 0);
}

}  // namespace
}  // namespace dunlin::test
