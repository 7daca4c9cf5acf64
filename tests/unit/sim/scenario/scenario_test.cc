// SPDX-License-Identifier: MIT
#include "sim/scenario/scenario.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "sim/command/check_study.h"
#include "sim/scenario/advice.h"
#include "sim/study/read_plan.h"
#include "tests/support/scratch.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(std::string_view toml) {
  const auto scenario = parse_scenario(toml, "x.toml");
  return scenario ? "none" : scenario.error().text;
}

TEST(Scenario, AByteOrderMarkIsNoPartOfIt) {
  const test::Scratch scratch;
  test::write_file(scratch / "x.toml", "\xef\xbb\xbf# A comment.\ntitle = \"a title\"\n");
  EXPECT_THAT(*read_text(scratch / "x.toml"), StartsWith("# A comment."));
}

TEST(Scenario, ReadsEverySection) {
  const auto scenario = parse_scenario(R"(
title = "a title"
[simulation]
seed = 42
duration = "90s"
[network]
codec = true
latency_spread = "log_normal"
[workload]
load = 0.9
[frontend]
probe_ratio = 3
placement = "random"
[worker]
renew = "700ms"
)",
      "x.toml");
  ASSERT_TRUE(scenario) << scenario.error().text;
  EXPECT_EQ(scenario->title, "a title");
  EXPECT_EQ(scenario->simulation.seed, 42u);
  EXPECT_EQ(scenario->simulation.duration, 90s);
  EXPECT_TRUE(scenario->network.codec);
  EXPECT_EQ(scenario->network.latency_spread, Spread::log_normal);
  EXPECT_DOUBLE_EQ(scenario->workload.load, 0.9);
  EXPECT_DOUBLE_EQ(scenario->peer.frontend.probe_ratio, 3);
  EXPECT_EQ(scenario->peer.frontend.placement, sched::PlacementName::random);
  EXPECT_EQ(scenario->peer.worker.renew, 700ms);
  EXPECT_EQ(scenario->cluster.peers, ClusterParams{}.peers);
}

