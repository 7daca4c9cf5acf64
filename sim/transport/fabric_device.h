// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <ns3/channel.h>
#include <ns3/mac48-address.h>
#include <ns3/net-device.h>
#include <ns3/packet.h>
#include <ns3/traced-callback.h>
#include <vector>

#include "sim/transport/medium.h"
#include "sim/transport/point_to_point_device.h"

namespace dunlin::sim {

class FabricDevice;

/// Joins any number of devices, each with each: a frame is one event, at its receiver. A function
/// decides its delay, and stands for switches and links alike. Frames to all are dropped: without
/// ARP no device needs them.
class FabricChannel final : public ns3::Channel {
 public:
  using Pass = std::function<Passage(std::uint32_t from, std::uint32_t to, std::uint32_t bytes)>;

  /// The wait of a frame at the receiver's link.
  using Land = std::function<Passage(std::uint32_t to, std::uint32_t bytes)>;

  static ns3::TypeId GetTypeId();

  /// The fate of a frame on its way. Requires that it is set before the first frame.
  void set_pass(Pass pass) { pass_ = std::move(pass); }
  /// Without it, nothing waits there.
  void set_land(Land land) { land_ = std::move(land); }
  /// Returns the device's number, which is its address too.
  std::uint32_t attach(FabricDevice& device);
  /// False if no device has the address.
  bool carry(FabricDevice& from,
      const ns3::Ptr<ns3::Packet>& packet,
      std::uint16_t protocol,
      const ns3::Address& to);
  /// The wait of a frame at the link of its receiver; none for one to itself, or without a rate.
  Passage land(std::uint32_t from, std::uint32_t to, std::uint32_t bytes);

  std::size_t GetNDevices() const override { return devices_.size(); }
  ns3::Ptr<ns3::NetDevice> GetDevice(std::size_t i) const override;

 private:
  void DoDispose() override;

  std::vector<FabricDevice*> devices_;  ///< Their nodes own them, until the simulator is destroyed.
  Pass pass_;
  Land land_;
};

/// A device of ns-3 at a FabricChannel. Trace sources: MacTx, MacRx, PhyTxDrop,
/// PhyRxDrop.
class FabricDevice final : public PointToPointDevice {
 public:
  static ns3::TypeId GetTypeId();

  /// The device joins the channel, and has its number from then on.
  void attach(const ns3::Ptr<FabricChannel>& channel);
  std::uint32_t number() const { return number_; }
  /// A frame reaches the receiver's link: returns its wait there, or that it is lost.
  Passage land(const ns3::Ptr<ns3::Packet>& packet, std::uint32_t from);
  /// A frame has arrived.
  void receive(const ns3::Ptr<ns3::Packet>& packet, std::uint16_t protocol, std::uint32_t from);
  /// A frame was lost.
  void drop(const ns3::Ptr<ns3::Packet>& packet) { phy_tx_drop_(packet); }

  /// 02:00 and the number.
  static ns3::Mac48Address address_of(std::uint32_t number);
  static std::uint32_t number_of(const ns3::Address& address);

  bool Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address& to, std::uint16_t protocol) override;
  bool SendFrom(ns3::Ptr<ns3::Packet> packet,
      const ns3::Address& from,
      const ns3::Address& to,
      std::uint16_t protocol) override;

  bool SupportsSendFrom() const override { return true; }
  ns3::Address GetAddress() const override { return address_of(number_); }
  ns3::Ptr<ns3::Channel> GetChannel() const override { return channel_; }
  bool IsLinkUp() const override { return channel_ != nullptr; }

 private:
  void DoDispose() override;

  ns3::Ptr<FabricChannel> channel_;
  std::uint32_t number_ = 0;
  using Trace = ns3::TracedCallback<ns3::Ptr<const ns3::Packet>>;
  Trace mac_tx_;
  Trace mac_rx_;
  Trace phy_tx_drop_;
  Trace phy_rx_drop_;
};

}  // namespace dunlin::sim
