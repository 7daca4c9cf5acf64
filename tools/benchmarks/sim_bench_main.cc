// SPDX-License-Identifier: MIT
// The cost of the simulator, against a bare loop of ns-3 in the same run; see tools/bench. Each
// measurement has a process of its own, because ns-3 has one event loop per process, and because
// memory is measured.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <ns3/event-impl.h>
#include <ns3/map-scheduler.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/priority-queue-scheduler.h>
#include <ns3/ptr.h>
#include <ns3/simulator.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/engine/huge_pages.h"
#include "sim/engine/simulation.h"

namespace dunlin::sim {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

struct Options {
  std::string json;     ///< Where to write the figures; empty: nowhere.
  unsigned shrink = 1;  ///< Divides the number of peers.
};

/// Runs `measure` in a child process and returns its figures. Its figures come back as text: the
/// child's memory is gone with it.
json apart(const std::string& what, const std::function<json()>& measure) {
  std::fprintf(stderr, "%s ...", what.c_str());
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    close(ends[0]);
    const std::string text = measure().dump();
    const bool written =
        write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 1);
    // _exit(), as the parent's buffers and objects are copies here.
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  // A child that was killed, by lack of memory say, must not count as one that was quick.
  if (status != 0) throw std::runtime_error(what + " failed");
  std::fprintf(stderr, " %s\n", text.c_str());
  return json::parse(text);
}

/// An event that schedules its successor, half a second to one and a half later: the least that
/// every simulation on ns-3 does.
class Successor {
 public:
  explicit Successor(std::uint64_t events) : left_(events) {}

