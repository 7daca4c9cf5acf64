// SPDX-License-Identifier: MIT
#include "sim/transport/udp.h"

#include <ns3/inet-socket-address.h>
#include <ns3/simulator.h>
#include <ns3/udp-socket-factory.h>
#include <span>
#include <stdexcept>

#include "overlay/ensure.h"
#include "sim/clock.h"
#include "sim/transport/addresses.h"
#include "sim/transport/bytes.h"
#include "sim/transport/latency.h"

namespace dunlin::sim {
namespace {

// The first byte of a datagram names the layer of the message that follows.
constexpr char kOverlayByte = 0;
constexpr char kSchedByte = 1;
constexpr char kCellByte = 2;

/// The bytes that a UDP datagram over IP holds.
constexpr std::size_t kDatagramMax = 65'507;

ns3::InetSocketAddress address_of(std::uint32_t peer) {
  return {ns3::Ipv4Address(kFirstAddress + peer), kPort};
}

}  // namespace

UdpTransport::UdpTransport(
    Receiver& receiver, const NetworkParams& params, const Faults& faults, std::uint64_t seed)
    : receiver_(receiver),
      params_(params),
      faults_(faults),
      seed_(seed) {}

void UdpTransport::add() {
  const auto node = ns3::CreateObject<ns3::Node>();
  ensure(node->GetId() == peers_, "node i is peer i: no other nodes before");
  ++peers_;
}

void UdpTransport::ready() {
  // Only now is the number of peers known, and with it the tree.
  tree_ = std::make_unique<Tree>(params_, peers_, seed_);
  sockets_.reserve(peers_);
  for (std::uint32_t i = 0; i < peers_; ++i) {
    const auto socket =
        ns3::Socket::CreateSocket(tree_->peers()[i], ns3::UdpSocketFactory::GetTypeId());
    ensure(socket->Bind(address_of(i)) == 0, "a port is taken on a node that is new");
    socket->SetRecvCallback(ns3::MakeCallback(&UdpTransport::receive, this));
    sockets_.push_back(ns3::PeekPointer(socket));
  }
  records_ = std::make_unique<TreeRecords>(params_, *tree_);
}

void UdpTransport::settle() {
  if (records_) records_->write();
}

template <typename Message>
void UdpTransport::carry(std::uint32_t from, std::uint32_t to, char layer, const Message& message) {
  ensure(tree_ != nullptr, "ready() comes before the first message");
  sent_.assign(1, layer);
  encode(message, sent_);
  // Without the byte of the layer: traffic is compared with transports that need none.
  traffic_.count(kind_of(message), sent_.size() - 1);
  if (from == to) {  // It crosses no network, here as elsewhere.
    ns3::Simulator::ScheduleWithContext(
        to, to_ns3(kLoopback), [this, to, message] { receiver_.receive(to, to, message); });
    return;
  }
  // After it was counted: the sender of a message that is lost has sent it.
  if (faults_.parted(now(), from, to)) return;
  if (sent_.size() > kDatagramMax) {
    throw std::runtime_error("network.transport: a message of " + std::to_string(sent_.size()) +
        " bytes fits no UDP datagram (agents use streams for such): set context or fabric");
  }
  const auto packet = ns3::Create<ns3::Packet>(reinterpret_cast<const std::uint8_t*>(sent_.data()),
      static_cast<std::uint32_t>(sent_.size()));
  ensure(sockets_[from]->SendTo(packet, 0, address_of(to)) >= 0, "a socket refused a datagram");
}

void UdpTransport::send(std::uint32_t from, std::uint32_t to, const overlay::Message& message) {
  carry(from, to, kOverlayByte, message);
}

void UdpTransport::send(std::uint32_t from, std::uint32_t to, const sched::Message& message) {
  carry(from, to, kSchedByte, message);
}

void UdpTransport::send(std::uint32_t from, std::uint32_t to, const sched::cell::Message& message) {
  carry(from, to, kCellByte, message);
}

void UdpTransport::receive(ns3::Ptr<ns3::Socket> socket) {
  const std::uint32_t to = socket->GetNode()->GetId();
  ns3::Address address;
  while (const auto packet = socket->RecvFrom(address)) {
    received_.resize(packet->GetSize());
    packet->CopyData(reinterpret_cast<std::uint8_t*>(received_.data()), packet->GetSize());
    const auto sender = ns3::InetSocketAddress::ConvertFrom(address).GetIpv4();
    // No table: addresses are given in the order of peers, one after the other.
    const std::uint32_t from = sender.Get() - kFirstAddress;
    const auto bytes = std::span<const std::byte>(received_).subspan(1);
    if (received_.front() == std::byte{kOverlayByte}) {
      receiver_.receive(to, from, decoded<overlay::Message>(bytes));
    } else if (received_.front() == std::byte{kSchedByte}) {
      receiver_.receive(to, from, decoded<sched::Message>(bytes));
    } else {
      receiver_.receive(to, from, decoded<sched::cell::Message>(bytes));
    }
  }
}

}  // namespace dunlin::sim
