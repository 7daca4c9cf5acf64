// SPDX-License-Identifier: MIT
#include "sim/scenario/machine_attributes.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "sched/constraints.h"
#include "sim/scenario/machines.h"

namespace dunlin::sim {
namespace {

constexpr ConstraintProfile kProfiles[] = {
    ConstraintProfile::a, ConstraintProfile::b, ConstraintProfile::c};

ClusterParams cluster(ConstraintProfile profile, std::uint32_t peers) {
  ClusterParams params;
  params.peers = peers;
  params.constraints = profile;
  return params;
}

// Megha, section IV-B1: "we have considered 21 task placement constraints".
TEST(ConstraintRules, AreTwentyOneAndTheirDemandsAddUp) {
  EXPECT_TRUE(constraint_rules(ConstraintProfile::none).empty());
  for (const ConstraintProfile profile : kProfiles) {
    const auto rules = constraint_rules(profile);
    EXPECT_EQ(rules.size(), 21u);
    double demands = 0;
    for (const auto& rule : rules) {
      demands += rule.demands;
      EXPECT_GT(rule.machines, 0) << sched::to_string(rule.constraint);
      EXPECT_LE(rule.machines, 1) << sched::to_string(rule.constraint);
    }
    EXPECT_NEAR(demands, 1, 1e-9);
  }
}

TEST(ConstraintRules, MachinesSatisfyThemAsOftenAsTheySay) {
  for (const ConstraintProfile profile : kProfiles) {
    const auto machines = machines_of(cluster(profile, 10'000), 1);
    for (const auto& rule : constraint_rules(profile)) {
      const auto count = std::ranges::count_if(machines.all(), [&](const Machine& machine) {
        return sched::satisfies(machine.attributes, rule.constraint);
      });
      // Four standard deviations.
      const double deviation = std::sqrt(rule.machines * (1 - rule.machines) / 10'000);
      EXPECT_NEAR(static_cast<double>(count) / 10'000, rule.machines, 4 * deviation + 1e-9)
          << sched::to_string(rule.constraint);
    }
  }
}

// A profile is the more mixed, the later its letter: less of what a job asks for is there.
TEST(ConstraintRules, LaterProfilesAreMoreMixed) {
  const auto share_of_the_usual = [](ConstraintProfile profile) {
    const auto rules = constraint_rules(profile);
    return std::ranges::max_element(rules, {}, &ConstraintRule::machines)->machines;
  };
  EXPECT_GT(share_of_the_usual(ConstraintProfile::a), share_of_the_usual(ConstraintProfile::b));
  EXPECT_GT(share_of_the_usual(ConstraintProfile::b), share_of_the_usual(ConstraintProfile::c));
}

TEST(ConstraintDraw, ConstrainsTheShareAskedForByUpToThreeAttributes) {
  ConstraintDraw draw(ConstraintProfile::b, 0.5, overlay::Rng{1});
  std::map<std::string, double> demands;
  int constrained = 0;
  double all = 0;
  constexpr int kJobs = 20'000;
  for (int i = 0; i < kJobs; ++i) {
    const auto constraints = draw.next();
    EXPECT_LE(constraints.size(), 3u);
    if (!constraints.empty()) ++constrained;
    std::set<std::string> keys;
    for (const auto& each : constraints) {
      keys.insert(each.key);
      ++demands[sched::to_string(each)];
      ++all;
    }
    EXPECT_EQ(keys.size(), constraints.size());
  }
  EXPECT_NEAR(constrained / double{kJobs}, 0.5, 0.015);
  EXPECT_EQ(demands.size(), 21u);
  // A second constraint is on another attribute: a little less of what is asked for most.
  for (const auto& rule : constraint_rules(ConstraintProfile::b)) {
    EXPECT_NEAR(demands[sched::to_string(rule.constraint)] / all, rule.demands, 0.03);
  }
}

TEST(Eligibility, IsAskedByConstraintsAndSize) {
  const Machine plain{.total = {.cpu = 1000, .memory = 10, .custom = {}}, .attributes = {}};
  const Machine fast{
      .total = {.cpu = 4000, .memory = 10, .custom = {}}, .attributes = {{"clock_ghz", "3.1"}}};
  Eligibility eligibility(std::vector<Machine>{plain, fast});
  sched::TaskGroup group;
  group.demand = {.cpu = 1000, .memory = 1, .custom = {}};
  EXPECT_EQ(eligibility.of(group), nullptr);
  EXPECT_TRUE(eligibility.any(group));
  group.constraints = {*sched::parse_constraint("clock_ghz>2.5")};
  EXPECT_EQ(*eligibility.of(group), (std::vector<bool>{false, true}));
  EXPECT_EQ(eligibility.of(group), eligibility.of(group));
  EXPECT_TRUE(eligibility.any(group));
  group.demand.cpu = 5000;
  EXPECT_FALSE(eligibility.any(group));
  group.demand.cpu = 1000;
  group.constraints = {*sched::parse_constraint("clock_ghz>4")};
  EXPECT_FALSE(eligibility.any(group));
}

TEST(MachinesOf, AttributesDoNotChangeSizesAndLargerClustersBeginAlike) {
  ClusterParams params = cluster(ConstraintProfile::c, 50);
  params.machines = Machines::google2011;
  const auto some = machines_of(params, 7);
  params.peers = 100;
  const auto more = machines_of(params, 7);
  params.constraints = ConstraintProfile::none;
  const auto bare = machines_of(params, 7);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(some[i].total, more[i].total);
    EXPECT_EQ(some[i].attributes, more[i].attributes);
    EXPECT_EQ(more[i].total, bare[i].total);
    EXPECT_TRUE(bare[i].attributes.empty());
  }
}

}  // namespace
}  // namespace dunlin::sim
