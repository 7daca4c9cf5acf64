// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "node/net/drop_reason.h"

namespace dunlin::node {

/// What went over the network since the start. Plain counts, for metrics.
struct TransportCounters {
  std::uint64_t messages_sent = 0;      ///< By datagram, by stream and to ourselves.
  std::uint64_t messages_received = 0;  ///< Likewise.
  std::uint64_t datagrams_sent = 0;
  std::uint64_t datagrams_received = 0;  ///< Those dropped included.
  std::uint64_t datagram_bytes_sent = 0;
  std::uint64_t datagram_bytes_received = 0;
  std::uint64_t introductions = 0;  ///< Datagrams signed because the peer's life was not known.
  std::uint64_t greetings = 0;  ///< Empty datagrams, to tell a peer which life of ours it meets.
  std::uint64_t streams_opened = 0;
  std::uint64_t streams_accepted = 0;
  std::uint64_t stream_bytes_sent = 0;
  std::uint64_t stream_bytes_received = 0;

  DropCounts dropped;                      ///< Incoming datagrams and streams refused.
  std::uint64_t datagrams_unsent = 0;      ///< Outgoing, dropped: the queue was full.
  std::uint64_t datagrams_unroutable = 0;  ///< Outgoing: the system knows no way there.
  std::uint64_t messages_unsent = 0;  ///< Outgoing by stream: not connected, or its buffer full.
};

}  // namespace dunlin::node
