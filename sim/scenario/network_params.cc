// SPDX-License-Identifier: MIT
#include "sim/scenario/network_params.h"

#include "overlay/params/param_table.h"

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
  // Events alone have no bytes on a wire.
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
    // There a delay is the sum of ns-3's links, which know nothing of a spread.
    if (params.latency_spread != Spread::racks) {
      return failure(ErrorKind::usage,
          "network.latency_spread: with network.transport = \"udp\" delays are those of its links "
          "(network.peer_delay, network.spine_delay): set it to racks");
    }
  }
  return validate_records(params, peers);
}

}  // namespace dunlin::sim

namespace dunlin::overlay {

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

void append_entries(sim::NetworkParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
