// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/params.h"
#include "overlay/time.h"

namespace dunlin::node {

/// The parameters of the network: section `[transport]`.
struct TransportParams {
  std::uint32_t datagram_payload = 1232;
  std::uint32_t rate_limit = 50'000;
  std::uint32_t connections_max = 256;
  std::uint32_t strangers_max = 256;
  std::uint32_t send_buffer = 8 << 20;
  overlay::Duration connect_timeout = std::chrono::seconds(5);
  overlay::Duration greeting_timeout = std::chrono::milliseconds(500);
  overlay::Duration handshake_timeout = std::chrono::seconds(5);
  overlay::Duration idle_timeout = std::chrono::seconds(60);
};

}  // namespace dunlin::node

namespace dunlin::overlay {
/// See overlay/params.h.
void append_entries(node::TransportParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
