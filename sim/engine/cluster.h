// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "overlay/prefetch.h"
#include "sched/logs/no_logs.h"
#include "sched/peer.h"
#include "sched/peer_params.h"
#include "sched/turn.h"
#include "sim/engine/alarms.h"
#include "sim/engine/lent_ports.h"
#include "sim/engine/makes.h"
#include "sim/engine/members.h"
#include "sim/engine/peer_servers.h"
#include "sim/engine/raft_disk.h"
#include "sim/engine/task_runner.h"
#include "sim/engine/use_clock.h"
#include "sim/engine/waiting_job.h"
#include "sim/measure/recorder.h"
#include "sim/measure/trace.h"
#include "sim/scenario/faults.h"
#include "sim/scenario/network_params.h"
#include "sim/scenario/processing_params.h"
#include "sim/transport/latency.h"
#include "sim/transport/transport.h"

namespace dunlin::sim {

using overlay::Endpoint;

/// Peers on ns-3's event loop: drives real sched::Peers, and lends them what they may see and
/// touch. Peer i has the event context i; addresses.h says how others reach it. ns-3 has one event
/// loop per process, so there may be one Cluster at a time.
class Cluster {
 public:
  struct Options {
    sched::PeerParams params;
    NetworkParams network;
    FaultParams faults;
    ProcessingParams processing{};
    std::uint64_t seed = 1;  ///< The network and its faults draw from it.
    Delay delay;             ///< A message's. Empty: as `network` says. Not with udp.
    bool disks = true;       ///< A peer that comes back has the books it kept: takes memory.
    bool per_peer = false;   ///< Counts the messages that each peer sends.
    bool cells = false;      ///< Counts the cost of cells to each peer ...
    bool cell_cpu = false;   ///< ... and measures their CPU time.
    const ClusterParams* contention = nullptr;  ///< Null: no task slows another ...
    ResourceMeter* resources = nullptr;         ///< ... else what they take is told to this one.
  };

  /// `recorder` and `trace` (which may be null) are told what happens, and must outlive this.
  Cluster(const Options& options, Recorder& recorder, Trace* trace);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Makes room for so many peers in all: vectors that grow by themselves take twice the memory.
  void reserve(std::uint32_t peers);
  /// Adds a peer that comes to life at `birth`, and returns its number. Before the loop runs only.
  std::uint32_t add(
      const Machine& machine, std::span<const Endpoint> contacts, Rng rng, Time birth);
  /// The peer's description of itself, to one that is born at `birth`.
  overlay::Neighbour introduce(std::uint32_t peer, Time birth) const;
  /// A hint that a peer will soon be introduced: fetches what that needs from memory.
  void soon_introduced(std::uint32_t peer) const {
    overlay::prefetch(&members_[peer].peer.overlay().self(), sizeof(overlay::Descriptor));
  }
  /// The peer knows these others from its birth on. Before the loop runs only.
  void seed(std::uint32_t peer, std::span<const overlay::Neighbour> known);
  /// All peers are added. Before the loop runs.
  void ready();
  /// A user or an operator acts at a peer, from within an event in its context or before the loop
  /// runs: a turn of its own, which takes no time.
  void act(std::uint32_t peer,
      const std::function<void(sched::Peer& peer, const sched::Host& host)>& act);

  /// It will soon be the turn of a peer, or next, at a time in ns: fetches it from memory, if there
  /// is such a peer. See Calendar.
  void soon(std::uint32_t index);
  /// Hints of the calendar, which fetch memory ahead. They change nothing.
  void next(std::uint32_t index, std::uint64_t when);
  /// The peer dies, and all that ran on it; or starts again, in a new life. Nothing, if it is so
  /// already.
  void crash(std::uint32_t peer);
  /// A peer that crashed begins anew as a later incarnation, with its disk, if disks are simulated.
  void restart(std::uint32_t peer, std::span<const Endpoint> contacts);
  /// Which peers crash when is for others to bring about; to partitions the network sees.
  const Faults& faults() const { return faults_; }
  /// False from its crash to its restart.
  bool up(std::uint32_t peer) const { return peer >= down_.size() || !down_[peer]; }

  /// Hands a job to a frontend, from within an event in its context. `facts` are for the record.
  /// False if it was refused. Where turns take time, it may have to wait, and be refused later.
  bool submit(std::uint32_t peer, sched::Job job, const JobFacts& facts);
  /// Jobs that wait for a turn of their frontend.
  std::uint32_t waiting_jobs() const { return waiting_jobs_; }
  /// The jobs that peers which are up know.
  std::vector<sched::JobId> driven() const;
  /// True if a node that is up keeps a copy of the log that the job is in, as a standby or as home.
  bool has_copy(const sched::JobId& job) const;
  /// Accounts for the attempts that still run, and writes what the transport recorded. At the end
  /// of the run.
  void settle();

  std::uint32_t size() const { return members_.size(); }
  const sched::Peer& peer(std::uint32_t index) const { return members_[index].peer; }
  const Traffic& traffic() const { return transport_->traffic(); }
  /// The counts of each peer.
  const PeerCosts& costs() const { return costs_; }
  /// Final results that were put into the stores of all peers.
  std::uint64_t results() const { return results_.results(); }

 private:
  /// Takes the messages that the transport brings.
  class Arrivals final : public Receiver {
   public:
    explicit Arrivals(Cluster& cluster) : cluster_(cluster) {}
    void receive(std::uint32_t to, std::uint32_t from, const overlay::Message& message) override;
    void receive(std::uint32_t to, std::uint32_t from, const sched::Message& message) override;
    void receive(
        std::uint32_t to, std::uint32_t from, const sched::cell::Message& message) override;

   private:
    Cluster& cluster_;
  };

  /// Submits the job at the peer within its turn. False if the peer refuses it.
  bool take_in(std::uint32_t index, WaitingJob& waits);
  /// Runs `call(peer, host)` as one turn of a peer; then sees when it wants to be woken.
  template <typename Call>
  void turn(std::uint32_t index, Call&& call);
  /// turn(). Its CPU time counts as that of cells, if `cells` and if it is to be measured.
  template <typename Call>
  void timed_turn(std::uint32_t index, bool cells, Call&& call);
  /// Its deadline has come: it acts at once or, where turns take time, once it is free.
  void wake(std::uint32_t index);
  void on_exits(std::uint32_t index, std::span<const sched::Exit> exits);
  /// A message has come. A peer that is down loses it, as a dead process would.
  template <typename Message>
  void deliver(std::uint32_t to, std::uint32_t from, const Message& message);

  sched::SharedParams params_;
  Makes makes_;
  Recorder& recorder_;
  Trace* trace_;
  Faults faults_;
  std::uint64_t lineages_;  ///< The seed of the lineages of jobs.
  Members members_;
  std::vector<bool> down_;  ///< Empty until the first crash.
  PeerCosts costs_;
  Arrivals arrivals_{*this};
  std::unique_ptr<Transport> transport_;
  SendPorts ports_;
  EventTap events_;
  ResultCounter results_;
  RaftDisks disks_;
  sched::replica::NoLogs logs_;
  TaskRunner tasks_;
  std::optional<UseClock> use_clock_;  ///< If machines use other than what tasks demand.
  Alarms alarms_;
  WorldPorts world_{ports_.gossip(), ports_.scheduling(), ports_.cells(), events_, tasks_};
  std::uint32_t waiting_jobs_ = 0;
  PeerServers servers_;
};

}  // namespace dunlin::sim
