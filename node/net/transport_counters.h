// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "node/net/drop_reason.h"

namespace dunlin::node {

/// The traffic over the network since the start. Plain counts, for metrics.
struct TransportCounters {
  std::uint64_t messages_sent = 0;      ///< By datagram, by stream and to ourselves.
  std::uint64_t messages_received = 0;  ///< Likewise.
  std::uint64_t messages_unknown = 0;   ///< Of a layer that this build does not know; ignored.
  std::uint64_t datagrams_sent = 0;
  std::uint64_t datagrams_received = 0;  ///< Those dropped included.
  std::uint64_t datagram_bytes_sent = 0;
  std::uint64_t datagram_bytes_received = 0;
  std::uint64_t introductions = 0;  ///< Datagrams signed, for peers that do not know us yet.
  std::uint64_t greetings = 0;      ///< Answers to introductions.
  /// Messages that were held for a peer which did not greet us in time.
  std::uint64_t messages_unanswered = 0;
  std::uint64_t streams_opened = 0;
  std::uint64_t streams_accepted = 0;
  std::uint64_t stream_bytes_sent = 0;
  std::uint64_t stream_bytes_received = 0;

  DropCounts dropped;                      ///< Incoming datagrams and streams refused.
  std::uint64_t datagrams_unsent = 0;      ///< Outgoing, dropped: the queue was full.
  std::uint64_t datagrams_unroutable = 0;  ///< Outgoing: the system knows no way there.
  /// Outgoing by stream: not connected, its buffer full, or its stream broken off. The other side
  /// may have got some of the last.
  std::uint64_t messages_unsent = 0;
  std::uint64_t streams_evicted = 0;  ///< Idle ones, ended to make room for others.
};

}  // namespace dunlin::node
