// SPDX-License-Identifier: MIT
#include "sched/frontend/estimates/estimator.h"

#include <map>

#include "sched/packing/rate_bits.h"
#include "tests/support/own_job.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Estimate;
using sched::Estimator;
using sched::JobState;
using sched::Profile;
using sched::ProfileKey;
using sched::Report;
using sched::Resources;

class MemoryProfiles final : public sched::Profiles {
 public:
  std::optional<Profile> find(const ProfileKey& key) const override {
    const auto it = all.find(key);
    return it == all.end() ? std::nullopt : std::optional(it->second);
  }
  void put(const ProfileKey& key, const Profile& profile) override { all[key] = profile; }

  std::map<ProfileKey, Profile> all;
};

class EstimatorTest : public OwnJob {
 protected:
  EstimatorTest() {
    params.estimate = Estimate::rates;
    params.estimate_unknown = 0.25;
  }

  /// As gossip tells it roughly, a node has this or up to an eighth more.
  static constexpr std::uint32_t kRate = 65'536;
  static constexpr std::uint32_t kDeclared = kRate / 8 * 9;
  const Resources typical = {
      .cpu = 8000, .memory = 4096, .custom = {}, .disk_read = kDeclared, .disk_write = kDeclared};

  JobState of_unsaid_demand(std::uint32_t number = 1) const {
    sched::Job job = test::job(100);
    job.id = {.home = kHome, .number = number};
    job.name = "nightly";
    job.owner = "anna";
    job.groups[0].cpu_unsaid = true;
    job.groups[0].memory_unsaid = true;
    return {std::move(job), now};
  }
  sched::Turn known_turn() {
    sched::Turn made = turn();
    made.profiles = &profiles;
    return made;
  }
  std::vector<overlay::Neighbour> nodes() const {
    overlay::Neighbour node;
    node.peer.id = {5};
    node.peer.cpu_total = typical.cpu;
    node.peer.memory_total = typical.memory;
    node.peer.rates_total = sched::rates_total_bits(typical);
    return {node};
  }
  std::size_t review(Estimator& estimator, JobState& job) {
    return estimator.review(known_turn(), nodes(), job).size();
  }
  void end_tasks(
      Estimator& estimator, JobState& job, std::uint32_t count, std::uint32_t write_peak) {
    for (std::uint32_t i = 0; i < count; ++i) {
      Report report{.index = i, .wall = 10s, .cpu = 2s, .memory_peak = 200 << 20};
      report.use = {.disk_write_peak = write_peak, .has_disk = true};
      estimator.learn(job, report);
    }
  }
  static const Resources& demand(const JobState& job) { return job.spec_of(0).demand; }

  MemoryProfiles profiles;
};

TEST_F(EstimatorTest, AnUnknownTaskIsTakenToNeedAPartOfTheDisks) {
  JobState job = of_unsaid_demand();
  const Resources own = demand(job);
  Estimator estimator(params);
  EXPECT_EQ(review(estimator, job), 1u);
  EXPECT_EQ(demand(job).disk_read, kRate / 4);
  EXPECT_EQ(demand(job).disk_write, kRate / 4);
  EXPECT_EQ(demand(job).net_in, 0u) << "no node declares it";
  EXPECT_EQ(demand(job).cpu, own.cpu);
  EXPECT_EQ(demand(job).memory, own.memory);
  EXPECT_EQ(job.groups()[0].guessed, 0b1100) << "reading and writing";
  EXPECT_EQ(review(estimator, job), 0u) << "no news";
}

TEST_F(EstimatorTest, FinishedTasksOfTheGroupTellMore) {
  JobState job = of_unsaid_demand();
  Estimator estimator(params);
  review(estimator, job);
  EXPECT_FALSE(estimator.is_due(job, now));
  end_tasks(estimator, job, 1, 1000);
  EXPECT_TRUE(estimator.is_due(job, now));
  EXPECT_EQ(review(estimator, job), 1u);
  EXPECT_EQ(demand(job).disk_write, 1100u);
  EXPECT_EQ(demand(job).disk_read, 0u) << "they read nothing";
  end_tasks(estimator, job, 8, 1100);
  EXPECT_EQ(review(estimator, job), 0u) << "a change by a tenth is none";
}

