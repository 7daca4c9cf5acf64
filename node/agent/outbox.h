// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "node/control/overlay/round_trips.h"
#include "node/message.h"
#include "node/metrics.h"
#include "node/net/outgoing.h"
#include "node/net/transport.h"
#include "overlay/message.h"
#include "overlay/turn.h"
#include "sched/cell/message.h"
#include "sched/message.h"

namespace dunlin::node {

/// Messages, encoded, until they may leave.
///
/// A message of scheduling may rest on a record of a job or its log, one of cells on a record of
/// books (but the requests of logs, which rest on those): of the same turn, or of an earlier one
/// that is still on its way to the disk. It waits until that record is durable, because otherwise a
/// crash would make the node break its word. Gossip, output and all for which
/// sched::rests_on_record() is false leave while the disk still works.
class Outbox {
 public:
  /// A place in the order of commits: Records::Mark.
  using Mark = std::uint64_t;
  /// Messages that wait for a disk. A disk that is slower than that loses some, as a network does.
  static constexpr std::size_t kWaitingMax = 32u << 20;

  /// Counts in `metrics`, and tells `trips` when gossip is said. Both must outlive this.
  Outbox(Metrics& metrics, RoundTrips& trips) : metrics_(metrics), trips_(trips) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  // Where the layers of a peer send.
  overlay::Port<overlay::Message>& gossip() { return gossip_; }
  overlay::Port<sched::Message>& scheduling() { return scheduling_; }
  overlay::Port<sched::cell::Message>& cells() { return cells_; }

  /// Encodes at once: what the message borrows may be gone when it leaves.
  void send(const overlay::Endpoint& to, const overlay::Message& message);
  void send(const overlay::Endpoint& to, const sched::Message& message);
  void send(const overlay::Endpoint& to, const sched::cell::Message& message);
  void send(const overlay::Endpoint& to, const Message& message);

  /// True if nothing was sent since the last mark().
  bool empty() const { return jobs_.empty() && books_.empty() && free_.empty(); }
  /// What was sent since the last call rests on the records of jobs up to `jobs`, and of books up
  /// to `books`.
  void mark(Mark jobs, Mark books);
  /// Hands over what rests on no record, and what rests on records up to `durable`.
  void release(Transport& transport, Mark durable);
  /// Records were not written, and may never be: drops and counts what waits for them. For its
  /// receiver the network lost it.
  void drop_waiting();

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
  RoundTrips& trips_;
  Sender<overlay::Message> gossip_{*this};
  Sender<sched::Message> scheduling_{*this};
  Sender<sched::cell::Message> cells_{*this};
  void wait(Mark mark, Outgoing& messages);

  Outgoing jobs_;   ///< May leave only after the records of jobs and logs before them ...
  Outgoing books_;  ///< ... and of books.
  Outgoing free_;
  std::map<Mark, Outgoing> waiting_;
};

}  // namespace dunlin::node
