// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <sstream>
#include <string>
#include <vector>

#include "sim/engine/cluster.h"
#include "sim/workload/synthetic.h"
#include "tests/support/network.h"
#include "tests/support/world.h"
#include "tests/unit/sim/equal_machines.h"

// The seam holds: the same peers, driven by the test world and by ns-3, live the same life.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using overlay::Endpoint;
using test::World;

constexpr std::uint32_t kNodes = 30;
constexpr Time kBegin{100s};  // When a world begins.
constexpr Duration kSpan = 20s;
const sched::Resources kCapacity{.cpu = 4000, .memory = 16384, .custom = {}};

std::vector<Submission> submissions(std::uint64_t seed) {
  SyntheticWorkload workload(
      {.load = 0.9, .tasks_per_job = 20, .task_time = 800ms, .first_job = 3s},
      {.machines = std::vector<Machine>(kNodes, {.total = kCapacity, .attributes = {}}),
          .end = Time{kSpan - 5s}},
      Rng{seed});
  std::vector<Submission> all;
  while (auto next = workload.next()) all.push_back(*std::move(next));
  return all;
}

/// A run's trace, a line per element, without what only a driver says.
using Lines = std::vector<std::string>;

Lines run_in_world(std::uint64_t seed) {
  test::WorldOptions options;
  options.seed = seed;
  options.codec = false;
  options.check = false;
  options.trace_lines = 10'000'000;
  World world(options);
  world.add(kNodes, {.total = kCapacity, .attributes = {}});
  for (const Submission& each : submissions(seed)) {
    world.at(kBegin + each.at.time_since_epoch(),
        [&world, each] { (void)world.submit(each.frontend, each.job); });
  }
  world.run_until(kBegin + kSpan);
  EXPECT_EQ(world.failure(), "");
  Lines lines;
  for (const auto& line : world.trace().lines()) {
    if (line.find(" starts incarnation=") == std::string::npos) lines.push_back(line);
  }
  return lines;
}

Lines run_in_ns3(std::uint64_t seed, const NetworkParams& params) {
  // Makes the draws of a world from its seed, in the same order: see World::World(), add() and
  // start().
  Rng root{seed};
  test::Network network({}, root.fork());
  std::ostringstream text;
  Trace trace(text);
  Recorder recorder(
      {.from = kBegin, .until = kBegin + kSpan}, equal_machines(kNodes, kCapacity.cpu));
  Cluster cluster({.params = {},
                      .network = params,
                      .delay = [&network](std::uint32_t from, std::uint32_t to,
                                   std::uint64_t) { return network.route(from, to)[0]; }},
      recorder, &trace);
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    const Rng peer = root.fork();
    Rng driver = root.fork();
    (void)root.fork();  // The executor's.
    std::vector<Endpoint> contacts;
    for (int i = 0; i < 2 && node > 0; ++i) {
      const auto contact = static_cast<std::uint32_t>(driver.index(node + 1));
      if (contact == node) continue;
      contacts.push_back({.id = {}, .address = World::endpoint_of(contact).address});
    }
    if (contacts.empty() && node > 0) {
      contacts.push_back({.id = {}, .address = World::endpoint_of(0).address});
    }
    cluster.add({.total = kCapacity, .attributes = {}}, contacts, peer, kBegin);
  }
  cluster.ready();
  for (const Submission& each : submissions(seed)) {
    const Duration when = kBegin.time_since_epoch() + each.at.time_since_epoch();
    ns3::Simulator::ScheduleWithContext(each.frontend,
        ns3::TimeStep(static_cast<std::uint64_t>(when.count())),
        [&cluster, each] { cluster.submit(each.frontend, each.job, each.facts); });
  }
  const Duration end = kBegin.time_since_epoch() + kSpan + 1ns;
  ns3::Simulator::Stop(ns3::TimeStep(static_cast<std::uint64_t>(end.count())));
  ns3::Simulator::Run();
  ns3::Simulator::Destroy();

  Lines lines;
  std::istringstream in(text.str());
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// A life by the usual network, which most tests hold another against. It is lived once.
const Lines& usual(std::uint64_t seed) {
  static std::map<std::uint64_t, Lines> lives;
  const auto known = lives.find(seed);
  return known != lives.end() ? known->second : lives[seed] = run_in_ns3(seed, {});
}

/// Says where two traces part, which a plain comparison of megabytes would not.
void expect_same(const Lines& one, const Lines& two) {
  for (std::size_t i = 0; i < std::min(one.size(), two.size()); ++i) {
    if (one[i] == two[i]) continue;
    FAIL() << "line " << i << ":\n" << one[i] << "\n" << two[i];
  }
  EXPECT_EQ(one.size(), two.size());
}

std::size_t count(const Lines& lines, const std::string& word) {
  std::size_t found = 0;
  for (const auto& line : lines) found += line.find(word) != std::string::npos ? 1u : 0u;
  return found;
}

class SameTrace : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SameTrace, InTheTestWorldAndInNs3) {
  const Lines world = run_in_world(GetParam());
  // It must be a life worth comparing.
  EXPECT_EQ(count(world, " joined "), kNodes - 1);
  EXPECT_GT(count(world, " task_started "), 500u);
  EXPECT_GT(count(world, " shuffle_reply"), 100u);
  expect_same(world, usual(GetParam()));
}

TEST_P(SameTrace, WithAndWithoutTheCodec) {
  expect_same(usual(GetParam()), run_in_ns3(GetParam(), {.codec = true}));
}

TEST_P(SameTrace, InContextAndOnTheFabric) {
  expect_same(usual(GetParam()), run_in_ns3(GetParam(), {.transport = TransportKind::fabric}));
}

// Links on which messages wait for each other, and lose some.
TEST_P(SameTrace, InContextAndOnTheFabricThroughABadNetwork) {
  NetworkParams bad{.loss = 0.03, .bandwidth = 2, .backlog = 20ms};
  const Lines context = run_in_ns3(GetParam(), bad);
  EXPECT_NE(context, usual(GetParam()));
  bad.transport = TransportKind::fabric;
  expect_same(context, run_in_ns3(GetParam(), bad));
}

TEST_P(SameTrace, ForTheSameSeedAndNoOther) {
  const Lines lines = run_in_ns3(GetParam(), {});
  expect_same(lines, run_in_ns3(GetParam(), {}));
  EXPECT_NE(lines, run_in_ns3(GetParam() + 1000, {}));
}

INSTANTIATE_TEST_SUITE_P(Seeds, SameTrace, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace dunlin::sim
