// SPDX-License-Identifier: MIT
#include "sim/transport/tree_routing.h"

#include <ns3/ipv4-route.h>
#include <ns3/ipv4.h>
#include <ns3/net-device.h>

#include "overlay/rng.h"
#include "sim/transport/addresses.h"

// A packet goes up to the leaf of its rack, over a spine to the leaf of the other rack, and down.
// The spine is drawn from the pair of addresses alone, as equal-cost routing does by a hash: pairs
// spread over the spines, and the packets of one pair stay in order.
namespace dunlin::sim {

ns3::TypeId TreeRouting::GetTypeId() {
  static const ns3::TypeId id = ns3::TypeId("dunlin::sim::TreeRouting")
                                    .SetParent<ns3::Ipv4RoutingProtocol>()
                                    .SetGroupName("Dunlin")
                                    .AddConstructor<TreeRouting>();
  return id;
}

void TreeRouting::place(const TreeShape& shape, Role role, std::uint32_t number) {
  shape_ = shape;
  role_ = role;
  number_ = number;
}

std::optional<std::uint32_t> TreeRouting::interface_to(const ns3::Ipv4Header& header) const {
  const std::uint32_t peer = header.GetDestination().Get() - kFirstAddress;
  if (peer >= shape_.peers) return std::nullopt;
  const std::uint32_t rack = shape_.racks.of(peer);
  // It has no choice: all leads to its leaf.
  if (role_ == Role::peer) return 1;
  if (role_ == Role::spine) return 1 + rack;
  if (rack == number_) return 1 + peer - shape_.first_in(rack);
  // All packets of a pair, and the fragments of each, take the same way, so that none overtakes
  // another.
  const std::uint64_t source = header.GetSource().Get();
  const std::uint64_t pair = source << 32 | header.GetDestination().Get();
  return 1 + shape_.peers_in(number_) + overlay::Rng{pair}.below(shape_.spines);
}

// One route for each interface is used again and again, unless a packet under way still holds it.
ns3::Ptr<ns3::Ipv4Route> TreeRouting::route(std::uint32_t interface, ns3::Ipv4Address to) {
  if (routes_.size() <= interface) routes_.resize(interface + 1);
  ns3::Ptr<ns3::Ipv4Route>& route = routes_[interface];
  if (!route || route->GetReferenceCount() > 1) {
    route = ns3::Create<ns3::Ipv4Route>();
    route->SetSource(ip_->GetAddress(interface, 0).GetLocal());
    route->SetOutputDevice(ip_->GetNetDevice(interface));
    route->SetGateway(ns3::Ipv4Address::GetZero());  // On link: no device needs ARP.
  }
  route->SetDestination(to);
  return route;
}

ns3::Ptr<ns3::Ipv4Route> TreeRouting::RouteOutput(ns3::Ptr<ns3::Packet>,
    const ns3::Ipv4Header& header,
    ns3::Ptr<ns3::NetDevice>,
    ns3::Socket::SocketErrno& error) {
  const auto interface = interface_to(header);
  error = interface ? ns3::Socket::ERROR_NOTERROR : ns3::Socket::ERROR_NOROUTETOHOST;
  return interface ? route(*interface, header.GetDestination()) : nullptr;
}

bool TreeRouting::RouteInput(ns3::Ptr<const ns3::Packet> packet,
    const ns3::Ipv4Header& header,
    ns3::Ptr<const ns3::NetDevice> device,
    UnicastForwardCallback forward,
    MulticastForwardCallback,
    LocalDeliverCallback deliver,
    ErrorCallback) {
  if (role_ == Role::peer && header.GetDestination().Get() == kFirstAddress + number_) {
    deliver(packet, header, static_cast<std::uint32_t>(ip_->GetInterfaceForDevice(device)));
    return true;
  }
  const auto interface = interface_to(header);
  // No peer passes on what is not for it.
  if (role_ == Role::peer || !interface) return false;  // The stack drops it, and says so.
  forward(route(*interface, header.GetDestination()), packet, header);
  return true;
}

void TreeRouting::DoDispose() {
  ip_ = nullptr;
  routes_.clear();
  Ipv4RoutingProtocol::DoDispose();
}

}  // namespace dunlin::sim
