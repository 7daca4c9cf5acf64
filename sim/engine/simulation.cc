// SPDX-License-Identifier: MIT
#include "sim/engine/simulation.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <ns3/callback.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/simulator.h>
#include <set>
#include <sys/resource.h>
#include <tuple>
#include <utility>
#include <vector>

#include "overlay/ensure.h"
#include "sched/cell/plan_member.h"
#include "sched/cell/plan_rule.h"
#include "sched/peer_sharing.h"
#include "sched/worker/discipline/tetris.h"
#include "sim/clock.h"
#include "sim/engine/calendar.h"
#include "sim/engine/make_baseline.h"
#include "sim/engine/populate.h"
#include "sim/engine/workload_of.h"
#include "sim/scenario/machines.h"
#include "sim/transport/latency.h"
#include "sim/workload/whole_trace.h"

// One run: the scenario becomes a cluster of peers, or one of the baselines, with jobs, faults and
// measures around it. Peers and baselines see the same machines, the same jobs at the same moments
// and the same crashes, so that their difference is that of the schedulers alone.
namespace dunlin::sim {
namespace {

/// A run is asked this many times, evenly in simulated time, if all is done ...
constexpr int kTicks = 600;
constexpr Duration kTickMin = std::chrono::milliseconds(100);  // ... but not more often.
/// In larger clusters, messages are not counted by peer: it takes time and memory for each.
constexpr std::uint32_t kPeersCounted = 20'000;
constexpr double kProgressPeriod = 0.1;  // Seconds of wall time.

double wall_seconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::uint64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  // Linux tells KiB. The peak is of the process, so of the largest of its runs so far.
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

// Several times as fast as ns3::MapScheduler, the default, and the order of events is the same.
void set_calendar(Cluster& cluster) {
  ns3::ObjectFactory factory;
  factory.SetTypeId(Calendar::GetTypeId());
  factory.Set("Soon", ns3::CallbackValue(ns3::MakeCallback(&Cluster::soon, &cluster)));
  factory.Set("Next", ns3::CallbackValue(ns3::MakeCallback(&Cluster::next, &cluster)));
  ns3::Simulator::SetScheduler(factory);
}

/// True if tasks contend: machines have limits that tasks may meet which are not rigid.
bool contends(const Scenario& scenario) {
  return sched::has_rates(largest_machine(scenario.cluster)) || deals(scenario.baseline.scheduler);
}

Window window_of(const SimulationParams& params) {
  return {.from = Time{params.warm_up}, .until = Time{params.duration}};
}

/// What the recorder is told is written there as well, unless it is null.
void write_to(EventLog* log, const Fleet& machines, Recorder& recorder) {
  if (log == nullptr) return;
  for (const Machine& each : machines.all()) log->machine(each.total.cpu);
  recorder.log() = *log;
}

}  // namespace

Simulation::Simulation(
    const Scenario& scenario, Trace* trace, std::unique_ptr<Workload> workload, EventLog* log)
    : scenario_(scenario),
      defaults_(scenario_.attributes),
      machines_(machines_of(scenario.cluster, scenario.chance())),
      recorder_(window_of(scenario.simulation), machines_, scenario.measures),
      resources_(contends(scenario) ? ResourceMeter(machines_, scenario.measures.resource_period)
                                    : ResourceMeter()),
      health_rng_(~scenario.chance()),
      classes_(*classes_of(scenario.classes)),
      sharing_(classes_) {
  // To set peers up belongs to the cost of a run: in large clusters it is a good part of it.
  began_ = wall_seconds();
  cpu_began_ = cpu_seconds();
  write_to(log, machines_, recorder_);
  // One stream for each use: more peers, say, do not change the jobs.
  Rng root{scenario.chance()};
  // The order of these draws is part of what a seed means: a new one goes behind the last.
  const std::uint64_t latency_seed = root();
  // The model that peers' messages ask as well: a baseline must not have a faster network.
  const Delay delay = LatencyModel(scenario.network, latency_seed);
  Rng jobs = root.fork();
  Rng peers = root.fork();
  Rng chance = root.fork();
  Rng restarts = root.fork();
  cluster_ = std::make_unique<Cluster>(cluster_options(latency_seed), recorder_, trace);
  set_calendar(*cluster_);
  recorder_.classes() = ClassMeter(classes_);
  const auto placement = scenario.peer_in_effect().frontend.placement;
  const bool has_parts =
      placement == sched::PlacementName::federated || takes_time(scenario.processing);
  if (has_parts && !is_baseline(scenario.baseline.scheduler))
    recorder_.allocation_meter().follow_events();
  workload = workload_of(std::move(workload), jobs);
  jobs_ = std::make_unique<JobFeed>(scenario_, classes_, std::move(workload), recorder_,
      [this](std::uint32_t frontend, sched::Job job, const JobFacts& facts) {
        return submit(frontend, std::move(job), facts);
      });
  recorder_.tell_finished([this](std::uint64_t key) { jobs_->on_finished(key); });
  if (is_baseline(scenario.baseline.scheduler)) {
    baseline_ = make_baseline({.machines = machines_,
                                  .delay = delay,
                                  .rng = chance,
                                  .params = scenario.baseline,
                                  .demand = demand_of(scenario.workload),
                                  .processing = scenario.processing,
                                  .classes = classes_,
                                  .masters = frontends_of(scenario.workload, machines_.size()),
                                  .local_masters = scenario.cluster.cells,
                                  .contention = contends(scenario_) ? &scenario_.cluster : nullptr,
                                  .resources = &resources_,
                                  .rules = sched::packing_rules(scenario.peer.worker)},
        recorder_);
    // Other baselines know of no crashes: see Baseline::crash().
    if (plans_slots(scenario.baseline.scheduler)) schedule_crashes();
  } else {
    start_peers(peers, restarts);
  }
}

std::unique_ptr<Workload> Simulation::workload_of(std::unique_ptr<Workload> workload, Rng jobs) {
  if (workload == nullptr) {
    workload = drawn_workload(scenario_, machines_, classes_, recorder_.window().until, jobs);
  }
  if (is_trace(scenario_.workload.kind) && scenario_.trace.whole) {
    workload = std::make_unique<WholeTrace>(std::move(workload), scenario_.trace,
        scenario_.map_reduce, largest_machine(scenario_.cluster), Rng{scenario_.chance()}.fork());
  }
  return workload;
}

Cluster::Options Simulation::cluster_options(std::uint64_t latency_seed) {
  return {.params = scenario_.peer_in_effect(),
      .network = scenario_.network,
      .faults = scenario_.faults,
      .processing = scenario_.processing,
      .seed = latency_seed,
      .disks = any_returns(scenario_.faults),
      .per_peer = scenario_.cluster.peers <= kPeersCounted,
      .cells = !classes_.empty(),
      .cell_cpu = scenario_.measures.cell_cpu,
      .contention = contends(scenario_) ? &scenario_.cluster : nullptr,
      .resources = &resources_};
}

Simulation::~Simulation() {
  // ns-3's simulator is global: a second run in this process must find it empty.
  // Here, before the members go, since events that are left point at them.
  ns3::Simulator::Destroy();
}

void Simulation::start_peers(Rng peers, Rng restarts) {
  populate(*cluster_, scenario_, machines_, peers);
  cluster_->ready();
  if (scenario_.cluster.start == Start::celled) establish_cells(*cluster_, scenario_);
  outages_ = std::make_unique<Outages>(
      scenario_, *cluster_, [this](std::uint32_t peer) { jobs_->on_returned(peer); });
  outages_->schedule_crashes(last(), restarts);
  schedule_sharing();
  // A stream of its own: a run in which users list must draw all else as one in which none does.
  lister_ = std::make_unique<JobLister>(scenario_, *cluster_, Rng{~scenario_.chance() + 1});
  lister_->start();
}

// The same machines at the same moments as those of peers.
void Simulation::schedule_crashes() {
  cluster_->faults().for_each_crash(
      scenario_.cluster.peers, last(), [this](std::uint32_t machine, const Faults::Crash& crash) {
        const Duration at = crash.at.time_since_epoch();
        schedule(at, [this, machine] { baseline_->crash(machine); });
        if (crash.down == Duration{0}) return;
        schedule(at + crash.down, [this, machine] { baseline_->restart(machine); });
      });
}

void Simulation::schedule_table() {
  sched::books::Classes table = table_of(classes_);
  if (scenario_.baseline.plan) table.plan = sched::plan_rule(plan_of(scenario_.baseline));
  // Nothing to set: an empty table would be told to all peers like any other.
  if (table.classes.empty() && !scenario_.baseline.plan) return;
  if (scenario_.peer.sharing.cell.sharing == sched::SharingMode::none) return;
  ns3::Simulator::ScheduleWithContext(
      0, to_ns3(scenario_.classes.set_at), [this, table = std::move(table)] {
        cluster_->act(0, [&](sched::Peer& peer, const sched::Host& host) {
          const auto set = peer.sharing().set_classes(host, table);
          ensure(set.has_value(), "a class table that a scenario should not have had");
        });
      });
}

void Simulation::schedule_sharing() {
  schedule_table();
  if (!sharing_.watches()) return;
  // From the stream of the measures: a run that watches must draw as one that does not.
  const Rng managers = health_rng_.fork();
  ns3::Simulator::ScheduleWithContext(
      ns3::Simulator::NO_CONTEXT, to_ns3(scenario_.simulation.warm_up), [this] {
        sharing_.begin(now(), recorder_.classes().total(now()), cluster_->costs().cell_loads);
      });
  outages_->schedule_managers(managers);
}

bool Simulation::submit(std::uint32_t frontend, sched::Job job, const JobFacts& facts) {
  if (!baseline_) return cluster_->submit(frontend, std::move(job), facts);
  baseline_->submit(frontend, std::move(job), facts);
  return true;
}

void Simulation::run(const OnProgress& on_progress) {
  tick_ = std::max(kTickMin, scenario_.simulation.duration / kTicks);
  jobs_->start();
  const bool looks = !baseline_ || recorder_.plans().measures();
  if (scenario_.measures.health_period > Duration{0} && looks) look_at_health();
  tick(on_progress);
  ns3::Simulator::Run();
  ended_ = now();
  occupied_ = recorder_.classes().total(ended_);
  cluster_->settle();
  if (baseline_) baseline_->settle();
  take_stock();
  recorder_.log().end(ended_);
  cost_ = {.wall_s = wall_seconds() - began_,
      .cpu_s = cpu_seconds() - cpu_began_,
      .events = ns3::Simulator::GetEventCount(),
      .peak_bytes = peak_bytes()};
}

// Where the books of a cell died, a standby has a job that it may not drive: that one is not lost.
void Simulation::take_stock() {
  const auto key = [](const sched::JobId& id) {
    return std::tuple(id.home.value, id.number, id.lineage);
  };
  std::set<decltype(key({}))> driven;
  if (!baseline_) {
    for (const sched::JobId& id : cluster_->driven()) driven.insert(key(id));
  }
  const auto knows = [&](const sched::JobId& id) {
    return baseline_ || driven.contains(key(id)) || cluster_->has_copy(id);
  };
  fates_ = fates_of(recorder_, true, knows);
  fates_of_all_ = fates_of(recorder_, false, knows);
  const std::string law = broken_law(recorder_, jobs_->offered(), fates_of_all_);
  // In every run, not in tests alone: figures of a run that lost a task are worth nothing.
  ensure(law.empty(), law.c_str());
}

void Simulation::look_at_health() {
  if (baseline_) {
    health_.push_back({.at = now()});
  } else {
    look_at_peers();
  }
  const PlanMeter::PerJob per_job = recorder_.plans().per_job();
  health_.back().job_slots = per_job.slots;
  health_.back().job_running = per_job.running;
  // Without end: the run is ended by tick(), whatever is still queued.
  ns3::Simulator::ScheduleWithContext(ns3::Simulator::NO_CONTEXT,
      to_ns3(scenario_.measures.health_period), [this] { look_at_health(); });
}

void Simulation::look_at_peers() {
  const auto peers = peers_alive(*cluster_, scenario_.cluster);
  std::vector<bool> minor;
  for (std::uint32_t i = 0; i < cluster_->size() && scenario_.faults.partition_share > 0; ++i) {
    minor.push_back(cluster_->faults().in_minor_part(i));
  }
  health_.push_back(health_of({.now = now(),
                                  .peers = peers,
                                  .born = born_by(now(), scenario_.cluster),
                                  .minor = std::move(minor),
                                  .gradient = scenario_.peer.gradient},
      scenario_.measures.health_sample, health_rng_));
  if (sharing_.watches()) {
    Sharing& sharing = health_.back().sharing;
    sharing = sharing_of(now(), peers);
    sharing_.look(now(), sharing, recorder_.classes().total(now()), cluster_->costs().cell_loads);
  }
}

Time Simulation::last() const {
  return Time{scenario_.simulation.duration} + scenario_.simulation.drain;
}

void Simulation::tick(const OnProgress& on_progress) {
  const bool idle =
      jobs_->over() && cluster_->waiting_jobs() == 0 && recorder_.counts().all_finished();
  // Not before the measured time is over, even if all is done: shares and rates are of all of it.
  // Two ends: all is done, or the drain is over, whatever still runs then.
  if (now() >= last() || (idle && now() >= recorder_.window().until)) {
    ns3::Simulator::Stop();
    return;
  }
  if (on_progress && wall_seconds() - last_progress_ >= kProgressPeriod) {
    last_progress_ = wall_seconds();
    on_progress(now(), recorder_);
  }
  // By reference, as run() does not return before the last event.
  ns3::Simulator::ScheduleWithContext(
      ns3::Simulator::NO_CONTEXT, to_ns3(tick_), [this, &on_progress] { tick(on_progress); });
}

}  // namespace dunlin::sim
