// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/transport/fabric_device.h"
#include "sim/transport/medium.h"
#include "sim/transport/transport.h"

namespace dunlin::sim {

/// Each peer is a node of ns-3 with one device at a common channel; messages are packets with the
/// bytes that agents send. Everything that ns-3 attaches to devices works: trace sources, pcap
/// files. Delays, losses and order are those of ContextTransport. Node i is peer i.
class FabricTransport final : public Transport {
 public:
  /// The first `pcap` devices write pcap files, for packet viewers. `receiver` must outlive the
  /// events.
  FabricTransport(Receiver& receiver, Medium medium, std::uint32_t pcap);

  void add() override;
  void soon(std::uint32_t peer) const override { medium_.soon(peer); }
  void send(std::uint32_t from, std::uint32_t to, const overlay::Message& message) override;
  void send(std::uint32_t from, std::uint32_t to, const sched::Message& message) override;
  void send(std::uint32_t from, std::uint32_t to, const sched::cell::Message& message) override;

 private:
  /// Sends a message as a packet: `protocol` says of which layer it is.
  template <typename Message>
  void carry(std::uint32_t from, std::uint32_t to, std::uint16_t protocol, const Message& message);
  /// Decodes a packet, and hands it to its peer. True: it was taken.
  bool receive(ns3::Ptr<ns3::NetDevice> device,
      ns3::Ptr<const ns3::Packet> packet,
      std::uint16_t protocol,
      const ns3::Address& from);

  Receiver& receiver_;
  Medium medium_;
  std::uint32_t pcap_;
  ns3::Ptr<FabricChannel> channel_;
  std::vector<FabricDevice*> devices_;
  std::string sent_;                 ///< Scratch ...
  std::vector<std::byte> received_;  ///< ... and more of it.
};

}  // namespace dunlin::sim
