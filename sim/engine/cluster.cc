// SPDX-License-Identifier: MIT
#include "sim/engine/cluster.h"

#include <algorithm>
#include <ns3/simulator.h>
#include <type_traits>
#include <utility>

#include "overlay/ensure.h"
#include "sched/cell/cell_node.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer/peer_orders.h"
#include "sched/peer_maintenance.h"
#include "sched/peer_sharing.h"
#include "sched/peer_view.h"
#include "sim/clock.h"
#include "sim/engine/errands.h"
#include "sim/transport/addresses.h"
#include "sim/transport/context.h"
#include "sim/transport/fabric.h"
#include "sim/transport/udp.h"

// The peers of a simulated cluster and what lies between them. A peer is the very class that an
// agent runs; here is its other driver. An event of ns-3 (message, alarm, exit, crash) names a peer
// by its index, and becomes one turn of it: a call with the ports of that moment, then the alarm is
// set anew. With service times (`processing`) the event first waits for the peer, as it would in
// the queue of a busy process.
namespace dunlin::sim {
namespace {

constexpr std::uint32_t kFirstLife = 1;

std::unique_ptr<Transport> make_transport(
    Receiver& receiver, const Cluster::Options& options, const Faults& faults) {
  // Each part draws from a stream of its own: one that draws more often must not change the others.
  const std::uint64_t seed = Rng{options.seed + 1}();
  if (options.network.transport == TransportKind::udp) {
    return std::make_unique<UdpTransport>(receiver, options.network, faults, seed);
  }
  const Delay delay = options.delay ? options.delay : LatencyModel(options.network, options.seed);
  Medium medium(options.network, delay, seed, faults);
  if (options.network.transport == TransportKind::fabric) {
    return std::make_unique<FabricTransport>(receiver, std::move(medium), options.network.pcap);
  }
  return std::make_unique<ContextTransport>(receiver, std::move(medium), options.network.codec);
}

}  // namespace

Cluster::Cluster(const Options& options, Recorder& recorder, Trace* trace)
    : params_(options.params),
      recorder_(recorder),
      trace_(trace),
      faults_(options.faults, Rng{options.seed + 2}()),
      lineages_(Rng{options.seed + 3}()),
      costs_{.counts_sent = options.per_peer,
          .counts_cells = options.cells,
          .times_cells = options.cells && options.cell_cpu},
      transport_(make_transport(arrivals_, options, faults_)),
      ports_(members_, *transport_, costs_, recorder),
      events_(members_, recorder, trace),
      disks_(members_, options.disks),
      tasks_(members_,
          recorder,
          [this](
              std::uint32_t index, std::span<const sched::Exit> exits) { on_exits(index, exits); }),
      alarms_(members_, [this](std::uint32_t index) { wake(index); }),
      servers_(options.processing, members_, world_, recorder) {
  if (options.contention != nullptr) {
    tasks_.contend(*options.contention, *options.resources);
    const sched::TrackerParams& tracker = options.params.tracker;
    const bool differs =
        options.contention->background_share > 0 || tracker.reclaim != sched::Reclaim::off;
    // Else machines use what their tasks demand, as each peer knows.
    if (tracker.watch != sched::Tracked::off && differs) {
      use_clock_.emplace(tracker.period, [this](std::uint32_t peer) {
        if (!up(peer)) return;
        const sched::Measured measured = tasks_.measure(peer);
        act(peer, [&](sched::Peer& each, const sched::Host& host) {
          each.maintenance().set_use(host, measured);
        });
      });
    }
  }
  // Times go to ns-3 and back as whole numbers; another unit would be a silent factor.
  ensure(ns3::Time::GetResolution() == ns3::Time::NS, "time steps are nanoseconds");
}

std::uint32_t Cluster::add(
    const Machine& machine, std::span<const Endpoint> contacts, Rng rng, Time birth) {
  const std::uint32_t index = size();
  members_.all.push_back({.alarm = {},
      .peer = sched::Peer(
          params_, makes_.of(machine, kFirstLife), endpoint_of(index), kFirstLife, contacts),
      .rng = rng,
      .running = {}});
  tasks_.add(index, machine);
  costs_.add();
  // Costs and transport have a place for each peer, in the same order as `members_`.
  transport_->add();
  members_.now = now();
  alarms_.arm(index, birth);
  return index;
}

// Peers are large, and moving a million of them while a vector grows takes twice the memory.
void Cluster::reserve(std::uint32_t peers) {
  members_.all.reserve(peers);
}

overlay::Neighbour Cluster::introduce(std::uint32_t peer, Time birth) const {
  return {.peer = members_[peer].peer.overlay().self(), .born = birth};
}

void Cluster::seed(std::uint32_t peer, std::span<const overlay::Neighbour> known) {
  members_[peer].peer.seed(known);
}

void Cluster::ready() {
  transport_->ready();
  tasks_.ready();
  if (use_clock_) use_clock_->start(size());
}

template <typename Call>
void Cluster::turn(std::uint32_t index, Call&& call) {
  Member& member = members_[index];
  // Ports are shared by all peers, and ask this which one acts: a port for each would cost
  // memory by the peer.
  members_.acting = index;
  members_.now = now();
  const WorldPorts& ports = servers_.in_turn() ? servers_.ports() : world_;
  call(member.peer,
      sched::Host{.now = members_.now,
          .rng = member.rng,
          .gossip = ports.gossip,
          .out = ports.out,
          .events = ports.events,
          .store = results_,
          .executor = ports.executor,
          .cells = ports.cells,
          .books = disks_,
          .logs = logs_,
          .effort = servers_.in_turn() ? &servers_.effort() : nullptr});
  // What wakes it already waits for its turn.
  if (!servers_.has_alarm(index)) alarms_.arm(index, member.peer.deadline());
}

template <typename Call>
void Cluster::timed_turn(std::uint32_t index, bool cells, Call&& call) {
  if (!costs_.times_cells || !cells) return turn(index, std::forward<Call>(call));
  const std::uint64_t began = thread_cpu_ns();
  turn(index, std::forward<Call>(call));
  costs_.cell_loads[index].cpu_ns += thread_cpu_ns() - began;
}

void Cluster::wake(std::uint32_t index) {
  const auto wake_it = [this, index] {
    // Other work that is due at the same moment counts with them: it is seldom, and little.
    const sched::CellNode* cells = costs_.times_cells ? members_[index].peer.cells() : nullptr;
    timed_turn(index, cells != nullptr && cells->deadline() <= members_.now,
        [](sched::Peer& peer, const sched::Host& host) { peer.wake(host); });
  };
  if (!servers_.are_busy()) return wake_it();
  // It is due and waits for the peer: it must not be set for the same moment again.
  members_[index].alarm.deadline = overlay::kNever;
  (void)servers_.post_alarm(index, wake_it);
}

void Cluster::on_exits(std::uint32_t index, std::span<const sched::Exit> exits) {
  const auto tell = [this, index](std::span<const sched::Exit> ended) {
    turn(index, [&](sched::Peer& peer, const sched::Host& host) { peer.on_exits(host, ended); });
  };
  if (!servers_.are_busy()) return tell(exits);
  // The span is the caller's, so the exits that wait are copied.
  servers_.post(index, PeerServers::For::itself,
      [tell, kept = std::vector(exits.begin(), exits.end())] { tell(kept); });
}

// The calendar tells which peers are next, and their memory is asked for ahead: with a hundred
// thousand peers each event would begin with a cache miss.
void Cluster::soon(std::uint32_t index) {
  if (index >= size()) return;  // An event of no peer.
  overlay::prefetch(&members_[index], sizeof(Member));
}

void Cluster::next(std::uint32_t index, std::uint64_t when) {
  if (index >= size()) return;
  // If it is a timer's that fires in vain, and not a message's, no more is needed. Never mind
  // which.
  const Alarm& alarm = members_[index].alarm;
  const auto ahead = [&](Time time) {
    return static_cast<std::uint64_t>(time.time_since_epoch().count()) > when;
  };
  if (ahead(alarm.deadline) && !ahead(alarm.due)) return;
  transport_->soon(index);
  members_[index].peer.prefetch();
}

template <typename Message>
void Cluster::deliver(std::uint32_t to, std::uint32_t from, const Message& message) {
  if (!up(to)) return;
  if (trace_ != nullptr) trace_->arrival(now(), from, to, kind_of(message));
  const auto take = [this, to, from](const Message& brought) {
    constexpr bool kOfCells = std::is_same_v<Message, sched::cell::Message>;
    if constexpr (kOfCells) {
      if (costs_.counts_cells) costs_.cell_loads[to].count(brought);
    }
    timed_turn(to, kOfCells, [&](sched::Peer& peer, const sched::Host& host) {
      peer.receive(host, endpoint_of(from), brought);
    });
  };
  if (!servers_.are_busy()) return take(message);
  const Errand errand = errand_of(message);
  AllocationMeter& meter = recorder_.allocation_meter();
  // Until now it was on its way; from here on it waits for its turn, and at the end of that it has
  // been worked on.
  meter.spend(now(), errand, &Allocation::communication);
  servers_.post(to, PeerServers::For::message, [this, take, message, errand, &meter] {
    if (errand.queue != nullptr) {
      meter.spend(now(), errand, errand.queue);
      servers_.at_end([errand, &meter] { meter.spend(now(), errand, &Allocation::processing); });
    }
    take(message);
  });
}

void Cluster::Arrivals::receive(
    std::uint32_t to, std::uint32_t from, const overlay::Message& message) {
  cluster_.deliver(to, from, message);
}

void Cluster::Arrivals::receive(
    std::uint32_t to, std::uint32_t from, const sched::Message& message) {
  cluster_.deliver(to, from, message);
}

void Cluster::Arrivals::receive(
    std::uint32_t to, std::uint32_t from, const sched::cell::Message& message) {
  cluster_.deliver(to, from, message);
}

// What it was sent and has not taken goes, and its tasks; its disk stays for restart().
void Cluster::crash(std::uint32_t index) {
  if (!up(index)) return;
  down_.resize(size());
  down_[index] = true;
  tasks_.crash(index);
  servers_.crash(index);
  // A timer that is still queued finds that it is not due, and does nothing: see Alarms.
  members_[index].alarm = {};
}

void Cluster::restart(std::uint32_t index, std::span<const Endpoint> contacts) {
  if (up(index)) return;
  down_[index] = false;
  sched::Peer& peer = members_[index].peer;
  const sched::NodeSpec before = peer.self();
  // A restarted node is a new incarnation of the same id, as in the agent: others must drop what
  // they know of the old one.
  // What it had in memory is gone with it, its jobs as well. Only books come back from its disk.
  const std::uint32_t life = before.incarnation + 1;
  peer = sched::Peer(
      params_, makes_.of({before.total, before.attributes}, life), before.endpoint, life, contacts);
  members_.now = now();
  alarms_.arm(index, peer.deadline());
  const RaftDisk* disk = disks_.of(index);
  if (disk == nullptr) return;
  turn(index, [&](sched::Peer& again, const sched::Host& host) {
    const auto restored = again.sharing().restore_books(host, disk->contents());
    ensure(restored.has_value(), "books that a simulated disk spoiled");
  });
}

void Cluster::act(std::uint32_t index,
    const std::function<void(sched::Peer& peer, const sched::Host& host)>& act) {
  turn(index, act);
}

bool Cluster::submit(std::uint32_t index, sched::Job job, const JobFacts& facts) {
  if (!up(index)) {
    // Users of a node that is down are refused: nothing is kept for later.
    recorder_.on_refusal(now(), facts, "its frontend is down");
    return false;
  }
  const auto waits = std::make_shared<WaitingJob>(recorder_, waiting_jobs_, std::move(job), facts);
  if (!servers_.are_busy()) return take_in(index, *waits);
  servers_.post(
      index, PeerServers::For::message, [this, index, waits] { (void)take_in(index, *waits); });
  return true;
}

bool Cluster::take_in(std::uint32_t index, WaitingJob& waits) {
  bool accepted = false;
  sched::Job job = waits.take();
  job.replicas = params_.all->frontend.replicas;
  job.replicas_required = std::min(job.replicas, params_.all->frontend.replicas_required);
  const std::uint32_t tasks = job.task_count();
  // No peer draws from this stream: what is simulated does not depend on names.
  // A peer numbers its jobs anew in each life: a lineage of its own for each keeps their ids apart.
  const std::uint32_t incarnation = members_[index].peer.overlay().self().incarnation;
  job.id.lineage = Rng{lineages_ ^ (std::uint64_t{index} << 32 | incarnation)}();
  turn(index, [&](sched::Peer& peer, const sched::Host& host) {
    const auto id = peer.orders().submit(host, std::move(job));
    accepted = id.has_value();
    if (accepted) {
      recorder_.on_submit(waits.since(), *id, tasks, waits.facts());
    } else {
      recorder_.on_refusal(waits.since(), waits.facts(), id.error().text);
    }
  });
  return accepted;
}

std::vector<sched::JobId> Cluster::driven() const {
  std::vector<sched::JobId> jobs;
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (!up(i)) continue;
    for (const sched::JobState* job : sched::jobs_of(peer(i))) jobs.push_back(job->id());
  }
  return jobs;
}

bool Cluster::has_copy(const sched::JobId& job) const {
  for (std::uint32_t i = 0; i < size(); ++i) {
    const sched::PeerLogs* const logs = up(i) ? peer(i).logs() : nullptr;
    const auto held = logs != nullptr ? logs->parts().held(now(), job) : std::nullopt;
    if (held && held->standing != sched::CopyStanding::lacks) return true;
  }
  return false;
}

void Cluster::settle() {
  servers_.clear();
  transport_->settle();
  tasks_.settle();
}

}  // namespace dunlin::sim
