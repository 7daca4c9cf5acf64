// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "sched/peer_view.h"
#include "tests/scenario/replicas.h"

// Jobs of which no task runs twice, in whole peers: workers and homes die at any moment, also both,
// and words are lost. What was handed out and is not heard of ends as lost.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::JobState;
using sched::Outcome;
using sched::TaskState;

class Rerun : public Replicas {
 protected:
  static sched::Job never(sched::Job job) {
    job.rerun = sched::Rerun::never;
    job.on_preempt = sched::OnPreempt::never;
    return job;
  }
};

/// Counts the tasks of a job that began more than once in a world.
class Starts {
 public:
  Starts(World& world, const JobId& job) {
    world.on_event = [this, job](std::size_t, const sched::Event& event) {
      const auto* const started = std::get_if<sched::TaskStarted>(&event);
      if (started != nullptr && started->job == job) ++begun_[started->index];
    };
  }
  std::size_t tasks() const { return begun_.size(); }
  std::size_t twice() const {
    std::size_t count = 0;
    for (const auto& [index, times] : begun_) count += times > 1 ? 1 : 0;
    return count;
  }

 private:
  std::map<std::uint32_t, int> begun_;
};

TEST_F(Rerun, TasksOfADeadWorkerEndAsLost) {
  const JobId id = world.submit(0, never(job(16, lasting(20s)))).value();
  const Starts starts(world, id);
  world.run_for(5s);
  world.crash(3);
  ASSERT_TRUE(finishes(id, 300s));
  const JobState& ended = *find(id);
  EXPECT_GT(ended.counts()[TaskState::failed], 0u);
  EXPECT_EQ(ended.counts()[TaskState::failed] + ended.counts()[TaskState::succeeded], 16u);
  EXPECT_EQ(ended.progress().ended->worst, Outcome::lost);
  EXPECT_EQ(starts.twice(), 0u);
  EXPECT_EQ(world.failure(), "");
}

// Each seed: the home dies at a moment drawn, and with it the worker that may be the only one to
// know of a task; words are lost and doubled, and disks are late.
TEST_F(Rerun, NoTaskRunsTwiceThoughHomeAndWorkerDieTogether) {
  std::size_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    World each{{.seed = seed,
        .network = {.loss = 0.1, .duplication = 0.1, .straggling = 0.05},
        .commit_max = 200ms}};
    each.add(4, {});
    each.run_for(5s);
    overlay::Rng rng(seed);
    const JobId id = each.submit(0, never(job(20, lasting(3s)))).value();
    const Starts starts(each, id);
    ASSERT_TRUE(each.run_until([&] { return each.all_durable(); }, 5s));
    const auto dies = each.now() + rng.between(sched::Duration{0}, 3s);
    for (const std::size_t node : {0u, 1u + rng.below(3)}) {
      each.at(dies, [&each, node] { each.crash(node); });
      each.at(dies + 200ms + rng.between(sched::Duration{0}, 2s),
          [&each, node] { each.restart(node); });
    }
    each.run_for(8s);
    ASSERT_TRUE(each.run_until(
        [&] {
          const JobState* const found = sched::find_job(each.peer(0), id);
          return found != nullptr && found->finished();
        },
        300s));
    const JobState& ended = *sched::find_job(each.peer(0), id);
    const std::uint32_t failed = ended.counts()[TaskState::failed];
    EXPECT_EQ(failed + ended.counts()[TaskState::succeeded], 20u);
    if (failed > 0) {
      EXPECT_EQ(ended.progress().ended->worst, Outcome::lost);
    }
    EXPECT_EQ(starts.twice(), 0u);
    EXPECT_EQ(each.failure(), "");
    lost += failed;
  }
  EXPECT_GT(lost, 0u);
}

TEST_F(Rerun, NoTaskRunsTwiceThoughAStandbyGoesOn) {
  const JobId id = world.submit(0, never(replicated(200, 4s))).value();
  const Starts starts(world, id);
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s));
  world.run_for(6s);
  // With the home a worker dies that no other node knows to have tasks.
  std::size_t other = 1;
  // It keeps no books, which would go with two of their voters.
  const auto keeps_books = [&](std::size_t node) {
    const auto* const cells = world.peer(node).cells();
    return cells != nullptr && !cells->hosted().empty();
  };
  while (other < 7 && (other == standby_of(0) || keeps_books(other))) ++other;
  world.crash(0);
  world.erase_disk(0);
  world.crash(other);
  ASSERT_TRUE(world.run_until([&] { return find(id) != nullptr; }, 60s)) << "no takeover";
  ASSERT_TRUE(finishes(id, 600s));
  const JobState& ended = *find(id);
  EXPECT_EQ(ended.job().rerun, sched::Rerun::never);
  EXPECT_EQ(ended.counts()[TaskState::failed] + ended.counts()[TaskState::succeeded], 200u);
  EXPECT_EQ(starts.twice(), 0u);
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