TEST_F(EstimatorTest, EarlierJobsOfThatNameTellItFirst) {
  Estimator estimator(params);
  JobState first = of_unsaid_demand(1);
  review(estimator, first);
  end_tasks(estimator, first, 10, 2000);
  estimator.close(known_turn(), first);
  EXPECT_EQ(demand(first).disk_write, 0u) << "it has its own demand again";
  EXPECT_EQ(profiles.all.at({"anna", "nightly", ""}).tasks, 10u);

  JobState second = of_unsaid_demand(2);
  review(estimator, second);
  EXPECT_EQ(demand(second).disk_write, 2200u);
  // Few tasks of its own only ever raise that.
  end_tasks(estimator, second, 2, 10);
  review(estimator, second);
  EXPECT_EQ(demand(second).disk_write, 2200u);
  end_tasks(estimator, second, Estimator::kOwnMin, 10);
  review(estimator, second);
  EXPECT_EQ(demand(second).disk_write, 11u);
}

TEST_F(EstimatorTest, WhatAUserSaysStays) {
  sched::Job said = test::job(4);
  said.id = {.home = kHome, .number = 3};
  said.groups[0].demand.disk_write = 500;
  JobState job(std::move(said), now);
  params.estimate = Estimate::fluid;
  params.estimate_memory = true;
  Estimator estimator(params);
  end_tasks(estimator, job, 0, 0);
  review(estimator, job);
  end_tasks(estimator, job, 4, 9000);
  review(estimator, job);
  EXPECT_EQ(demand(job).disk_write, 500u);
  EXPECT_EQ(demand(job).cpu, 1000u);
}

TEST_F(EstimatorTest, CpuAndMemoryAreLearnedIfTheOperatorSaysSo) {
  params.estimate = Estimate::fluid;
  params.estimate_memory = true;
  JobState job = of_unsaid_demand();
  Estimator estimator(params);
  review(estimator, job);
  end_tasks(estimator, job, 4, 0);
  review(estimator, job);
  EXPECT_EQ(demand(job).cpu, 220u) << "2 s in 10 s, and a tenth";
  EXPECT_EQ(demand(job).memory, 220u);
  EXPECT_TRUE(holds(job.groups()[0].guessed, &Resources::memory));

  params.estimate = Estimate::rates;
  params.estimate_memory = false;
  JobState other = of_unsaid_demand(2);
  Estimator careful(params);
  review(careful, other);
  end_tasks(careful, other, 4, 0);
  review(careful, other);
  EXPECT_EQ(demand(other).cpu, 1000u);
}

// More than a node has would fit nowhere.
TEST_F(EstimatorTest, NoEstimateIsMoreThanANode) {
  JobState job = of_unsaid_demand();
  Estimator estimator(params);
  review(estimator, job);
  end_tasks(estimator, job, 4, 10 * kRate);
  review(estimator, job);
  EXPECT_EQ(demand(job).disk_write, kRate);
}

// It might be the only one that can run them.
TEST_F(EstimatorTest, NoEstimateIsMoreThanTheSmallestNodeThatCouldRunTheTask) {
  JobState job = of_unsaid_demand();
  Estimator estimator(params);
  std::vector<overlay::Neighbour> two = nodes();
  two.push_back(two.front());
  two.back().peer.rates_total =
      sched::rates_total_bits({.cpu = 0, .memory = 0, .custom = {}, .disk_write = kDeclared / 2});
  two.push_back(two.front());
  two.back().peer.cpu_total = 1;
  two.back().peer.rates_total =
      sched::rates_total_bits({.cpu = 0, .memory = 0, .custom = {}, .disk_write = 8});
  (void)estimator.review(known_turn(), two, job);
  end_tasks(estimator, job, 4, 10 * kRate);
  (void)estimator.review(known_turn(), two, job);
  EXPECT_EQ(demand(job).disk_write, kRate / 2) << "the third has too few CPUs whatever it writes";
}

