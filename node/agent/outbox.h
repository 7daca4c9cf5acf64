// SPDX-License-Identifier: MIT
#pragma once

#include "node/message.h"
#include "node/metrics.h"
#include "node/net/outgoing.h"
#include "node/net/transport.h"
#include "overlay/message.h"
#include "overlay/turn.h"
#include "sched/cell/message.h"
#include "sched/message.h"

namespace dunlin::node {

/// Messages of one turn of the loop, encoded, until they may leave.
///
/// A message of scheduling or of cells may rest on a record of the same turn. It waits until the
/// record is durable, because otherwise a crash would make the node break its word. Gossip, output
/// and reservations rest on no record, and may leave while the disk still works.
class Outbox {
 public:
  /// Counts in `metrics`, which must outlive this.
  explicit Outbox(Metrics& metrics) : metrics_(metrics) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  // Where the layers of a peer send.
  overlay::Port<overlay::Message>& gossip() { return gossip_; }
  overlay::Port<sched::Message>& scheduling() { return scheduling_; }
  overlay::Port<sched::cell::Message>& cells() { return cells_; }

  void send(const overlay::Endpoint& to, const overlay::Message& message);
  void send(const overlay::Endpoint& to, const sched::Message& message);
  void send(const overlay::Endpoint& to, const sched::cell::Message& message);
  void send(const overlay::Endpoint& to, const Message& message);

  bool empty() const { return held_.empty() && free_.empty(); }
  /// Sends by `transport` what rests on no record, at once.
  void release_free(Transport& transport);
  /// Hands over everything if all records are `durable`. If not, what may rest on one is dropped
  /// and counted: for its receiver the network lost it.
  void release(Transport& transport, bool durable);

 private:
  /// One layer's port.
  template <typename Kind>
  class Sender final : public overlay::Port<Kind> {
   public:
    explicit Sender(Outbox& outbox) : outbox_(outbox) {}
    void send(const overlay::Endpoint& to, const Kind& message) override {
      outbox_.send(to, message);
    }

   private:
    Outbox& outbox_;
  };

  Metrics& metrics_;
  Sender<overlay::Message> gossip_{*this};
  Sender<sched::Message> scheduling_{*this};
  Sender<sched::cell::Message> cells_{*this};
  Outgoing held_;  ///< May leave only after the records before them.
  Outgoing free_;
};

}  // namespace dunlin::node