  void schedule() {
    const auto delay = 500'000'000 + rng_.below(1'000'000'000);
    ns3::Simulator::Schedule(ns3::TimeStep(delay), &Successor::act, this);
  }

 private:
  void act() {
    if (left_ == 0) return ns3::Simulator::Stop();
    --left_;
    schedule();
  }

  std::uint64_t left_;
  Rng rng_{1};
};

/// Measures a loop with `pending` events at all times, in one of ns-3's own queues.
json bare(ns3::TypeId scheduler, std::uint32_t pending) {
  ns3::ObjectFactory factory;
  factory.SetTypeId(scheduler);
  ns3::Simulator::SetScheduler(factory);
  // Long enough that each event fires many times: the queue must have its working size.
  const std::uint64_t events = std::max<std::uint64_t>(1'000'000, 50ull * pending);
  Successor successor(events);
  for (std::uint32_t i = 0; i < pending; ++i) successor.schedule();
  // CPU time, not the wall's: other processes must not count.
  const std::clock_t began = std::clock();
  ns3::Simulator::Run();
  const double cpu = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  ns3::Simulator::Destroy();
  return {{"events_per_s", static_cast<double>(events) / cpu}, {"pending", pending}};
}

/// Peers that only gossip.
Scenario gossip(std::uint32_t peers, Duration duration) {
  Scenario scenario;
  scenario.simulation.duration = duration;
  scenario.simulation.warm_up = 1ms;
  scenario.simulation.drain = 0s;
  scenario.cluster.peers = peers;
  // Peers know each other from the start: joining is no part of what is measured.
  scenario.cluster.start = Start::wired;
  scenario.workload.load = 0.01;
  // Gossip alone is measured, so jobs, liveness and directory are off or come too late to matter.
  scenario.workload.first_job = duration - 1ms;
  scenario.peer.liveness.period = 1h;
  scenario.peer.directory.size_max = 0;
  return scenario;
}

json run(const Scenario& scenario) {
  Simulation simulation(scenario, nullptr);
  // Progress on stderr, in steps of a tenth: a run takes minutes.
  double last = 0;
  simulation.run([&](Time now, const Recorder&) {
    const double done = std::chrono::duration<double>(now.time_since_epoch()) /
        std::chrono::duration<double>(scenario.simulation.duration);
    if (done < last + 0.1) return;
    last = done;
    std::fprintf(stderr, " %.0f%%", 100 * done);
  });
  const Cost& cost = simulation.cost();
  const auto rss = static_cast<double>(cost.peak_bytes);
  return {{"peers", scenario.cluster.peers}, {"wall_s", cost.wall_s}, {"cpu_s", cost.cpu_s},
      {"events", cost.events}, {"events_per_s", cost.events_per_s()}, {"rss_gb", rss / 1e9},
      {"bytes_per_peer", rss / scenario.cluster.peers}};
}

void measure(const Options& options) {
  // Shrunk runs show that the benchmark works; their figures are not to be compared with others.
  const std::uint32_t hundred_thousand = 100'000 / options.shrink;
  const std::uint32_t million = 1'000'000 / options.shrink;
  // The bare loop is measured before and after the peers, because a shared machine changes its
  // speed meanwhile.
  const auto fastest_rate = [&] {
    const json loop = apart("bare loop of ns-3, its fastest queue",
        [&] { return bare(ns3::PriorityQueueScheduler::GetTypeId(), hundred_thousand); });
    return loop["events_per_s"].get<double>();
  };
  const double before = fastest_rate();
  const json bare_default = apart("bare loop of ns-3, its default queue",
      [&] { return bare(ns3::MapScheduler::GetTypeId(), hundred_thousand); });
  const json many =
      apart("Cyclon and gradient, 60 s, " + std::to_string(hundred_thousand) + " peers",
          [&] { return run(gossip(hundred_thousand, 60s)); });
  // The harmonic mean: the rate of both loops taken together.
  const double bare_rate = 2 / (1 / before + 1 / fastest_rate());
  const json million_run = apart("Cyclon, 10 cycles, " + std::to_string(million) + " peers", [&] {
    Scenario scenario = gossip(million, 10s);
    // Cyclon alone, as in the comparison with PeerSim.
    scenario.peer.gradient.period = 1h;
    return run(scenario);
  });
  // A queue of a million events is slower by itself, so it has a yardstick of its own.
  const json bare_million = apart("bare loop of ns-3, as many events as those",
      [&] { return bare(ns3::PriorityQueueScheduler::GetTypeId(), million); });
  const double rate = many["events_per_s"];
  const double million_rate = million_run["events_per_s"];
  const double bare_million_rate = bare_million["events_per_s"];
  const double default_rate = bare_default["events_per_s"];
  const json figures = {{"events_per_s", rate}, {"bare_events_per_s", bare_rate},
      {"ratio", rate / bare_rate}, {"bare_default_events_per_s", default_rate},
      {"ratio_default", rate / default_rate}, {"bare_1m_events_per_s", bare_million_rate},
      {"ratio_1m", million_rate / bare_million_rate}, {"peers_100k", many},
      {"peers_1m", million_run}, {"shrink", options.shrink}};
  std::printf("events                %.2f M/s, a bare loop %.2f M/s: %.2f of it (goal 0.5)\n",
      rate / 1e6, bare_rate / 1e6, rate / bare_rate);
  std::printf("                      with ns-3's default queue %.2f M/s: %.2f of it\n",
      default_rate / 1e6, rate / default_rate);
  std::printf("10^6 peers, Cyclon    %.2f M/s, a bare loop as large %.2f M/s: %.2f of it\n",
      million_rate / 1e6, bare_million_rate / 1e6, million_rate / bare_million_rate);
  std::printf("100,000 peers x 60 s  %.0f s (goal 120), %.0f bytes a peer (goal 6,000)\n",
      many["wall_s"].get<double>(), many["bytes_per_peer"].get<double>());
  std::printf("10^6 peers x 10       %.1f s of CPU (PeerSim 28.9), %.2f GB (PeerSim 1.49)\n",
      million_run["cpu_s"].get<double>(), million_run["rss_gb"].get<double>());
  if (options.json.empty()) return;
  std::ofstream out(options.json);
  out << figures.dump(2) << '\n';
  // A full disk is seen at the flush.
  if (!out.flush()) throw std::runtime_error("cannot write " + options.json);
}

int usage(const std::string& why) {
  std::fprintf(stderr, "dunlin-sim-bench: %s\nusage: dunlin-sim-bench [--json FILE] [--shrink N]\n",
      why.c_str());
  return 2;
}

int main_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string flag = argv[i];
    if (flag != "--json" && flag != "--shrink") return usage("no option " + flag);
    if (i + 1 == argc) return usage(flag + " needs a value");
    if (flag == "--json") {
      options.json = argv[i + 1];
      continue;
    }
    const long shrink = std::strtol(argv[i + 1], nullptr, 10);
    if (shrink < 1 || shrink > 1000) return usage("--shrink needs a number from 1 to 1000");
    options.shrink = static_cast<unsigned>(shrink);
  }
  measure(options);
  return 0;
}

}  // namespace
}  // namespace dunlin::sim

int main(int argc, char** argv) {
  dunlin::sim::use_huge_pages(argv);
  try {
    return dunlin::sim::main_of(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dunlin-sim-bench: %s\n", error.what());
    return 1;
  }
}
