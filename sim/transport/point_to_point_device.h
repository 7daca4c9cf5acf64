// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <ns3/mac48-address.h>
#include <ns3/net-device.h>
#include <ns3/node.h>
#include <ns3/ptr.h>

namespace dunlin::sim {

/// What ns-3 asks of every device, as one answers which reaches each other device by a link of its
/// own: its address is given and its frames may be of any size; it has no ARP, no broadcast and no
/// bridge, and its link is never reported as changed.
class PointToPointDevice : public ns3::NetDevice {
 public:
  void SetIfIndex(std::uint32_t index) final { if_index_ = index; }
  std::uint32_t GetIfIndex() const final { return if_index_; }
  void SetNode(ns3::Ptr<ns3::Node> node) final { node_ = node; }
  ns3::Ptr<ns3::Node> GetNode() const final { return node_; }
  void SetReceiveCallback(ReceiveCallback up) final { up_ = up; }
  // Nothing here listens to frames of others, and links never change.
  void SetPromiscReceiveCallback(PromiscReceiveCallback) final {}
  void AddLinkChangeCallback(ns3::Callback<void>) final {}

  void SetAddress(ns3::Address) final {}
  bool SetMtu(std::uint16_t) final { return false; }
  std::uint16_t GetMtu() const final { return 65535; }
  bool NeedsArp() const final { return false; }
  bool IsPointToPoint() const final { return true; }
  bool IsBridge() const final { return false; }
  bool IsBroadcast() const final { return false; }
  bool IsMulticast() const final { return false; }
  // ns-3 asks for these addresses even of a device that says it has none.
  ns3::Address GetBroadcast() const final { return ns3::Mac48Address::GetBroadcast(); }
  ns3::Address GetMulticast(ns3::Ipv4Address) const final { return GetBroadcast(); }
  ns3::Address GetMulticast(ns3::Ipv6Address) const final { return GetBroadcast(); }

 protected:
  /// Hands a frame to the node's IP stack, if one listens.
  void hand_up(
      const ns3::Ptr<ns3::Packet>& packet, std::uint16_t protocol, const ns3::Address& from) {
    if (!up_.IsNull()) up_(this, packet, protocol, from);
  }
  void DoDispose() override {
    node_ = nullptr;
    up_ = ReceiveCallback();
    NetDevice::DoDispose();
  }

 private:
  ns3::Ptr<ns3::Node> node_;
  ReceiveCallback up_;
  std::uint32_t if_index_ = 0;
};

}  // namespace dunlin::sim
