// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/turn.h"
#include "sched/turn.h"
#include "sim/engine/members.h"
#include "sim/measure/cell_load.h"
#include "sim/measure/recorder.h"
#include "sim/measure/trace.h"
#include "sim/transport/transport.h"

// Ports that a cluster lends to the peer that acts: messages leave by one, events by another, and a
// third counts results. All of them borrow their arguments.
namespace dunlin::sim {

/// Counts for each peer. They take memory, so each figure is counted only if a run wants it.
struct PeerCosts {
  bool counts_sent = false;   ///< Messages that each peer sends ...
  bool counts_cells = false;  ///< ... what cells cost it ...
  bool times_cells = false;   ///< ... and the CPU time that they take.

  std::vector<std::uint64_t> sent;   ///< Empty if they are not counted.
  std::vector<CellLoad> cell_loads;  ///< Empty if it is not counted.

  /// A peer is added.
  void add();
};

/// Where the messages of the peer that acts leave.
class SendPorts {
 public:
  SendPorts(const Members& members, Transport& transport, PeerCosts& costs, Recorder& recorder)
      : members_(members),
        transport_(transport),
        costs_(costs),
        recorder_(recorder) {}
  SendPorts(const SendPorts&) = delete;
  SendPorts& operator=(const SendPorts&) = delete;

  /// Messages about the views; the next two are those of scheduling, and of cells.
  overlay::Port<overlay::Message>& gossip() { return gossip_; }
  overlay::Port<sched::Message>& scheduling() { return scheduling_; }
  overlay::Port<sched::cell::Message>& cells() { return cells_; }

 private:
  /// One layer's port.
  template <typename Message>
  class Sender final : public overlay::Port<Message> {
   public:
    explicit Sender(SendPorts& ports) : ports_(ports) {}
    void send(const overlay::Endpoint& to, const Message& message) override;

   private:
    SendPorts& ports_;
  };

  const Members& members_;
  Transport& transport_;
  PeerCosts& costs_;
  Recorder& recorder_;
  Sender<overlay::Message> gossip_{*this};
  Sender<sched::Message> scheduling_{*this};
  Sender<sched::cell::Message> cells_{*this};
};

/// Tells the recorder and the trace, which may be null, of events.
class EventTap final : public sched::Observer {
 public:
  EventTap(const Members& members, Recorder& recorder, Trace* trace)
      : members_(members),
        recorder_(recorder),
        trace_(trace) {}

  void on(const overlay::Event& event) override;
  void on(const sched::Event& event) override;

 private:
  const Members& members_;
  Recorder& recorder_;
  Trace* trace_;
};

/// The jobs' disk: it is never read again, because a simulated frontend that comes back has
/// forgotten its jobs. So results are only counted.
class ResultCounter final : public sched::Store {
 public:
  /// Final results of all peers.
  std::uint64_t results() const { return results_; }

  void put_job(const sched::Job&) override {}
  void put_progress(const sched::JobId&, const sched::JobProgress&) override {}
  void put_report(const sched::JobId&, const sched::Report&, sched::PeerId, bool final) override {
    results_ += final ? 1 : 0;
  }
  void put_loss(const sched::JobId&, const sched::Attempt&, sched::PeerId) override {}
  void put_retry(const sched::JobId&, const sched::Attempt&) override {}
  void put_wishes(const sched::JobId&,
      const sched::JobProgress&,
      sched::Wished,
      std::span<const sched::Attempt>) override {}
  void forget_job(const sched::JobId&) override {}
  void put_holder(const sched::StoredHolder&) override {}
  void forget_holder(sched::PeerId) override {}

 private:
  std::uint64_t results_ = 0;
};

}  // namespace dunlin::sim
