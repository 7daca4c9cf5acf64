// SPDX-License-Identifier: MIT
#include "sim/scenario/network_params.h"

namespace dunlin::sim {
namespace {

tl::unexpected<Error> too_many(const std::string& what,
    std::uint32_t peers_max,
    std::uint32_t peers,
    const std::string& cure) {
  return failure(ErrorKind::usage,
      what + " is for " + std::to_string(peers_max) + " peers at most, and cluster.peers is " +
          std::to_string(peers) + ": " + cure);
}

/// Recording packets needs a transport with packets.
Result<void> validate_records(const NetworkParams& params, std::uint32_t peers) {
  if (params.pcap > 0 && params.transport == TransportKind::context) {
    return failure(ErrorKind::usage,
        "network.pcap: no packets travel with network.transport = \"context\": set fabric or udp");
  }
  const auto needs_udp = [](const std::string& key) {
    return failure(ErrorKind::usage, key + " needs IP: set network.transport = \"udp\"");
  };
  if (!params.flow_monitor.empty()) {
    if (params.transport != TransportKind::udp) return needs_udp("network.flow_monitor");
    if (peers > kFlowMonitorPeersMax) {
      return too_many("network.flow_monitor", kFlowMonitorPeersMax, peers,
          "lower it, or leave network.flow_monitor empty");
    }
  }
  if (!params.animation.empty()) {
    if (params.transport != TransportKind::udp) return needs_udp("network.animation");
    if (peers > kAnimationPeersMax) {
      return too_many("network.animation", kAnimationPeersMax, peers,
          "lower it, or leave network.animation empty");
    }
  }
  return {};
}

}  // namespace

Result<void> validate(const NetworkParams& params, std::uint32_t peers) {
  if (params.transport == TransportKind::udp) {
    if (peers > kUdpPeersMax) {
      return too_many("network.transport = \"udp\"", kUdpPeersMax, peers,
          "lower it, or set network.transport to context or fabric");
    }
    if (params.latency_spread != Spread::racks) {
      return failure(ErrorKind::usage,
          "network.latency_spread: with network.transport = \"udp\" delays are those of its links "
          "(network.peer_delay, network.spine_delay): set it to racks");
    }
  }
  return validate_records(params, peers);
}

}  // namespace dunlin::sim