TEST_F(EstimatorTest, ANodeThatCanNeverRunItEndsTheGuess) {
  JobState job = of_unsaid_demand();
  Estimator estimator(params);
  review(estimator, job);
  estimator.on_bounced(job, 0, sched::BounceReason::queue_full);
  EXPECT_EQ(review(estimator, job), 0u);
  estimator.on_bounced(job, 0, sched::BounceReason::never_fits);
  EXPECT_TRUE(estimator.is_due(job, now));
  EXPECT_EQ(review(estimator, job), 1u);
  EXPECT_EQ(demand(job).disk_write, 0u);
  end_tasks(estimator, job, 4, 1000);
  EXPECT_EQ(review(estimator, job), 0u);
}

TEST_F(EstimatorTest, AKillForLackOfGuessedMemoryEndsTheGuess) {
  params.estimate_memory = true;
  JobState job = of_unsaid_demand();
  const std::uint32_t own = demand(job).memory;
  Estimator estimator(params);
  review(estimator, job);
  end_tasks(estimator, job, 4, 0);
  review(estimator, job);
  const auto task = job.bind(0, node(7), 1, now);
  ASSERT_TRUE(task);
  const Report killed{.index = task->index,
      .attempt = task->attempt,
      .outcome = sched::Outcome::out_of_memory,
      .status = 9};
  const auto ending = job.end(killed, node(7).id, now);
  ASSERT_TRUE(ending);
  EXPECT_FALSE(ending->record.final) << "it has no retries, and spends none";
  EXPECT_EQ(ending->record.report.outcome, sched::Outcome::preempted);
  EXPECT_EQ(job.task(task->index).state, sched::TaskState::waiting);
  estimator.learn(job, killed);
  EXPECT_TRUE(estimator.is_due(job, now));
  review(estimator, job);
  EXPECT_EQ(demand(job).memory, own);

  // At its own limit it is its own fault.
  const auto again = job.bind(0, node(7), 1, now);
  ASSERT_TRUE(again);
  const auto failed = job.end({.index = again->index,
                                  .attempt = again->attempt,
                                  .outcome = sched::Outcome::out_of_memory,
                                  .status = 9},
      node(7).id, now);
  ASSERT_TRUE(failed);
  EXPECT_TRUE(failed->record.final);
}

// A frontend that restarts does not know any more what it took the tasks to need that run.
TEST_F(EstimatorTest, AKillAfterARestartSpendsNoRetryWhereMemoryMayHaveBeenGuessed) {
  for (const bool adopted : {true, false}) {
    for (const bool guesses : {true, false}) {
      params.estimate_memory = guesses;
      JobState before = of_unsaid_demand();
      sched::Job stored = before.job();
      Estimator(params).accept(stored);
      const auto task = before.bind(0, node(7), 1, now);
      ASSERT_TRUE(task);
      JobState after(stored, now);
      after.restore(before.progress(), {}, now, now + 4s);
      if (adopted) {
        ASSERT_TRUE(after.adopt(*task, {node(7), 1}, now));
      }
      const auto ending = after.end({.index = task->index,
                                        .attempt = task->attempt,
                                        .outcome = sched::Outcome::out_of_memory,
                                        .status = 9},
          node(7).id, now);
      ASSERT_TRUE(ending);
      EXPECT_EQ(ending->record.final, !guesses);
      EXPECT_EQ(after.groups()[0].memory_too_little, guesses);
    }
  }
}

TEST_F(EstimatorTest, OffItLearnsNothingAndLeavesRecordsAsTheyWere) {
  params.estimate = Estimate::off;
  const Estimator estimator(params);
  EXPECT_FALSE(estimator.is_due(of_unsaid_demand(), now));
  sched::Job job = of_unsaid_demand().job();
  estimator.accept(job);
  EXPECT_FALSE(job.groups[0].cpu_unsaid);
  EXPECT_FALSE(job.groups[0].memory_unsaid);
}

}  // namespace
}  // namespace dunlin::test
