// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <ns3/packet.h>
#include <ns3/socket.h>
#include <string>
#include <vector>

#include "sim/scenario/faults.h"
#include "sim/transport/transport.h"
#include "sim/transport/tree.h"
#include "sim/transport/tree_records.h"

namespace dunlin::sim {

/// Each peer is a node of ns-3 with an IP stack and a UDP socket, at the edge of a tree of links.
/// Delays, queues and losses are ns-3's own, so this transport is the measure of the others. Node i
/// is peer i; routers come after the peers.
class UdpTransport final : public Transport {
 public:
  /// `receiver` must outlive the events. Requires validate(params, peers).
  UdpTransport(
      Receiver& receiver, const NetworkParams& params, const Faults& faults, std::uint64_t seed);

  void add() override;
  void ready() override;
  void settle() override;
  void send(std::uint32_t from, std::uint32_t to, const overlay::Message& message) override;
  void send(std::uint32_t from, std::uint32_t to, const sched::Message& message) override;
  void send(std::uint32_t from, std::uint32_t to, const sched::cell::Message& message) override;

 private:
  /// Sends a message as a datagram, with a byte before it that names its layer. Throws if it fits
  /// none.
  template <typename Message>
  void carry(std::uint32_t from, std::uint32_t to, char layer, const Message& message);
  /// Takes what has come to a socket, which may be several datagrams.
  void receive(ns3::Ptr<ns3::Socket> socket);

  Receiver& receiver_;
  NetworkParams params_;
  Faults faults_;
  std::uint64_t seed_;
  std::uint32_t peers_ = 0;
  std::unique_ptr<Tree> tree_;
  std::unique_ptr<TreeRecords> records_;
  std::vector<ns3::Socket*> sockets_;  ///< Their nodes own them, until the simulator is destroyed.
  std::string sent_;                   ///< Scratch ...
  std::vector<std::byte> received_;    ///< ... and more of it.
};

}  // namespace dunlin::sim
