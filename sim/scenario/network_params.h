// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "overlay/params.h"
#include "overlay/result.h"
#include "overlay/time.h"

namespace dunlin::sim {

using overlay::Duration;

/// The distribution of one-way delays.
enum class Spread : std::uint8_t {
  constant,
  uniform,
  log_normal,
  racks,  ///< By the links between: peers of one rack are nearer than others.
};

/// The carrier of messages.
enum class TransportKind : std::uint8_t {
  context,  ///< Events alone: the fastest.
  fabric,   ///< Packets of real bytes between devices of ns-3, from any to any.
  udp,      ///< UDP/IP over a tree of ns-3's point-to-point links.
};

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
template <>
inline constexpr std::string_view kSection<sim::NetworkParams> = "network";
template <>
inline constexpr auto kParams<sim::NetworkParams> = std::tuple{
    Param<&sim::NetworkParams::transport>{{},
        "The carrier of messages: context (events alone, the fastest), fabric (packets between "
        "devices of ns-3, which can be traced) or udp (UDP/IP over a tree of racks and spines; to "
        "20,000 peers)."},
    Param<&sim::NetworkParams::latency_spread>{{},
        "The spread of one-way delays around their mean. constant ignores both spreads; racks "
        "ignores latency and both spreads, and adds up "
        "the delays of the links between two peers, as udp must."},
    Param<&sim::NetworkParams::latency>{
        {std::chrono::microseconds(1), std::chrono::seconds(10), Scale::log},
        "Mean one-way delay of a message between two peers.", "0.5 ms: Ousterhout 2013, section 7"},
    Param<&sim::NetworkParams::pair_spread>{{0.0, 1.0},
        "The difference between pairs: half the width of uniform, the standard deviation of "
        "log_normal, "
        "as a share of the mean."},
    Param<&sim::NetworkParams::jitter>{
        {0.0, 1.0}, "The difference between the messages of one pair, likewise."},
    Param<&sim::NetworkParams::loss>{{0.0, 1.0},
        "Share of messages that are lost on their way, each by chance; of IP packets with udp."},
    Param<&sim::NetworkParams::bandwidth>{{0.0, 1e6},
        "Mbit/s of each peer's link, each way; messages wait for each other at the sender's and at "
        "the receiver's. 0 for no limit (with udp: 10^6)."},
    Param<&sim::NetworkParams::backlog>{{std::chrono::seconds(0), std::chrono::seconds(60)},
        "The longest wait at a link; what would wait longer is lost."},
    Param<&sim::NetworkParams::codec>{{},
        "Messages travel as bytes, as between agents, not as structs. Slower; all else is equal. "
        "The fabric and udp always do so."},
    Param<&sim::NetworkParams::pcap>{{0, 1000},
        "The devices of the first so many peers write what they send and receive to "
        "peer-<id>.pcap in the working folder. With the fabric and udp only."},
    Param<&sim::NetworkParams::rack_size>{
        {1, 1000}, "Peers in a rack, under one leaf router. Used by racks and udp, as all below."},
    Param<&sim::NetworkParams::peer_delay>{{std::chrono::nanoseconds(1), std::chrono::seconds(10)},
        "Delay of the link between a peer and its leaf router: twice that within a rack."},
    Param<&sim::NetworkParams::spine_delay>{{std::chrono::nanoseconds(0), std::chrono::seconds(10)},
        "Delay of the link between a leaf and a spine router: twice that more across racks."},
    Param<&sim::NetworkParams::spine_bandwidth>{{0.0, 1e6},
        "Mbit/s of each link between leaf and spine, each way; 0 for no limit. Only with udp do "
        "messages wait for each other there."},
    Param<&sim::NetworkParams::spines>{{1, 64},
        "Spine routers, each linked to all leaves; a hash of the two addresses says which one "
        "carries a pair's messages. With udp only."},
    Param<&sim::NetworkParams::mtu>{{576, 65535},
        "Bytes of the largest IP packet on a link; larger messages travel in fragments. With udp "
        "only."},
    Param<&sim::NetworkParams::flow_monitor>{{},
        "File for ns-3's FlowMonitor, an XML element for each pair of peers that talked. With udp "
        "and at most 500 peers only."},
    Param<&sim::NetworkParams::animation>{{},
        "File for NetAnim, with the tree and each packet on each link. With udp and at most 200 "
        "peers only."},
};
}  // namespace dunlin::overlay
