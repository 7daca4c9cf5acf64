// SPDX-License-Identifier: MIT
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "sim/engine/simulation.h"
#include "tests/support/scratch.h"

// The same peers with the same jobs over all transports.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Scenario calm(TransportKind transport) {
  Scenario scenario;
  scenario.simulation = {.seed = 4, .duration = 15s, .warm_up = 5s, .drain = 20s};
  scenario.cluster.peers = 40;
  scenario.network = {
      .transport = transport, .latency_spread = Spread::racks, .bandwidth = 100, .rack_size = 10};
  scenario.workload = {
      .load = 0.2, .tasks_per_job = 8, .task_time = 500ms, .durations = Durations::constant};
  scenario.peer.directory.size_max = 0;
  return scenario;
}

struct Delays {
  std::uint64_t jobs = 0;
  std::uint64_t finished = 0;
  Duration queueing{0};  ///< On average.
};

Delays delays_of(const Scenario& scenario) {
  Simulation run(scenario, nullptr);
  run.run();
  const Recorder& recorder = run.recorder();
  return {recorder.counts().jobs, recorder.counts().jobs_finished,
      *recorder.all().queueing_delay.mean()};
}

// At this load a task waits for its messages alone. Over the tree a message arrives within 12 ns of
// when the model says; what remains are ties that fall the other way, whereupon a task starts in
// another rack: at most a link to the spine and back, 300 us, on each of three messages.
TEST(Calibration, DelaysOfTheThreeTransportsAgreeWithinAWayToTheSpine) {
  const Delays context = delays_of(calm(TransportKind::context));
  const Delays fabric = delays_of(calm(TransportKind::fabric));
  const Delays udp = delays_of(calm(TransportKind::udp));
  EXPECT_GT(context.jobs, 50u);
  for (const Delays& each : {context, fabric, udp}) {
    EXPECT_EQ(each.jobs, context.jobs);
    EXPECT_EQ(each.finished, each.jobs);
  }
  EXPECT_EQ(context.queueing, fabric.queueing);
  EXPECT_GT(context.queueing, 300us) << "many a task starts elsewhere: 600 us at least";
  EXPECT_LE(std::chrono::abs(udp.queueing - context.queueing), 3 * 300us);
}

// Real sockets have no model in common with the other transports, but no chance of their own
// either.
TEST(Calibration, SameSeedSameTraceOverUdp) {
  std::string first;
  for (int i = 0; i < 2; ++i) {
    Scenario scenario = calm(TransportKind::udp);
    scenario.network.loss = 0.02;
    std::ostringstream text;
    Trace trace(text);
    Simulation run(scenario, &trace);
    run.run();
    EXPECT_GT(text.str().size(), 100'000u);
    if (i == 0) first = text.str();
    EXPECT_TRUE(text.str() == first) << "run " << i;
  }
}

TEST(Calibration, AnotherSeedIsAnotherTraceOverUdp) {
  Scenario scenario = calm(TransportKind::udp);
  const Duration one = delays_of(scenario).queueing;
  scenario.simulation.seed = 5;
  EXPECT_NE(delays_of(scenario).queueing, one);
}

/// Every element that begins ends, in the right order; how many of each name there are.
std::map<std::string, int> elements_of(const std::string& xml) {
  std::map<std::string, int> counts;
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) {
      ADD_FAILURE() << "an element without an end";
      break;
    }
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.starts_with('?') || tag.starts_with('!')) continue;
    const std::string name = tag.substr(tag.starts_with('/') ? 1 : 0, tag.find_first_of(" />", 1));
    if (!tag.starts_with('/')) {
      ++counts[name.substr(0, name.find_first_of(" />"))];
      if (!tag.ends_with('/')) open.push_back(name.substr(0, name.find_first_of(" />")));
    } else if (open.empty() || open.back() != tag.substr(1)) {
      ADD_FAILURE() << "</" << tag.substr(1) << "> closes nothing";
      break;
    } else {
      open.pop_back();
    }
  }
  EXPECT_TRUE(open.empty()) << (open.empty() ? "" : open.back()) << " is not closed";
  return counts;
}

TEST(Calibration, FlowMonitorNetAnimAndPcapFilesAreWrittenAndWellFormed) {
  const test::Scratch scratch;
  Scenario scenario = calm(TransportKind::udp);
  scenario.simulation = {.seed = 4, .duration = 6s, .warm_up = 2s, .drain = 2s};
  scenario.network.flow_monitor = scratch / "flows.xml";
  scenario.network.animation = scratch / "animation.xml";
  scenario.network.spines = 2;
  scenario.network.pcap = 2;
  const auto folder = std::filesystem::current_path();
  std::filesystem::current_path(scratch.path());  // Where pcap files go.
  {
    Simulation run(scenario, nullptr);
    run.run();
    const auto all = run.cluster().traffic().sum(0, kMessageKinds);
    auto flows = elements_of(test::file_text(scenario.network.flow_monitor));
    EXPECT_EQ(flows["FlowMonitor"], 1);
    EXPECT_GT(flows["Flow"], 500);
    auto animation = elements_of(test::file_text(scenario.network.animation));
    EXPECT_EQ(animation["anim"], 1);
    EXPECT_EQ(animation["node"], 40 + 4 + 2);
    EXPECT_EQ(animation["link"], 40 + 4 * 2);
    // Two links at least for each message but those to oneself, four at most.
    EXPECT_GT(animation["p"], static_cast<int>(all.messages));
    EXPECT_LT(animation["p"], static_cast<int>(4 * all.messages));
  }
  std::filesystem::current_path(folder);
  // A pcap file of PPP frames: at byte 20 it says the kind of link.
  const std::string pcap = test::file_text(scratch / "peer-1.pcap");
  ASSERT_GT(pcap.size(), 1000u);
  EXPECT_EQ(pcap[20], 9);
  EXPECT_FALSE(std::filesystem::exists(scratch / "peer-3.pcap"));
  // Nothing of the first is left to disturb a second.
  scenario.network.animation = scratch / "second.xml";
  scenario.network.pcap = 0;
  delays_of(scenario);
  EXPECT_EQ(elements_of(test::file_text(scratch / "second.xml"))["anim"], 1);
}

}  // namespace
}  // namespace dunlin::sim
