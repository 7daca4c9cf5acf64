// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "sched/packing/packer.h"

// Grandl, Ananthanarayanan, Kandula, Rao, Akella: "Multi-Resource Packing for Cluster Schedulers"
// (SIGCOMM 2014), by its slides. All their examples have tasks that run for one t each.
namespace dunlin::test {
namespace {

using sched::Resources;
using sched::packing::Candidate;
using sched::packing::largest_of;
using sched::packing::Packer;
using sched::packing::Rules;
using sched::packing::sum_of;

constexpr std::uint32_t kCore = 1000;
constexpr std::uint32_t kGigabyte = 1024;
constexpr std::uint32_t kMegabytePerSecond = 1024;

Resources amounts(std::uint32_t cores, std::uint32_t gigabytes, std::uint32_t network = 0) {
  return {.cpu = cores * kCore,
      .memory = gigabytes * kGigabyte,
      .custom = {},
      .net_in = network * kMegabytePerSecond};
}

/// Tasks of one demand. Several such kinds may be of one job.
struct Kind {
  std::uint32_t job = 0;
  Resources demand;
  std::uint32_t waiting = 0;
  std::uint32_t started = 0;
};

/// When the tasks of each kind ended, in t.
using Ends = std::vector<std::vector<double>>;

/// The time at which the last task of a kind ended.
double end_of(const std::vector<double>& tasks) {
  return *std::ranges::max_element(tasks);
}

double mean_job_end(const Ends& ends) {
  double sum = 0;
  for (const auto& tasks : ends) sum += end_of(tasks);
  return sum / static_cast<double>(ends.size());
}

double mean_task_end(const Ends& ends) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& tasks : ends) {
    for (const double end : tasks) sum += end;
    count += tasks.size();
  }
  return sum / static_cast<double>(count);
}

/// Runs all tasks, round by round: `choose` names the kind of which a node with so much free starts
/// a task, until it names none.
template <typename Choose>
Ends run(const std::vector<Resources>& nodes, std::vector<Kind> kinds, Choose&& choose) {
  Ends ends(kinds.size());
  const auto waits = [](const Kind& kind) { return kind.waiting > 0; };
  for (int t = 1; std::ranges::any_of(kinds, waits) && t < 100; ++t) {
    for (const Resources& node : nodes) {
      Resources free = sched::all_of(node);
      while (const auto next = choose(free, kinds)) {
        Kind& kind = kinds[*next];
        sched::take(free, kind.demand);
        --kind.waiting;
        ++kind.started;
        ends[*next].push_back(t);
      }
    }
  }
  return ends;
}

bool may_start(const Kind& kind, const Resources& free) {
  return kind.waiting > 0 && sched::fits(kind.demand, free);
}

/// The scheduler under test, on nodes that are all like `node`.
auto packer(const Rules& rules, const Resources& node, std::uint32_t jobs) {
  return [packer = Packer(rules, node), jobs](
             const Resources& free, const std::vector<Kind>& kinds) -> std::optional<std::size_t> {
    std::vector<double> left(jobs);
    for (const Kind& kind : kinds) {
      left[kind.job] += kind.waiting * sum_of(packer.dimensions().shares(kind.demand));
    }
    std::vector<sched::packing::Job> standings(jobs);
    for (std::uint32_t job = 0; job < jobs; ++job) standings[job].submitted = job;
    std::vector<Candidate> candidates;
    std::vector<std::size_t> of_candidate;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (!may_start(kinds[i], free)) continue;
      candidates.push_back(
          {.job = kinds[i].job, .demand = &kinds[i].demand, .work_left = left[kinds[i].job]});
      of_candidate.push_back(i);
    }
    const auto chosen = packer.choose(free, packer.dimensions().all(1), standings, candidates);
    if (!chosen) return std::nullopt;
    return of_candidate[*chosen];
  };
}

// Slide 5: two nodes of 4 GB, and three tasks. A scheduler that spreads them fills no node, and the
// large one waits; a packer starts the largest first.
TEST(TetrisPaper, Slide5PacksMemory) {
  const std::vector nodes(2, amounts(16, 4));
  const std::vector<Kind> tasks = {{.demand = amounts(0, 2), .waiting = 1},
      {.demand = amounts(0, 2), .waiting = 1}, {.demand = amounts(0, 4), .waiting = 1}};
  // Slots of 4 GB: each task takes one, in the order of submission.
  const auto fair = run(nodes, tasks, [&](const Resources& free, const std::vector<Kind>& kinds) {
    std::optional<std::size_t> first;
    for (std::size_t i = kinds.size(); i-- > 0;) {
      if (kinds[i].waiting > 0 && free == sched::all_of(nodes.front())) first = i;
    }
    return first;
  });
  EXPECT_DOUBLE_EQ(mean_task_end(fair), 4.0 / 3);
  const auto packed = run(nodes, tasks, packer({}, nodes.front(), 1));
  EXPECT_DOUBLE_EQ(mean_task_end(packed), 1);
}

/// The ends of tasks that a scheduler starts by memory alone, in order: where the network is
/// demanded twice, its tasks run at half speed.
std::vector<double> ends_by_memory_alone(const Resources& node, const std::vector<Kind>& tasks) {
  std::vector<double> ends(tasks.size());
  std::vector<double> left(tasks.size(), 1.0);
  for (double now = 0; std::ranges::any_of(left, [](double each) { return each > 0; });) {
    std::vector<std::size_t> running;
    std::uint32_t memory = 0;
    std::uint32_t network = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (left[i] <= 0 || memory + tasks[i].demand.memory > node.memory) continue;
      running.push_back(i);
      memory += tasks[i].demand.memory;
      network += tasks[i].demand.net_in;
    }
    const double overload = std::max(1.0, static_cast<double>(network) / node.net_in);
    const auto time_left = [&](std::size_t i) {
      return left[i] * (tasks[i].demand.net_in > 0 ? overload : 1);
    };
    const double passed = time_left(std::ranges::min(running, {}, time_left));
    now += passed;
    for (const std::size_t i : running) {
      left[i] -= passed / (tasks[i].demand.net_in > 0 ? overload : 1);
      if (left[i] <= 1e-9) ends[i] = now;
    }
  }
  return ends;
}

