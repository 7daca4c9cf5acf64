// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/ledger/class_name.h"
#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

// Three classes share a cluster of three cells: from a job's class to what runs.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::ClassId;

const std::map<std::string, std::int64_t> kShares = {{"crawl", 2}, {"train", 3}, {"web", 5}};

class ClassShares : public ::testing::Test {
 protected:
  explicit ClassShares(std::uint32_t cpus_each = 4) : cpus(cpus_each) {}

  static WorldOptions options() {
    WorldOptions options{.seed = 11, .codec = false, .check = false};  // Others look at those.
    options.params.sharing.cell.cell_size = 3;
    options.params.sharing.cell.period = 2s;
    return options;
  }
  void SetUp() override {
    world.add(9, {.total = {.cpu = 1000 * cpus, .memory = 8192, .custom = {}}});
    world.run_for(5s);
    sched::books::Classes classes{.version = 1, .classes = {}};
    for (const auto& [name, share] : kShares) {
      classes.classes.push_back(
          {.class_id = sched::class_id_of(name), .name = name, .share = share});
    }
    std::ranges::sort(classes.classes, {}, &sched::books::Class::class_id);
    ASSERT_TRUE(world.set_classes(0, classes));
    ASSERT_TRUE(world.run_until([&] { return granted(); }, 240s));
  }
  bool granted() const {
    for (std::size_t i = 0; i < world.size(); ++i) {
      const auto* cells = world.peer(i).cells();
      if (cells == nullptr || !cells->granted(world.now())) return false;
    }
    return true;
  }
  /// Jobs at three nodes, with work for all of the cluster.
  void want(const std::string& name, Duration lasts) {
    const auto count = static_cast<std::uint32_t>(9 * cpus * 400s / lasts / 3);
    for (const std::size_t node : {0u, 4u, 8u}) {
      auto job = test::job(count, lasting(lasts));
      job.service_class = name;
      const auto id = world.submit(node, job);
      ASSERT_TRUE(id) << id.error().text;
    }
  }
  /// CPU-seconds of each class for so long, sampled ten times a second.
  std::map<std::string, double> measure(Duration span) {
    std::map<std::string, double> cpu;
    for (Duration passed{0}; passed < span; passed += 100ms) {
      world.run_for(100ms);
      for (std::size_t i = 0; i < world.size(); ++i) {
        const auto* worker = world.peer(i).worker();
        if (worker == nullptr) continue;
        for (const auto& running : worker->running()) {
          for (const auto& [name, share] : kShares) {
            if (running.class_id == sched::class_id_of(name)) cpu[name] += 0.1;
          }
        }
      }
    }
    return cpu;
  }

  void expect_shares(Duration span) {
    auto cpu = measure(span);
    const double all = cpu["web"] + cpu["train"] + cpu["crawl"];
    const double capacity = std::chrono::duration<double>(span).count() * 9 * cpus;
    EXPECT_GT(all, capacity * .97) << "and nothing is idle";
    for (const auto& [name, share] : kShares) {
      const double due = static_cast<double>(share) / 10;
      EXPECT_NEAR(cpu[name] / all, due, .05 * due) << name;
    }
    EXPECT_EQ(world.failure(), "");
  }

  std::uint32_t cpus;  ///< The CPUs of each node.
  World world{options()};
};

TEST_F(ClassShares, SaturatingClassesHaveTheirSharesOfTheCluster) {
  want("web", 500ms);
  want("train", 2s);
  want("crawl", 1s);
  world.run_for(20s);
  expect_shares(60s);
}

/// Nodes that run one task at a time, and few of them in a period: no class can use just what it is
/// granted there.
class ClassSharesOfSmallNodes : public ClassShares {
 protected:
  ClassSharesOfSmallNodes() : ClassShares(1) {}
};

TEST_F(ClassSharesOfSmallNodes, SaturatingClassesHaveTheirSharesOfTheCluster) {
  for (const char* const name : {"web", "train", "crawl"}) want(name, 1s);
  world.run_for(40s);
  expect_shares(120s);
  // Nobody saved anything: all wanted more than they had.
  for (std::size_t i = 0; i < world.size(); ++i) {
    for (const auto& hosted : world.peer(i).cells()->hosted()) {
      if (sched::level_of(hosted->cell()) > 0) continue;
      for (const auto& [name, share] : kShares) {
        EXPECT_LT(hosted->books().ledger().balance(sched::class_id_of(name)), 10'000) << name;
      }
    }
  }
}

TEST_F(ClassShares, WhenAllIsDoneNobodyAsksForMore) {
  for (const auto& [name, share] : kShares) {
    for (const std::size_t node : {0u, 4u, 8u}) {
      auto job = test::job(60, lasting(300ms));
      job.service_class = name;
      ASSERT_TRUE(world.submit(node, job));
    }
  }
  world.run_for(60s);
  for (std::size_t i = 0; i < world.size(); ++i) {
    const auto* worker = world.peer(i).worker();
    EXPECT_TRUE(worker == nullptr || worker->asking().empty()) << "node " << i;
    EXPECT_TRUE(worker == nullptr || worker->running().empty()) << "node " << i;
  }
  // ... nor for what a frontend has that is no more.
  want("web", 500ms);
  want("train", 500ms);
  world.run_for(5s);
  for (const std::size_t node : {0u, 4u, 8u}) world.crash(node);
  world.run_for(180s);
  for (const std::size_t node : {1u, 2u, 3u, 5u, 6u, 7u}) {
    const auto* worker = world.peer(node).worker();
    EXPECT_TRUE(worker == nullptr || worker->asking().empty()) << "node " << node;
  }
}

TEST_F(ClassShares, AnIdleShareIsLentOutAndReturned) {
  want("train", 1s);
  want("crawl", 1s);
  world.run_for(20s);
  auto lent = measure(20s);
  EXPECT_GT(lent["train"] + lent["crawl"], 20 * 36 * .97);
  want("web", 1s);
  // Its grants return with the next period, and its tasks when those of others end.
  world.run_for(6s);
  auto cpu = measure(20s);
  const double all = cpu["web"] + cpu["train"] + cpu["crawl"];
  EXPECT_GE(cpu["web"] / all, .475) << "its share, and perhaps what it has saved";
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
