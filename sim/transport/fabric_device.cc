// SPDX-License-Identifier: MIT
#include "sim/transport/fabric_device.h"

#include <array>
#include <ns3/event-impl.h>
#include <ns3/simulator.h>
#include <ns3/trace-source-accessor.h>

#include "overlay/ensure.h"
#include "sim/clock.h"
#include "sim/transport/pool.h"

// A network device for ns-3's own IP stack, without a wire: one channel has all devices, and a
// frame goes to its receiver by one event, after the delay that our latency model says. ns-3's
// simple channel hands each frame to all devices, which costs the square of their number.
namespace dunlin::sim {
namespace {

/// A frame under way.
class Arrival final : public ns3::EventImpl, public Pooled<Arrival> {
 public:
  Arrival(FabricDevice& to,
      const ns3::Ptr<ns3::Packet>& packet,
      std::uint16_t protocol,
      std::uint32_t from)
      : to_(to),
        packet_(packet),
        from_(from),
        protocol_(protocol) {}

 private:
  // It fires twice where the receiver's link has a rate: at the arrival, and when the link has
  // taken it in. Only at the arrival is it known what lies before it.
  void Notify() override {
    const Passage landing = landed_ ? Passage{} : to_.land(packet_, from_);
    if (landing.lost) return;
    if (landing.delay == Duration{0}) return to_.receive(packet_, protocol_, from_);
    landed_ = true;
    Ref();  // The queue lets go of it when it has fired again.
    ns3::Simulator::ScheduleWithContext(to_.GetNode()->GetId(), to_ns3(landing.delay), this);
  }

  FabricDevice& to_;
  ns3::Ptr<ns3::Packet> packet_;
  std::uint32_t from_;
  std::uint16_t protocol_;
  bool landed_ = false;
};

}  // namespace

ns3::TypeId FabricChannel::GetTypeId() {
  static const ns3::TypeId id = ns3::TypeId("dunlin::sim::FabricChannel")
                                    .SetParent<ns3::Channel>()
                                    .SetGroupName("Dunlin")
                                    .AddConstructor<FabricChannel>();
  return id;
}

std::uint32_t FabricChannel::attach(FabricDevice& device) {
  devices_.push_back(&device);
  return static_cast<std::uint32_t>(devices_.size() - 1);
}

ns3::Ptr<ns3::NetDevice> FabricChannel::GetDevice(std::size_t i) const {
  return devices_.at(i);
}

bool FabricChannel::carry(FabricDevice& from,
    const ns3::Ptr<ns3::Packet>& packet,
    std::uint16_t protocol,
    const ns3::Address& to) {
  // The address is the number: no table is searched.
  const std::uint32_t number = FabricDevice::number_of(to);
  if (number >= devices_.size()) return false;
  FabricDevice& receiver = *devices_[number];
  const Passage passage = pass_(from.number(), number, packet->GetSize());
  if (passage.lost) {
    // Lost, and yet sent, says the return value: a sender does not learn of losses on the way.
    from.drop(packet);
    return true;
  }
  // The event runs in the context of the receiver's node, as ns-3 demands: logs and timers inherit
  // it.
  ns3::Simulator::ScheduleWithContext(receiver.GetNode()->GetId(), to_ns3(passage.delay),
      new Arrival(receiver, packet, protocol, from.number()));
  return true;
}

Passage FabricChannel::land(std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
  return land_ && from != to ? land_(to, bytes) : Passage{};
}
void FabricChannel::DoDispose() {
  devices_.clear();
  pass_ = {};
  land_ = {};
  Channel::DoDispose();
}

ns3::TypeId FabricDevice::GetTypeId() {
  static const char* const kSignature = "ns3::Packet::TracedCallback";
  static const ns3::TypeId id =
      ns3::TypeId("dunlin::sim::FabricDevice")
          .SetParent<ns3::NetDevice>()
          .SetGroupName("Dunlin")
          .AddConstructor<FabricDevice>()
          .AddTraceSource("MacTx", "A frame leaves.",
              ns3::MakeTraceSourceAccessor(&FabricDevice::mac_tx_), kSignature)
          .AddTraceSource("MacRx", "A frame has arrived.",
              ns3::MakeTraceSourceAccessor(&FabricDevice::mac_rx_), kSignature)
          .AddTraceSource("PhyTxDrop", "A frame that left was lost.",
              ns3::MakeTraceSourceAccessor(&FabricDevice::phy_tx_drop_), kSignature)
          .AddTraceSource("PhyRxDrop", "A frame found too many before it at the receiver's link.",
              ns3::MakeTraceSourceAccessor(&FabricDevice::phy_rx_drop_), kSignature);
  return id;
}

void FabricDevice::attach(const ns3::Ptr<FabricChannel>& channel) {
  channel_ = channel;
  number_ = channel->attach(*this);
}

ns3::Mac48Address FabricDevice::address_of(std::uint32_t number) {
  // 2 marks an address as made locally, so no maker's can be meant.
  std::array<std::uint8_t, 6> bytes = {2, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[2 + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  }
  ns3::Mac48Address address;
  address.CopyFrom(bytes.data());
  return address;
}

std::uint32_t FabricDevice::number_of(const ns3::Address& address) {
  std::array<std::uint8_t, 6> bytes{};
  ns3::Mac48Address::ConvertFrom(address).CopyTo(bytes.data());
  std::uint32_t number = 0;
  for (std::size_t i = 2; i < 6; ++i) number = number << 8 | bytes[i];
  return number;
}

bool FabricDevice::Send(
    ns3::Ptr<ns3::Packet> packet, const ns3::Address& to, std::uint16_t protocol) {
  ensure(channel_ != nullptr, "a device without a channel");
  mac_tx_(packet);
  return channel_->carry(*this, packet, protocol, to);
}

bool FabricDevice::SendFrom(ns3::Ptr<ns3::Packet> packet,
    const ns3::Address&,
    const ns3::Address& to,
    std::uint16_t protocol) {
  return Send(packet, to, protocol);
}

Passage FabricDevice::land(const ns3::Ptr<ns3::Packet>& packet, std::uint32_t from) {
  const Passage landing = channel_->land(from, number_, packet->GetSize());
  if (landing.lost) phy_rx_drop_(packet);
  return landing;
}

void FabricDevice::receive(
    const ns3::Ptr<ns3::Packet>& packet, std::uint16_t protocol, std::uint32_t from) {
  mac_rx_(packet);
  hand_up(packet, protocol, address_of(from));
}

void FabricDevice::DoDispose() {
  channel_ = nullptr;
  PointToPointDevice::DoDispose();
}

}  // namespace dunlin::sim