// Slide 6: one node of 4 GB and 20 MB/s. Whatever is not counted is over-allocated.
TEST(TetrisPaper, Slide6PacksTheNetworkToo) {
  const Resources node = amounts(16, 4, 20);
  const std::vector<Kind> tasks = {{.demand = amounts(0, 2, 20), .waiting = 1},
      {.demand = amounts(0, 2, 20), .waiting = 1}, {.demand = amounts(0, 2), .waiting = 1}};
  EXPECT_EQ(ends_by_memory_alone(node, tasks), (std::vector<double>{2, 2, 3}));
  EXPECT_DOUBLE_EQ(mean_task_end({ends_by_memory_alone(node, tasks)}), 7.0 / 3);

  const auto packed = run({node}, tasks, packer({}, node, 1));
  EXPECT_EQ(packed, (Ends{{1}, {2}, {1}}));
  EXPECT_DOUBLE_EQ(mean_task_end(packed), 4.0 / 3);
}

// Slide 36: dominant resource fairness gives each job a third at all times, and all end late.
TEST(TetrisPaper, Slide36BeatsDominantResourceFairness) {
  const Resources node = amounts(18, 36);
  const std::vector<Kind> jobs = {{.job = 0, .demand = amounts(1, 2), .waiting = 18},
      {.job = 1, .demand = amounts(3, 1), .waiting = 6},
      {.job = 2, .demand = amounts(3, 1), .waiting = 6}};
  const Packer packing({}, node);
  std::vector<std::uint32_t> before(jobs.size());
  const auto fair = run({node}, jobs, [&](const Resources& free, const std::vector<Kind>& kinds) {
    if (free == sched::all_of(node)) {
      for (std::size_t i = 0; i < kinds.size(); ++i) before[i] = kinds[i].started;
    }
    std::optional<std::size_t> poorest;
    const auto share = [&](std::size_t i) {
      return (kinds[i].started - before[i]) *
          largest_of(packing.dimensions().shares(kinds[i].demand));
    };
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (may_start(kinds[i], free) && (!poorest || share(i) < share(*poorest))) poorest = i;
    }
    return poorest;
  });
  EXPECT_EQ(std::ranges::count(fair[0], 1.0), 6);
  EXPECT_EQ(std::ranges::count(fair[1], 1.0), 2);
  EXPECT_EQ(std::ranges::count(fair[2], 1.0), 2);
  EXPECT_DOUBLE_EQ(mean_job_end(fair), 3);

  const auto packed = run({node}, jobs, packer({}, node, 3));
  std::vector<double> ends;
  for (const auto& tasks : packed) ends.push_back(end_of(tasks));
  std::ranges::sort(ends);
  EXPECT_EQ(ends, (std::vector<double>{1, 2, 3}));
  EXPECT_DOUBLE_EQ(mean_job_end(packed), 2);
}

// Slide 37: packing alone runs the large job first. The score of remaining work turns that round,
// and the makespan is the same.
TEST(TetrisPaper, Slide37PrefersShortJobs) {
  const Resources node = amounts(2, 4);
  const std::vector<Kind> jobs = {{.job = 0, .demand = amounts(2, 3), .waiting = 6},
      {.job = 1, .demand = amounts(1, 2), .waiting = 2}};
  const auto packing_alone = run({node, node}, jobs, packer({.srtf_weight = 0}, node, 2));
  EXPECT_EQ(end_of(packing_alone[0]), 3);
  EXPECT_EQ(end_of(packing_alone[1]), 4);
  EXPECT_DOUBLE_EQ(mean_job_end(packing_alone), 3.5);

  const auto both = run({node, node}, jobs, packer({}, node, 2));
  EXPECT_EQ(end_of(both[0]), 4);
  EXPECT_EQ(end_of(both[1]), 1);
  EXPECT_DOUBLE_EQ(mean_job_end(both), 2.5);
}

// The scores of slide 37 by hand: alignments 1.75 and 1, work 10.5 and 2. So with mean A / mean P =
// .22, the small job goes first once .75 < .22 × 8.5 × the weight: from .401 on.
TEST(TetrisPaper, Slide37TurnsAtAWeightOfFourTenths) {
  const Resources node = amounts(2, 4);
  const Resources large = amounts(2, 3);
  const Resources small = amounts(1, 2);
  const auto first_at = [&](double weight) {
    const Packer packing({.srtf_weight = weight}, node);
    const std::vector<sched::packing::Job> jobs(2);
    const std::vector<Candidate> candidates = {{.job = 0, .demand = &large, .work_left = 10.5},
        {.job = 1, .demand = &small, .work_left = 2}};
    return packing.choose(node, packing.dimensions().all(1), jobs, candidates);
  };
  const Packer packing({}, node);
  const auto all = packing.dimensions().all(1);
  EXPECT_DOUBLE_EQ(packing.alignment({.demand = &large}, all, all), 1.75);
  EXPECT_DOUBLE_EQ(packing.alignment({.demand = &small}, all, all), 1);
  EXPECT_EQ(first_at(0.400), 0u);
  EXPECT_EQ(first_at(0.402), 1u);
}

}  // namespace
}  // namespace dunlin::test
