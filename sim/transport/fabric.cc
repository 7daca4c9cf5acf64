// SPDX-License-Identifier: MIT
#include "sim/transport/fabric.h"

#include <ns3/callback.h>
#include <ns3/ethernet-header.h>
#include <ns3/pcap-file-wrapper.h>
#include <ns3/trace-helper.h>
#include <span>

#include "overlay/ensure.h"
#include "sim/clock.h"
#include "sim/transport/bytes.h"

namespace dunlin::sim {
namespace {

// EtherTypes for local experiments (IEEE 802): one for each of our schemas.
constexpr std::uint16_t kOverlay = 0x88b5;
constexpr std::uint16_t kSched = 0x88b6;
constexpr std::uint16_t kCell = 0x88b7;

/// Writes a frame as Ethernet would carry it. A trace source does not tell the other address, so
/// both stay empty; the bytes within are what the reader wants.
void write_pcap(const ns3::Ptr<ns3::PcapFileWrapper>& file, ns3::Ptr<const ns3::Packet> packet) {
  const ns3::Ptr<ns3::Packet> frame = packet->Copy();
  ns3::EthernetHeader header(false);
  header.SetLengthType(kOverlay);
  frame->AddHeader(header);
  file->Write(ns3::Simulator::Now(), frame);
}

void capture(FabricDevice& device, std::uint32_t peer) {
  ns3::PcapHelper helper;
  const auto file = helper.CreateFile(
      "peer-" + std::to_string(peer + 1) + ".pcap", std::ios::out, ns3::PcapHelper::DLT_EN10MB);
  const auto sink = ns3::MakeBoundCallback(&write_pcap, file);
  device.TraceConnectWithoutContext("MacTx", sink);
  device.TraceConnectWithoutContext("MacRx", sink);
}

}  // namespace

FabricTransport::FabricTransport(Receiver& receiver, Medium medium, std::uint32_t pcap)
    : receiver_(receiver),
      medium_(std::move(medium)),
      pcap_(pcap),
      channel_(ns3::CreateObject<FabricChannel>()) {
  channel_->set_pass([this](std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
    return medium_.pass(now(), from, to, bytes);
  });
  if (!medium_.lands()) return;
  channel_->set_land(
      [this](std::uint32_t to, std::uint32_t bytes) { return medium_.land(now(), to, bytes); });
}

void FabricTransport::add() {
  const auto node = ns3::CreateObject<ns3::Node>();
  // The context of an event is the id of its node, and peers know their turns by it.
  ensure(node->GetId() == devices_.size(), "node i is peer i: no other nodes before");
  const auto device = ns3::CreateObject<FabricDevice>();
  device->attach(channel_);
  node->AddDevice(device);
  // Set only now, because the node has set its own callback before.
  device->SetReceiveCallback(ns3::MakeCallback(&FabricTransport::receive, this));
  devices_.push_back(ns3::PeekPointer(device));
  if (devices_.size() <= pcap_) capture(*device, device->number());
}

template <typename Message>
void FabricTransport::carry(
    std::uint32_t from, std::uint32_t to, std::uint16_t protocol, const Message& message) {
  sent_.clear();
  encode(message, sent_);
  traffic_.count(kind_of(message), sent_.size());
  const auto packet = ns3::Create<ns3::Packet>(reinterpret_cast<const std::uint8_t*>(sent_.data()),
      static_cast<std::uint32_t>(sent_.size()));
  devices_[from]->Send(packet, FabricDevice::address_of(to), protocol);
}

void FabricTransport::send(std::uint32_t from, std::uint32_t to, const overlay::Message& message) {
  carry(from, to, kOverlay, message);
}

void FabricTransport::send(std::uint32_t from, std::uint32_t to, const sched::Message& message) {
  carry(from, to, kSched, message);
}

void FabricTransport::send(
    std::uint32_t from, std::uint32_t to, const sched::cell::Message& message) {
  carry(from, to, kCell, message);
}

bool FabricTransport::receive(ns3::Ptr<ns3::NetDevice> device,
    ns3::Ptr<const ns3::Packet> packet,
    std::uint16_t protocol,
    const ns3::Address& from) {
  received_.resize(packet->GetSize());
  packet->CopyData(reinterpret_cast<std::uint8_t*>(received_.data()), packet->GetSize());
  const std::uint32_t to = FabricDevice::number_of(device->GetAddress());
  const std::uint32_t sender = FabricDevice::number_of(from);
  if (protocol == kOverlay) {
    receiver_.receive(to, sender, decoded<overlay::Message>(received_));
  } else if (protocol == kSched) {
    receiver_.receive(to, sender, decoded<sched::Message>(received_));
  } else if (protocol == kCell) {
    receiver_.receive(to, sender, decoded<sched::cell::Message>(received_));
  }
  return true;
}

}  // namespace dunlin::sim
