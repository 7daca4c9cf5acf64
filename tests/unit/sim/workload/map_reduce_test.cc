// SPDX-License-Identifier: MIT
#include "sim/workload/map_reduce.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "sched/inputs/input_text.h"
#include "sim/workload/stages.h"
#include "sim/workload/task_bytes.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

class MapReduce : public ::testing::Test {
 protected:
  std::vector<Submission> all() const {
    const Machine machine{.total = {.cpu = 24000, .memory = 65536, .custom = {}}, .attributes = {}};
    MapReduceWorkload workload(params, map_reduce, std::vector<Machine>(10, machine), Rng{7});
    std::vector<Submission> jobs;
    while (auto next = workload.next()) jobs.push_back(*std::move(next));
    return jobs;
  }
  /// Of the logarithms of the CPUs and of the reading of maps.
  static double correlation(const std::vector<Submission>& jobs) {
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    const auto n = static_cast<double>(jobs.size());
    for (const Submission& each : jobs) {
      const sched::Resources& map = each.job.groups[0].demand;
      const double a = std::log(map.cpu), b = std::log(map.disk_read);
      x += a / n, y += b / n, xx += a * a / n, yy += b * b / n, xy += a * b / n;
    }
    return (xy - x * y) / std::sqrt((xx - x * x) * (yy - y * y));
  }

  WorkloadParams params{.jobs_max = 2000, .first_job = 5s};
  MapReduceParams map_reduce;
};

TEST_F(MapReduce, JobsHaveTwoStagesWithinTheirBounds) {
  Time last{5s};
  const auto jobs = all();
  ASSERT_EQ(jobs.size(), 2000u);
  for (const Submission& each : jobs) {
    EXPECT_GE(each.at, last);
    last = each.at;
    ASSERT_EQ(each.job.groups.size(), 2u);
    const sched::TaskGroup& map = each.job.groups[0];
    const sched::TaskGroup& reduce = each.job.groups[1];
    EXPECT_GE(map.count, 8u);
    EXPECT_LE(map.count, 400u);
    EXPECT_GE(reduce.count, std::floor(0.1 * map.count));
    EXPECT_LE(reduce.count, std::ceil(0.5 * map.count));
    EXPECT_GE(map.demand.disk_read, 5 * 1024u);
    EXPECT_LE(map.demand.disk_read, 100 * 1024u);
    EXPECT_EQ(map.demand.net_in, 0u);
    EXPECT_GE(reduce.demand.net_in, 5 * 1024u);
    EXPECT_EQ(reduce.demand.disk_read, 0u);
    EXPECT_EQ(use_of(map, 0, sched::InputPlace::none), map.demand);
  }
  EXPECT_LE(last, Time{305s});
}

TEST_F(MapReduce, DemandsCorrelateAsAskedFor) {
  EXPECT_NEAR(correlation(all()), 0, 0.07);
  map_reduce.correlation = 0.8;
  EXPECT_NEAR(correlation(all()), 0.8, 0.07);
}

TEST_F(MapReduce, ErrorsChangeWhatIsStatedAndNotWhatIsTaken) {
  const auto exact = all();
  map_reduce.estimate_error = 0.5;
  const auto stated = all();
  bool differs = false;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const sched::TaskGroup& map = stated[i].job.groups[0];
    const sched::Resources real = exact[i].job.groups[0].demand;
    EXPECT_EQ(use_of(map, 0, sched::InputPlace::none), real);
    EXPECT_EQ(map.demand.memory, real.memory) << "memory is rigid";
    EXPECT_NEAR(map.demand.cpu, real.cpu, 0.5 * real.cpu + 1);
    differs = differs || map.demand.cpu != real.cpu;
  }
  EXPECT_TRUE(differs);
}

TEST_F(MapReduce, InputsAreAtDifferentMachinesDrawnByChance) {
  params.jobs_max = 50;
  const auto without = all();
  map_reduce.input_replicas = 3;
  const auto with = all();
  ASSERT_EQ(with.size(), without.size());
  for (std::size_t i = 0; i < with.size(); ++i) {
    const sched::TaskGroup& map = with[i].job.groups[0];
    const sched::TaskGroup& before = without[i].job.groups[0];
    EXPECT_TRUE(has_sound_inputs(map));
    EXPECT_EQ(map.inputs.tasks.size(), map.count);
    EXPECT_EQ(map.count, before.count) << "the same jobs";
    for (const auto& set : map.inputs.sets) {
      EXPECT_NE(set[0], set[1]);
      EXPECT_NE(set[2], sched::GroupInputs::kNone);
      EXPECT_EQ(set[3], sched::GroupInputs::kNone);
    }
    for (const auto& node : map.inputs.nodes) EXPECT_LE(node.id.value, 10u);
    EXPECT_EQ(map.inputs.disk_read, before.demand.disk_read);
    EXPECT_EQ(map.demand.net_in, before.demand.disk_read);
    EXPECT_EQ(use_of(map, 0, sched::InputPlace::here).disk_read, before.demand.disk_read);
    const sched::Resources remote = use_of(map, 0, sched::InputPlace::elsewhere);
    EXPECT_EQ(remote.disk_read, 0u);
    EXPECT_EQ(remote.net_in, before.demand.disk_read);
    EXPECT_EQ(use_at_source(remote).net_out, before.demand.disk_read);
    EXPECT_TRUE(with[i].job.groups[1].inputs.empty());
  }
}

TEST_F(MapReduce, StagesSplitIntoJobsThatWaitForEachOther) {
  const Submission whole = all().front();
  const auto stages = split_stages(whole);
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_TRUE(stages[0].parents.empty());
  EXPECT_EQ(stages[1].parents, std::vector{stages[0].facts.key});
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(stages[i].facts.whole, whole.facts.key);
    EXPECT_EQ(stages[i].job.groups.front().count, whole.job.groups[i].count);
    EXPECT_EQ(stages[i].facts.mean, whole.job.groups[i].duration);
  }
}

TEST_F(MapReduce, SpansAreRead) {
  EXPECT_EQ(parse_span("x", "5-100")->max, 100);
  EXPECT_EQ(parse_span("x", "7")->min, 7);
  EXPECT_EQ(parse_span("x", "0")->max, 0);
  for (const char* wrong : {"", "a", "5-", "-5", "9-2", "0-2", "1-2-3"}) {
    const auto span = parse_span("x", wrong);
    ASSERT_FALSE(span) << wrong;
    EXPECT_NE(span.error().text.find("mapreduce.x"), std::string::npos);
  }
}

}  // namespace
}  // namespace dunlin::sim
