// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <ns3/event-impl.h>
#include <ns3/ptr.h>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "overlay/boxed.h"
#include "overlay/prefetch.h"
#include "sched/peer.h"
#include "sched/peer_params.h"
#include "sched/turn.h"
#include "sim/engine/clock.h"
#include "sim/engine/medium.h"
#include "sim/engine/raft_disk.h"
#include "sim/measure/recorder.h"
#include "sim/measure/sharing.h"
#include "sim/measure/trace.h"
#include "sim/scenario/machines.h"
#include "sim/transport/transport.h"

namespace dunlin::sim {

using overlay::Endpoint;

/// Peers on ns-3's event loop: drives real sched::Peers, and lends them what they may see and
/// touch. Peer i has the id i + 1, the address 10.0.0.1 + i and the event context i. ns-3 has one
/// event loop per process, so there may be one Cluster at a time.
class Cluster final : private Receiver,
                      private overlay::Port<overlay::Message>,
                      private overlay::Port<sched::Message>,
                      private overlay::Port<sched::cell::Message>,
                      private sched::RaftStore,
                      private sched::Observer,
                      private sched::Store,
                      private sched::Executor {
 public:
  struct Options {
    sched::PeerParams params;
    NetworkParams network;
    FaultParams faults;
    std::uint64_t seed = 1;  ///< Of the network, and of its faults.
    Delay delay;             ///< Of messages; if none is given, as `network` says. Not with udp.
    bool disks = true;       ///< Who comes back has the books it kept: that takes memory.
    bool per_peer = false;   ///< What each peer sends is counted.
    bool cells = false;      ///< What cells cost each peer is counted ...
    bool cell_cpu = false;   ///< ... and the CPU time that it takes.
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
  /// What a peer will say of itself, to one who is born at `birth`.
  overlay::Neighbour introduce(std::uint32_t peer, Time birth) const;
  /// A hint that a peer will soon be introduced: fetches what that needs from memory.
  void soon_introduced(std::uint32_t peer) const {
    overlay::prefetch(&members_[peer].peer.overlay().self(), sizeof(overlay::Descriptor));
  }
  /// The peer knows these others from its birth on. Before the loop runs only.
  void seed(std::uint32_t peer, std::span<const overlay::Neighbour> known);
  /// All peers are added. Before the loop runs.
  void ready();

  /// It will soon be the turn of a peer, or next, at a time in ns: fetches it from memory, if there
  /// is such a peer. See Calendar.
  void soon(std::uint32_t index);
  void next(std::uint32_t index, std::uint64_t when);
  /// The peer dies, and all that ran on it; or starts again, in a new life. Nothing, if it is so
  /// already.
  void crash(std::uint32_t peer);
  void restart(std::uint32_t peer, std::span<const Endpoint> contacts);
  /// Who crashes when is for others to bring about; who is cut off from whom, the network sees to.
  const Faults& faults() const { return faults_; }
  bool up(std::uint32_t peer) const { return peer >= down_.size() || !down_[peer]; }

  /// Hands a job to a frontend, from within an event in its context. `facts` are for the record.
  /// False if it was refused.
  bool submit(std::uint32_t peer, sched::Job job, const JobFacts& facts);
  /// An operator says at a peer who shares the cluster.
  void set_classes(std::uint32_t peer, const sched::books::Classes& classes);
  /// Accounts for the attempts that still run, and writes what the transport recorded. At the end
  /// of the run.
  void settle();

  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  const sched::Peer& peer(std::uint32_t index) const { return members_[index].peer; }
  const Traffic& traffic() const { return transport_->traffic(); }
  /// Messages that each peer sent; empty if they were not counted.
  const std::vector<std::uint64_t>& sent() const { return sent_; }
  /// What cells cost each peer so far; empty if it was not counted.
  const std::vector<CellLoad>& cell_loads() const { return cell_loads_; }
  /// Final results that were put into the stores of all peers.
  std::uint64_t results() const { return results_; }

  static Endpoint endpoint_of(std::uint32_t peer);

 private:
  /// An attempt that runs.
  struct Attempt {
    sched::TaskId task;
    std::uint16_t attempt = 1;
    sched::Outcome outcome = sched::Outcome::exited;
    std::uint32_t cpu = 0;
    sched::ClassId class_id = 0;
    Time begin{};
    Time end{};
  };
  struct Alarm {
    Time deadline = overlay::kNever;  ///< When the peer wants to be woken.
    Time due = overlay::kNever;       ///< When its timer fires; kNever if none is pending.
  };
  struct alignas(64) Member {
    Alarm alarm;  ///< First, as timers that fire in vain look at nothing else.
    sched::Peer peer;
    Rng rng;
    overlay::LazyVector<Attempt> running;
  };
  /// One for all peers: whose turn it is, the context tells.
  class Timer final : public ns3::EventImpl {
   public:
    explicit Timer(Cluster& cluster) : cluster_(cluster) {}

   private:
    void Notify() override;
    Cluster& cluster_;
  };

  /// Runs `call(peer, host)` as one turn of a peer; then sees when it wants to be woken.
  template <typename Call>
  void turn(std::uint32_t index, Call&& call);
  /// The peer wants to be woken at `deadline`, and at no other time.
  void arm(std::uint32_t index, Time deadline);
  void set_timer(std::uint32_t index, Time due);
  void on_timer(std::uint32_t index);
  /// turn(), whose CPU time is that of cells, if it is to be measured and `cells`.
  template <typename Call>
  void timed_turn(std::uint32_t index, bool cells, Call&& call);
  /// Those of one make are alike, and share what says so.
  const overlay::Shared<sched::NodeSpec>& make_of(const Machine& machine);
  void reap(std::uint32_t index);

  void receive(std::uint32_t to, std::uint32_t from, const overlay::Message& message) override;
  void receive(std::uint32_t to, std::uint32_t from, const sched::Message& message) override;
  void receive(std::uint32_t to, std::uint32_t from, const sched::cell::Message& message) override;
  template <typename Message>
  void deliver(std::uint32_t to, std::uint32_t from, const Message& message);

  // What is lent to the peer that acts.
  void send(const Endpoint& to, const overlay::Message& message) override;
  void send(const Endpoint& to, const sched::Message& message) override;
  void send(const Endpoint& to, const sched::cell::Message& message) override;
  void on(const overlay::Event& event) override;
  void on(const sched::Event& event) override;
  void put_job(const sched::Job&) override {}
  void put_progress(const sched::JobId&, const sched::JobProgress&) override {}
  void put_report(const sched::JobId&, const sched::Report&, sched::PeerId, bool final) override {
    results_ += final ? 1 : 0;
  }
  void put_loss(const sched::JobId&, const sched::Attempt&, sched::PeerId) override {}
  void forget_job(const sched::JobId&) override {}
  RaftDisk& disk() { return disks_[acting_]; }
  void put_state(const sched::RaftState& state) override {
    if (keeps_disks_) disk().put_state(state);
  }
  void append(sched::GroupId group, std::span<const sched::RaftEntry> entries) override {
    if (keeps_disks_) disk().append(group, entries);
  }
  void truncate(sched::GroupId group, sched::RaftIndex from) override {
    if (keeps_disks_) disk().truncate(group, from);
  }
  void put_snapshot(
      sched::GroupId group, const sched::RaftSnapshot& snapshot, sched::RaftIndex first) override {
    if (keeps_disks_) disk().put_snapshot(group, snapshot, first);
  }
  void forget_group(sched::GroupId group) override {
    if (keeps_disks_) disk().forget_group(group);
  }
  void start(const sched::Launch& launch) override;
  void kill(const sched::TaskId& task, std::uint16_t attempt, sched::Outcome outcome) override;

  std::uint32_t index_of(const Endpoint& endpoint) const;
  void end_at(Time when);

  sched::SharedParams params_;
  std::unordered_map<std::string, overlay::Shared<sched::NodeSpec>> makes_;  ///< By make_key().
  Recorder& recorder_;
  Trace* trace_;
  Faults faults_;
  std::unique_ptr<Transport> transport_;
  std::vector<Member> members_;
  std::unordered_map<std::uint32_t, RaftDisk> disks_;  ///< Of those who keep books.
  std::vector<bool> down_;                             ///< Empty until the first crash.
  ns3::Ptr<Timer> timer_;
  std::uint32_t acting_ = 0;  ///< Whose turn it is ...
  Time now_{};                ///< ... and since when.
  std::uint64_t results_ = 0;
  bool keeps_disks_;
  bool per_peer_;
  std::vector<std::uint64_t> sent_;  ///< By each peer.
  bool cells_;
  bool cell_cpu_;
  std::vector<CellLoad> cell_loads_;
};

}  // namespace dunlin::sim
