// SPDX-License-Identifier: MIT
#include "sched/frontend/table/standby_counts.h"

#include <cstdint>
#include <gmock/gmock.h>
#include <iterator>
#include <utility>
#include <vector>

#include "sched/frontend/job_table.h"
#include "sched/frontend/table/forget_history.h"
#include "tests/support/own_job.h"

// Whatever happens to jobs, their table knows how many standbys they want and require as a walk
// over all of them finds it.
namespace dunlin::test {
namespace {

using sched::Job;
using sched::JobState;
using sched::JobTable;
using sched::StandbyCounts;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// What a walk over all jobs finds.
struct CountsByWalk {
  StandbyCounts::Counts replicas;
  StandbyCounts::Counts required;
  StandbyCounts::Counts required_by_active;

  explicit CountsByWalk(const JobTable& table) {
    for (const auto& [number, job] : table.all()) {
      if (job.job().replicas > 0) ++replicas[job.job().replicas];
      if (job.job().replicas_required == 0) continue;
      ++required[job.job().replicas_required];
      if (!job.finished()) ++required_by_active[job.job().replicas_required];
    }
  }
};

/// A table of jobs to which anything may happen.
class StandbyCountsTest : public OwnJob {
 protected:
  StandbyCountsTest() { params.history_min = sched::Duration{0}; }

  void step() {
    now += std::chrono::milliseconds(1);
    const std::uint32_t kind = rng.below(8);
    if (kind < 3 || table.all().empty()) {
      const auto replicas = static_cast<std::uint8_t>(rng.below(4));
      add(replicas, static_cast<std::uint8_t>(rng.below(std::uint32_t{replicas} + 1)));
    } else if (kind == 3) {
      params.history_max = rng.below(8);
      auto now_turn = turn();
      forget_history(now_turn, table, params);
    } else {
      const auto at = std::next(table.all().begin(),
          static_cast<std::ptrdiff_t>(rng.below(static_cast<std::uint32_t>(table.all().size()))));
      act(*table.find(at->second.id()), kind);
    }
    table.note_changes();
  }
  JobState& add(std::uint8_t replicas, std::uint8_t required) {
    Job made = test::job(1);
    made.id = table.next_id(1);
    made.replicas = replicas;
    made.replicas_required = required;
    return table.add(JobState(std::move(made), now));
  }
  void end(JobState& job) {
    job.cancel_all();
    table.finish(job, now);
  }
  const StandbyCounts& counts() const { return table.indexes().standbys(); }

  JobTable table{kHome};

 private:
  void act(JobState& job, std::uint32_t kind) {
    if (!job.finished()) return end(job);
    if (kind > 5) return;
    const Job stored = job.job();
    job.retry(std::vector<std::uint32_t>{0}, &stored);
    table.go_on(job);
  }
};

TEST_F(StandbyCountsTest, ATableKnowsWhatAWalkOverItsJobsFinds) {
  constexpr int kSeeds = 50;
  constexpr int kSteps = 150;
  int fewer = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    rng = sched::Rng(seed);
    table = JobTable(kHome);
    for (int i = 0; i < kSteps; ++i) {
      step();
      const CountsByWalk found(table);
      ASSERT_EQ(counts().replicas(), found.replicas) << "seed " << seed << ", step " << i;
      ASSERT_EQ(counts().required(), found.required) << "seed " << seed << ", step " << i;
      ASSERT_EQ(counts().required_by_active(), found.required_by_active)
          << "seed " << seed << ", step " << i;
      fewer += sched::max_of(found.required_by_active) < sched::max_of(found.required) ? 1 : 0;
    }
  }
  EXPECT_GT(fewer, kSeeds);
}

TEST_F(StandbyCountsTest, AJobThatHasEndedRequiresNoneButWantsSomeUntilItIsForgotten) {
  add(1, 0);
  JobState& job = add(3, 2);
  table.note_changes();
  EXPECT_THAT(counts().replicas(), ElementsAre(Pair(1, 1u), Pair(3, 1u)));
  EXPECT_THAT(counts().required_by_active(), ElementsAre(Pair(2, 1u)));
  end(job);
  add(0, 0);
  EXPECT_THAT(counts().required_by_active(), IsEmpty());
  EXPECT_EQ(sched::max_of(counts().required()), 2);
  EXPECT_EQ(sched::max_of(counts().replicas()), 3);
  params.history_max = 0;
  auto now_turn = turn();
  forget_history(now_turn, table, params);
  EXPECT_EQ(sched::max_of(counts().required()), 0);
  EXPECT_EQ(sched::max_of(counts().replicas()), 1);
}

}  // namespace
}  // namespace dunlin::test