TEST(Scenario, ScaleMakesRequestsGrowWithTheCluster) {
  auto scenario = parse_scenario(
      "[cluster]\npeers = 50\nscale = 20\n[workload]\njob_gap = "
      "\"100ms\"\njobs_max = 1500\nload = 0.7\n",
      "x.toml");
  ASSERT_TRUE(scenario) << scenario.error().text;
  ASSERT_TRUE(apply_scale(*scenario));
  EXPECT_EQ(scenario->cluster.peers, 1000u);
  EXPECT_EQ(scenario->cluster.scale, 1u);
  EXPECT_EQ(scenario->workload.job_gap, 5ms);
  EXPECT_EQ(scenario->workload.jobs_max, 30'000u);
  EXPECT_DOUBLE_EQ(scenario->workload.load, 0.7);
  scenario->cluster.scale = 2000;
  EXPECT_THAT(apply_scale(*scenario).error().text, HasSubstr("'2000000' is outside"));
}

TEST(Scenario, ErrorsNamePlaceKeyAndWhatWasExpected) {
  EXPECT_EQ(error_of("[workload]\nload = \"much\"\n"),
      "x.toml:2:8: 'much' is not a number; workload.load: number, 0.01 .. 2");
  EXPECT_EQ(error_of("[workload]\n\n  load = 7.5\n"),
      "x.toml:3:10: '7.5' is outside 0.01 .. 2; workload.load: number, 0.01 .. 2");
  EXPECT_THAT(error_of("[workload]\nload = [1, 2]\n"), StartsWith("x.toml:2:8: neither text"));
  EXPECT_EQ(error_of("[workload]\nlaod = 1\n"),
      "x.toml:2:1: unknown key 'laod' in [workload]; did you mean 'load'?");
  EXPECT_EQ(error_of("[wrokload]\nload = 1\n"),
      "x.toml:1:2: unknown section [wrokload]; did you mean 'workload'?");
  EXPECT_THAT(error_of("[zzz]\n"), HasSubstr("expected one of: simulation, cluster, network"));
  EXPECT_THAT(error_of("workload = 1\n"), HasSubstr("'workload' is a section"));
  EXPECT_THAT(error_of("title = 5\n"), HasSubstr("the title is not text"));
  EXPECT_THAT(error_of("[workload\n"), StartsWith("x.toml:1:"));
  EXPECT_THAT(error_of("[simulation]\nduration = \"60\"\n"), HasSubstr("250ms"));
}

TEST(Scenario, RenamedSettingsNameTheNewOnes) {
  EXPECT_EQ(error_of("[cell]\ncell_least = 1\n"),
      "x.toml:2:1: unknown key 'cell_least' in [cell]; it is called 'cell.cell_min' now");
  EXPECT_EQ(error_of("[reserves]\nspare = true\n"),
      "x.toml:1:2: unknown section [reserves]; it is called 'cluster_reserves' now");
  EXPECT_THAT(error_of("[cell]\nsharing = \"reserves\"\n"),
      HasSubstr("it is called 'cluster_reserves' now"));
}

// Faults of toml++ 3.3: see config/toml.h.
TEST(Scenario, OddBytesAreErrorsNotCrashes) {
  EXPECT_THAT(error_of("é = 1\n"), StartsWith("x.toml:1:"));
  EXPECT_THAT(error_of("[[ ["), StartsWith("x.toml:1:"));
}

TEST(Scenario, MissingFileIsNamed) {
  const auto scenario = load_scenario("/nonexistent/hello.toml");
  ASSERT_FALSE(scenario);
  EXPECT_EQ(scenario.error().text, "/nonexistent/hello.toml: No such file or directory");
}

TEST(Scenario, SettingsOverride) {
  Scenario scenario;
  const std::string settings[] = {"workload.load=0.5", "hops_max=0", "peers=7"};
  ASSERT_TRUE(apply_settings(scenario, settings));
  EXPECT_DOUBLE_EQ(scenario.workload.load, 0.5);
  EXPECT_EQ(scenario.peer.frontend.hops_max, 0);
  EXPECT_EQ(scenario.cluster.peers, 7u);
}

std::string setting_error(const std::string& setting) {
  Scenario scenario;
  const auto set = apply_settings(scenario, {&setting, 1});
  return set ? "none" : set.error().text;
}

TEST(Scenario, SettingErrorsSayWhichAndWhy) {
  EXPECT_EQ(setting_error("load"), "--set load: expected key=value");
  EXPECT_EQ(setting_error("workload.laod=1"),
      "--set workload.laod=1: unknown key 'workload.laod'; did you mean 'workload.load'?");
  EXPECT_EQ(setting_error("cyclon.graveyard_size=8"),
      "--set cyclon.graveyard_size=8: unknown key 'cyclon.graveyard_size'; it is called "
      "'cyclon.tombstones_max' now");
  EXPECT_EQ(setting_error("laod=1"), "--set laod=1: unknown key 'laod'; did you mean 'load'?");
  EXPECT_EQ(setting_error("entropy=1"),
      "--set entropy=1: unknown key 'entropy'; `dunlin-sim params` lists all");
  EXPECT_THAT(setting_error("load=9"), HasSubstr("'9' is outside 0.01 .. 2"));
  EXPECT_THAT(setting_error("period=1s"), HasSubstr("stands in several sections"));
}

TEST(Scenario, ATaskMustFitAPeer) {
  Scenario scenario;
  EXPECT_TRUE(validate(scenario));
  scenario.workload.task_cpu = 8;
  ASSERT_FALSE(validate(scenario));
  EXPECT_THAT(validate(scenario).error().text, HasSubstr("fits no peer"));
  scenario.workload.task_cpu = 1;
  scenario.simulation.warm_up = scenario.simulation.duration;
  EXPECT_THAT(validate(scenario).error().text, HasSubstr("warm_up"));
}

std::string soundness_of(std::vector<std::string> settings) {
  Scenario scenario;
  const auto set = apply_settings(scenario, settings);
  EXPECT_TRUE(set) << set.error().text;
  const auto sound = validate(scenario);
  return sound ? "sound" : sound.error().text;
}

TEST(Scenario, CombinationsWithoutMeaningAreNamedWithTheirCure) {
  EXPECT_EQ(soundness_of({"transport=udp", "latency_spread=racks", "peers=20000"}), "sound");
  EXPECT_EQ(soundness_of({"transport=udp", "latency_spread=racks", "peers=100000"}),
      "network.transport = \"udp\" is for 20000 peers at most, and cluster.peers is 100000: lower "
      "it, or set network.transport to context or fabric");
  EXPECT_THAT(soundness_of({"transport=udp"}), HasSubstr("network.latency_spread"));
  EXPECT_THAT(soundness_of({"transport=udp"}), HasSubstr("set it to racks"));
  EXPECT_THAT(soundness_of({"pcap=1"}), HasSubstr("set fabric or udp"));
  EXPECT_EQ(soundness_of({"animation=a.xml"}),
      "network.animation needs IP: set network.transport = \"udp\"");
  const std::string udp = "transport=udp", racks = "latency_spread=racks";
  EXPECT_EQ(soundness_of({udp, racks, "animation=a.xml", "peers=201"}),
      "network.animation is for 200 peers at most, and cluster.peers is 201: lower it, or leave "
      "network.animation empty");
  EXPECT_THAT(soundness_of({udp, racks, "flow_monitor=f.xml", "peers=501"}),
      StartsWith("network.flow_monitor is for 500 peers at most"));
  EXPECT_EQ(
      soundness_of({udp, racks, "flow_monitor=f.xml", "animation=a.xml", "pcap=2", "peers=200"}),
      "sound");
  EXPECT_THAT(soundness_of({udp, racks, "pcap=1", "baseline.scheduler=central"}),
      HasSubstr("baseline.scheduler"));
  EXPECT_EQ(soundness_of({"trace.resample_block=10"}), "sound");
  EXPECT_EQ(soundness_of({"trace.resample_block=10", "trace.sample=0.5"}),
      "trace.resample_block draws blocks of the whole trace: leave trace.sample at 1 and "
      "trace.start at 0, or set it to 0");
}

// The output of `dunlin-sim params`, and the JSON, must be readable again.
TEST(Scenario, EveryDefaultIsALegalValue) {
  Scenario scenario;
  for (const auto& entry : entries_of(scenario)) {
    EXPECT_TRUE(entry.set(entry.get())) << entry.key();
    EXPECT_EQ(entry.get(), entry.fallback) << entry.key();
  }
}

// An experiment nobody can run is worth nothing.
TEST(Scenario, AllExperimentsAreSound) {
  int read = 0;
  const std::filesystem::path folder = DUNLIN_SOURCE_DIR "/sim/experiments";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    const auto scenario = load_scenario(entry.path());
    ASSERT_TRUE(scenario) << scenario.error().text;
    const auto sound = validate(*scenario);
    EXPECT_TRUE(sound) << entry.path() << ": " << sound.error().text;
    EXPECT_NE(scenario->title, "") << entry.path();
    const auto plan = load_plan(entry.path());
    ASSERT_TRUE(plan) << plan.error().text;
    const Study study{.file = entry.path(), .text = *read_text(entry.path()), .plan = *plan};
    const auto runs = check_study(study);
    EXPECT_TRUE(runs) << entry.path() << ": " << runs.error().text;
    ++read;
  }
  EXPECT_GE(read, 10);
}

// Readers copy it.
TEST(Scenario, TheOneOfTheManualIsSound) {
  const std::string manual = *read_text(DUNLIN_SOURCE_DIR "/docs/lab/manual.md");
  const std::string fence = "```toml\n";
  const auto begin = manual.find(fence, manual.find("### One of your own"));
  ASSERT_NE(begin, std::string::npos);
  const auto from = begin + fence.size();
  const std::string text = manual.substr(from, manual.find("```", from) - from);
  const auto scenario = parse_scenario(text, "campus.toml");
  ASSERT_TRUE(scenario) << scenario.error().text;
  EXPECT_EQ(scenario->cluster.peers, 30u);
  const auto sound = validate(*scenario);
  EXPECT_TRUE(sound) << sound.error().text;
  const auto plan = parse_plan(text, "campus.toml");
  ASSERT_TRUE(plan) << plan.error().text;
  const auto runs = check_study({.file = "campus.toml", .text = text, .plan = *plan});
  EXPECT_TRUE(runs) << runs.error().text;
}

}  // namespace
}  // namespace dunlin::sim
