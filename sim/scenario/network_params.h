// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overlay/params.h"
#include "overlay/result.h"
#include "overlay/time.h"

namespace dunlin::sim {

using overlay::Duration;

/// The distribution of one-way delays.
enum class Spread : std::uint8_t {
  /// Each message takes `latency`.
  constant,
  /// Evenly around it.
  uniform,
  /// With a tail of slow pairs and slow messages.
  log_normal,
  racks,  ///< By the links between: peers of one rack are nearer than others.
};

/// The carrier of messages.
enum class TransportKind : std::uint8_t {
  context,  ///< Events alone: the fastest.
  fabric,   ///< Packets of real bytes between devices of ns-3, from any to any.
  udp,      ///< UDP/IP over a tree of ns-3's point-to-point links.
};

/// Which parameters count depends on the transport and the spread: see validate(), and the table in
/// network_params.cc.
struct NetworkParams {
  TransportKind transport = TransportKind::context;
  Spread latency_spread = Spread::uniform;
  Duration latency = std::chrono::microseconds(500);
  double pair_spread = 0.2;
  double jitter = 0.1;
  double loss = 0;
  double bandwidth = 0;
  Duration backlog = std::chrono::milliseconds(100);
  bool codec = false;
  std::uint16_t pcap = 0;
  std::uint16_t rack_size = 40;
  Duration peer_delay = std::chrono::microseconds(100);
  Duration spine_delay = std::chrono::microseconds(150);
  double spine_bandwidth = 0;
  std::uint16_t spines = 1;
  std::uint16_t mtu = 1500;
  std::string flow_monitor;
  std::string animation;
};

/// Peers stand in racks, in the order of their numbers.
struct Racks {
  std::uint32_t size = 1;

  /// The rack of a peer, from 0.
  std::uint32_t of(std::uint32_t peer) const { return peer / size; }
  bool same(std::uint32_t a, std::uint32_t b) const { return of(a) == of(b); }
};

/// The limit of udp: beyond it a run would mostly simulate ns-3's IP stack.
inline constexpr std::uint32_t kUdpPeersMax = 20'000;
/// FlowMonitor keeps about 1 KB for each pair that ever talks: 250 MB for all of these.
inline constexpr std::uint32_t kFlowMonitorPeersMax = 500;
/// NetAnim's window shows no more, and its file has an element for each packet and link.
inline constexpr std::uint32_t kAnimationPeersMax = 200;

/// True if a run writes files of what is sent.
inline bool records(const NetworkParams& params) {
  return params.pcap > 0 || !params.flow_monitor.empty() || !params.animation.empty();
}

/// Fails for combinations of parameters without meaning, which no single parameter can tell.
Result<void> validate(const NetworkParams& params, std::uint32_t peers);

}  // namespace dunlin::sim

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sim::Spread>[] = {
    "constant", "uniform", "log_normal", "racks"};
template <>
inline constexpr std::string_view kWords<sim::TransportKind>[] = {"context", "fabric", "udp"};

/// See overlay/params.h.
void append_entries(sim::NetworkParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
