// SPDX-License-Identifier: MIT
#include "node/metrics.h"

#include <utility>

// All counters of an agent under their names, for `dunlin status` and for the past. Those of events
// follow from the events themselves, so a new event is counted without a word here; the others are
// held to the operators' guide by a test.
namespace dunlin::node {
namespace {

template <typename... Events, std::size_t N>
void add_events(const std::variant<Events...>*,
    const std::array<std::uint64_t, N>& counts,
    Metrics::Snapshot& out) {
  std::size_t i = 0;
  ((out["event_" + std::string(Events::kName)] = counts[i++]), ...);
}

}  // namespace

Metrics::Snapshot Metrics::snapshot(const TransportCounters& transport) const {
  Snapshot all;
  add_events(static_cast<const overlay::Event*>(nullptr), overlay_, all);
  add_events(static_cast<const sched::Event*>(nullptr), sched_, all);
  all["malformed"] = malformed;
  all["commits"] = commits;
  all["commits_failed"] = commits_failed;
  all["messages_held_back"] = messages_held_back;
  all["requests"] = requests;
  all["requests_failed"] = requests_failed;
  all["cell_messages_sent"] = cell_messages_sent;
  all["cell_messages_received"] = cell_messages_received;
  all["cell_messages_malformed"] = cell_messages_malformed;
  all["cell_questions"] = cell_questions;
  all["cell_questions_dropped"] = cell_questions_dropped;
  all["cell_answers_dropped"] = cell_answers_dropped;

  all["messages_sent"] = transport.messages_sent;
  all["messages_received"] = transport.messages_received;
  all["messages_unknown"] = transport.messages_unknown;
  all["messages_unsent"] = transport.messages_unsent;
  all["datagrams_sent"] = transport.datagrams_sent;
  all["datagrams_received"] = transport.datagrams_received;
  all["datagram_bytes_sent"] = transport.datagram_bytes_sent;
  all["datagram_bytes_received"] = transport.datagram_bytes_received;
  all["datagrams_unsent"] = transport.datagrams_unsent;
  all["datagrams_unroutable"] = transport.datagrams_unroutable;
  all["introductions"] = transport.introductions;
  all["greetings"] = transport.greetings;
  all["messages_unanswered"] = transport.messages_unanswered;
  all["streams_opened"] = transport.streams_opened;
  all["streams_accepted"] = transport.streams_accepted;
  all["streams_evicted"] = transport.streams_evicted;
  all["stream_bytes_sent"] = transport.stream_bytes_sent;
  all["stream_bytes_received"] = transport.stream_bytes_received;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    all["dropped_" + std::string(kDropReasonWords[i])] =
        transport.dropped[static_cast<DropReason>(i)];
  }
  return all;
}

}  // namespace dunlin::node
