// SPDX-License-Identifier: MIT
// Packing in whole peers: reservations walk and wait, workers choose, frontends hand out.
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "sched/peer_view.h"
#include "sched/worker/worker.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::DisciplineName;
using sched::Resources;

constexpr std::uint32_t kMegabyte = 1024;  ///< A second, in KiB.

class Packing : public ::testing::Test {
 protected:
  static constexpr sched::Duration kTask = 10s;

  static WorldOptions options(DisciplineName discipline, double srtf_weight) {
    WorldOptions options{.seed = 11};
    options.params.worker.discipline = discipline;
    options.params.worker.srtf_weight = srtf_weight;
    return options;
  }
  static Resources amounts(std::uint32_t cpu, std::uint32_t memory, std::uint32_t net_in = 0) {
    return {.cpu = cpu, .memory = memory, .custom = {}, .net_in = net_in * kMegabyte};
  }

  void start(DisciplineName discipline,
      std::size_t nodes,
      const Resources& total,
      double srtf_weight = 1) {
    jobs.clear();
    world = std::make_unique<World>(options(discipline, srtf_weight));
    world->add(nodes, {.total = total});
    world->run_for(5s);
  }
  void submit(std::uint32_t count, const Resources& demand) {
    sched::Job wanted = job(count, lasting(kTask));
    wanted.groups[0].demand = demand;
    wanted.groups[0].duration = kTask;
    const auto id = world->submit(0, wanted);
    ASSERT_TRUE(id);
    jobs.push_back(*id);
    world->run_for(500ms);
  }
  /// When each job ended, in task lengths from now, rounded: what is not packed takes one more.
  std::vector<int> ends() {
    const sched::Time begin = world->now();
    std::vector<int> rounds;
    for (const auto& id : jobs) {
      EXPECT_TRUE(world->run_until([&] { return state(id).finished().has_value(); }, 300s))
          << world->failure();
    }
    for (const auto& id : jobs) {
      rounds.push_back(static_cast<int>((*state(id).finished() - begin + kTask / 2) / kTask));
    }
    return rounds;
  }
  const sched::JobState& state(const sched::JobId& id) const {
    return *sched::find_job(world->peer(0), id);
  }

  std::unique_ptr<World> world;
  std::vector<sched::JobId> jobs;
};

// Slide 5: two nodes of 4 GB, full for a while. Then the large task starts on one of them, and the
// two small ones share the other.
TEST_F(Packing, TheLargestTaskIsNotLeftOver) {
  start(DisciplineName::tetris, 2, amounts(4000, 4096), 0);
  submit(2, amounts(4000, 4096));
  submit(1, amounts(500, 2048));
  submit(1, amounts(500, 2048));
  submit(1, amounts(500, 4096));
  EXPECT_EQ(ends(), (std::vector{1, 2, 2, 2}));
}

// Slide 6: what needs the network waits for it, and nothing else does.
TEST_F(Packing, TheNetworkIsNotOverAllocated) {
  start(DisciplineName::tetris, 1, amounts(4000, 4096, 20));
  submit(1, amounts(500, 2048, 20));
  submit(1, amounts(500, 2048, 20));
  submit(1, amounts(500, 2048));
  EXPECT_EQ(ends(), (std::vector{1, 2, 1}));
}

// A node that fills with one kind of tasks has nothing of that resource left for others, and too
// much of the rest.
TEST_F(Packing, TasksThatGoTogetherRunTogether) {
  const auto longest = [&](DisciplineName discipline) {
    start(discipline, 1, amounts(4000, 8192, 100));
    submit(4, amounts(1000, 100));
    submit(8, amounts(1000, 100));
    submit(8, amounts(500, 100, 50));
    return std::ranges::max(ends());
  };
  const int packed = longest(DisciplineName::tetris);
  EXPECT_EQ(packed, 5);
  EXPECT_GT(longest(DisciplineName::fifo), packed);
}

// All that workers rank by comes from one frontend here: they hear how jobs stand.
TEST_F(Packing, WorkersHearHowJobsStand) {
  start(DisciplineName::tetris, 3, amounts(4000, 8192));
  submit(12, amounts(1000, 100));
  submit(40, amounts(1000, 100));
  world->run_for(6s);
  std::size_t waiting = 0;
  for (std::size_t node = 0; node < world->size(); ++node) {
    const sched::Worker* worker = world->peer(node).worker();
    if (worker == nullptr) continue;
    for (const auto& each : worker->queue().waiting()) {
      ++waiting;
      EXPECT_FALSE(each.reserve.extent.empty());
      EXPECT_TRUE(each.held);
    }
  }
  EXPECT_GT(waiting, 0u);
}

TEST_F(Packing, OthersHearNothingOfIt) {
  start(DisciplineName::shortest, 2, amounts(2000, 8192));
  std::size_t words = 0;
  world->filter([&](std::size_t, std::size_t, const AnyMessage& message) {
    if (const auto* said = std::get_if<sched::Message>(&message)) {
      if (std::holds_alternative<sched::TellExtent>(*said)) ++words;
      if (const auto* queued = std::get_if<sched::Queued>(said)) {
        EXPECT_FALSE(queued->packs);
      }
      const auto* reserve = std::get_if<sched::Reserve>(said);
      if (reserve != nullptr) {
        EXPECT_TRUE(reserve->extent.empty());
      }
    }
    return 1u;
  });
  submit(16, amounts(1000, 100));
  EXPECT_EQ(ends(), (std::vector{4}));
  EXPECT_EQ(words, 0u);
}

}  // namespace
}  // namespace dunlin::test
