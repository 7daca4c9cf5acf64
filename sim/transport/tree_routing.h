// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <ns3/ipv4-routing-protocol.h>
#include <optional>
#include <vector>

#include "sim/scenario/network_params.h"

namespace dunlin::sim {

/// Racks of peers under a leaf router each, and spine routers above them, each linked to all
/// leaves. Interface 0 of a node is its loopback; a peer's link is 1. A leaf's are its peers', in
/// order, then the spines'; a spine's are the leaves'.
struct TreeShape {
  std::uint32_t peers = 0;
  Racks racks;
  std::uint32_t spines = 1;

  /// Leaf routers, one for each rack; the last rack may be smaller.
  std::uint32_t leaves() const { return (peers + racks.size - 1) / racks.size; }
  std::uint32_t first_in(std::uint32_t rack) const { return rack * racks.size; }
  std::uint32_t peers_in(std::uint32_t rack) const {
    return std::min(racks.size, peers - first_in(rack));
  }
};

/// Routing by arithmetic: addresses follow from the tree, so no node needs a table and no packet a
/// search. Only peers have addresses; broadcasts are out of scope.
class TreeRouting final : public ns3::Ipv4RoutingProtocol {
 public:
  enum class Role : std::uint8_t { peer, leaf, spine };

  static ns3::TypeId GetTypeId();

  /// Makes this node the `number`-th of its role.
  void place(const TreeShape& shape, Role role, std::uint32_t number);

  ns3::Ptr<ns3::Ipv4Route> RouteOutput(ns3::Ptr<ns3::Packet> packet,
      const ns3::Ipv4Header& header,
      ns3::Ptr<ns3::NetDevice> device,
      ns3::Socket::SocketErrno& error) override;
  bool RouteInput(ns3::Ptr<const ns3::Packet> packet,
      const ns3::Ipv4Header& header,
      ns3::Ptr<const ns3::NetDevice> device,
      UnicastForwardCallback forward,
      MulticastForwardCallback,
      LocalDeliverCallback deliver,
      ErrorCallback) override;
  void NotifyInterfaceUp(std::uint32_t) override {}
  void NotifyInterfaceDown(std::uint32_t) override {}
  void NotifyAddAddress(std::uint32_t, ns3::Ipv4InterfaceAddress) override {}
  void NotifyRemoveAddress(std::uint32_t, ns3::Ipv4InterfaceAddress) override {}
  void SetIpv4(ns3::Ptr<ns3::Ipv4> ip) override { ip_ = ns3::PeekPointer(ip); }
  void PrintRoutingTable(
      ns3::Ptr<ns3::OutputStreamWrapper>, ns3::Time::Unit = ns3::Time::S) const override {}

 private:
  void DoDispose() override;
  /// The interface by which a packet leaves this node. Empty if no node has the address.
  std::optional<std::uint32_t> interface_to(const ns3::Ipv4Header& header) const;
  /// The route that leaves by an interface, made or used again.
  ns3::Ptr<ns3::Ipv4Route> route(std::uint32_t interface, ns3::Ipv4Address to);

  TreeShape shape_;
  Role role_ = Role::peer;
  std::uint32_t number_ = 0;
  ns3::Ipv4* ip_ = nullptr;                       ///< Owns this.
  std::vector<ns3::Ptr<ns3::Ipv4Route>> routes_;  ///< By interface: used again and again.
};

}  // namespace dunlin::sim
