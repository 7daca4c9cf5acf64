// SPDX-License-Identifier: MIT
#include "sim/command/check_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dunlin::sim {
namespace {

using ::testing::HasSubstr;

std::string trouble_of(const StudyPlan& plan) {
  const Study study{.file = "x.toml", .text = "[cluster]\npeers = 10\n", .plan = plan};
  const auto checked = check_study(study);
  return checked ? "none" : checked.error().text;
}

TEST(CheckStudy, WhatCanRunIsFine) {
  EXPECT_EQ(trouble_of({}), "none");
  EXPECT_EQ(trouble_of({.axes = {{"cluster.peers", {"10", "20"}}}, .also = {"healed_s"}}), "none");
}

TEST(CheckStudy, FiguresAreKnownByName) {
  EXPECT_THAT(
      trouble_of({.measure = "beauty"}), HasSubstr("no measure 'beauty'; the nearest are "));
  EXPECT_THAT(trouble_of({.measure = "job_delay_99_ms"}),
      HasSubstr("no measure 'job_delay_99_ms'; did you mean 'job_delay_p99_ms'?"));
  EXPECT_THAT(trouble_of({.also = {"finding_p99_ms", "grace"}}), HasSubstr("no measure 'grace'"));
}

TEST(CheckStudy, EveryValueOfEveryAxisIsRead) {
  EXPECT_THAT(trouble_of({.axes = {{"cluster.peers", {"10", "many"}}}}), HasSubstr("peers"));
  EXPECT_THAT(trouble_of({.axes = {{"cluster.beers", {"10"}}}}), HasSubstr("cluster.beers"));
  EXPECT_THAT(trouble_of({.axes = {{"network.pcap", {"true"}}}}), HasSubstr("pcap"));
}

TEST(CheckStudy, CasesHaveTheirSettings) {
  StudyPlan plan{.axes = {{"case", {"a", "b"}}}, .with = {{"case=a", "cluster.peers=5"}}};
  plan.cases = "case";
  EXPECT_THAT(trouble_of(plan), HasSubstr("b"));
}

}  // namespace
}  // namespace dunlin::sim
