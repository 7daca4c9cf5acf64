// SPDX-License-Identifier: MIT
#include "sim/workload/whole_trace.h"

#include <gtest/gtest.h>

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Submission stage(std::uint64_t family, std::uint64_t key, std::vector<std::uint64_t> parents = {}) {
  Submission made{.at = Time{} + std::chrono::seconds(key),
      .facts = {.key = key, .family = family, .longest = 2s, .mean = 2s},
      .parents = std::move(parents)};
  sched::TaskGroup& group = made.job.groups.emplace_back();
  group.count = 3;
  group.spec = duration_bytes(2s);
  return made;
}

class Listed final : public Workload {
 public:
  explicit Listed(std::vector<Submission> all) : all_(std::move(all)) {}
  std::optional<Submission> next() override {
    if (next_ == all_.size()) return std::nullopt;
    return all_[next_++];
  }
  std::uint64_t left_out() const override { return 7; }

 private:
  std::vector<Submission> all_;
  std::size_t next_ = 0;
};

WholeTrace whole(std::vector<Submission> stages, TraceRates rates = TraceRates::none) {
  TraceParams params;
  params.rates = rates;
  const sched::Resources machine{
      .cpu = 1000, .memory = 1, .custom = {}, .disk_read = 1024 * 20, .net_in = 1024};
  return WholeTrace(std::make_unique<Listed>(std::move(stages)), params, {}, machine, Rng{1});
}

TEST(WholeTrace, StagesOfAFamilyAreOneJobWithTheirOrder) {
  auto trace = whole({stage(5, 1), stage(6, 2), stage(5, 3, {1}), stage(5, 4, {1, 3, 99})});
  EXPECT_EQ(trace.left_out(), 7u);
  const auto first = trace.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->at, Time{} + 1s);
  ASSERT_EQ(first->job.groups.size(), 3u);
  EXPECT_TRUE(first->job.groups[0].after.empty());
  EXPECT_EQ(first->job.groups[1].after, (std::vector<std::uint16_t>{0}));
  EXPECT_EQ(first->job.groups[2].after, (std::vector<std::uint16_t>{0, 1})) << "99 was left out";
  EXPECT_TRUE(first->parents.empty());
  EXPECT_EQ(first->facts.whole, first->facts.key);
  EXPECT_EQ(first->facts.mean, 2s);
  EXPECT_EQ(trace.next()->job.groups.size(), 1u);
  EXPECT_FALSE(trace.next());
}

// Its first stage's deadline was that of all of them.
TEST(WholeTrace, TheDeadlineIsThatOfTheWholeJob) {
  TraceParams params;
  params.deadline_factor = 2;
  params.deadline_slots = 3;
  WholeTrace trace(std::make_unique<Listed>(std::vector<Submission>{
                       stage(5, 1), stage(5, 2, {1}), stage(5, 3, {1, 2}), stage(6, 4)}),
      params, {}, {.cpu = 1000, .memory = 1, .custom = {}}, Rng{1});
  EXPECT_EQ(trace.next()->job.deadline, 12s) << "2 x the chain of three stages of 2 s";
  EXPECT_EQ(trace.next()->job.deadline, 4s);
  params.deadline_slots = 1;
  EXPECT_EQ(deadline_of_whole(params, stage(5, 1)), 12s) << "2 x three tasks of 2 s, one by one";
}

TEST(WholeTrace, WhatIsOfNoFamilyStandsAlone) {
  auto trace = whole({stage(0, 1), stage(0, 2)});
  EXPECT_TRUE(trace.next());
  EXPECT_TRUE(trace.next());
  EXPECT_FALSE(trace.next());
}

TEST(WholeTrace, OneThatWaitsForItselfWaitsForNothing) {
  auto trace = whole({stage(5, 1, {2}), stage(5, 2, {1})});
  const auto job = trace.next();
  for (const auto& group : job->job.groups) EXPECT_TRUE(group.after.empty());
}

TEST(WholeTrace, RatesAreDrawnForEachGroupWithinAMachine) {
  auto trace = whole({stage(5, 1), stage(5, 2, {1})}, TraceRates::drawn);
  const auto job = trace.next();
  const sched::Resources& reads = job->job.groups[0].demand;
  const sched::Resources& fetches = job->job.groups[1].demand;
  EXPECT_GT(reads.disk_read, 0u);
  EXPECT_LE(reads.disk_read, 1024u * 20);
  EXPECT_EQ(reads.net_in, 0u);
  EXPECT_EQ(fetches.net_in, 1024u) << "a machine has no more";
  EXPECT_EQ(fetches.net_out, 0u) << "it declares none";
}

}  // namespace
}  // namespace dunlin::sim
