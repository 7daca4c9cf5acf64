// SPDX-License-Identifier: MIT
#include "sim/transport/tree.h"

#include <algorithm>
#include <limits>
#include <ns3/arp-l3-protocol.h>
#include <ns3/boolean.h>
#include <ns3/drop-tail-queue.h>
#include <ns3/error-model.h>
#include <ns3/icmpv4-l4-protocol.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/node-list.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/traffic-control-layer.h>
#include <ns3/udp-l4-protocol.h>
#include <string>

#include "overlay/rng.h"
#include "sim/clock.h"
#include "sim/transport/addresses.h"

// Racks and spines as ns-3's own nodes, links and IP stack: slow, and there to check the faster
// transports by. Addresses are chosen so that routing is arithmetic (TreeRouting), as tables for
// thousands of peers would not fit.
namespace dunlin::sim {
namespace {

constexpr double kNoLimit = 1e6;                    // Mbit/s: 300 bytes take 2 ns.
constexpr std::uint32_t kFirstRouter = 0xac100001;  // 172.16.0.1
constexpr std::uint32_t kPppHeader = 2;

double in_effect(double bandwidth) {
  // ns-3's devices need a rate.
  return bandwidth > 0 ? bandwidth : kNoLimit;
}

/// Loses packets by chance, from a stream of its own.
class ChanceLoss final : public ns3::ErrorModel {
 public:
  static ns3::TypeId GetTypeId() {
    static const ns3::TypeId id = ns3::TypeId("dunlin::sim::ChanceLoss")
                                      .SetParent<ns3::ErrorModel>()
                                      .SetGroupName("Dunlin")
                                      .AddConstructor<ChanceLoss>();
    return id;
  }
  void set(double loss, overlay::Rng rng) {
    loss_ = loss;
    rng_ = rng;
  }

 private:
  bool DoCorrupt(ns3::Ptr<ns3::Packet>) override { return rng_.chance(loss_); }
  void DoReset() override {}

  double loss_ = 0;
  overlay::Rng rng_{0};
};

}  // namespace

Tree::Tree(const NetworkParams& params, std::uint32_t peers, std::uint64_t seed)
    : params_(params),
      shape_{.peers = peers, .racks = {params.rack_size}, .spines = params.spines} {
  overlay::Rng chance{seed};
  // Peers are nodes already: UdpTransport::add() made them, before any router.
  for (std::uint32_t i = 0; i < peers; ++i) peers_.push_back(ns3::NodeList::GetNode(i));
  for (std::uint32_t i = 0; i < shape_.leaves(); ++i) {
    leaves_.push_back(ns3::CreateObject<ns3::Node>());
  }
  for (std::uint32_t i = 0; i < shape_.spines; ++i) {
    spines_.push_back(ns3::CreateObject<ns3::Node>());
  }
  // Devices are made before the stack, because its loopback is a device too: a peer's link is
  // device 0.
  ns3::PointToPointHelper pcap;
  for (std::uint32_t i = 0; i < peers; ++i) {
    const auto& leaf = leaves_[shape_.racks.of(i)];
    const Device device = link(peers_[i], leaf, params.bandwidth, params.peer_delay);
    if (params.loss > 0) {
      const auto loss = ns3::CreateObject<ChanceLoss>();
      // At the receiver, and one stream for each link: loss at one does not shift the chance of
      // another.
      loss->set(params.loss, chance.fork());
      device->SetReceiveErrorModel(loss);
    }
    if (i < params.pcap) {
      pcap.EnablePcap("peer-" + std::to_string(i + 1) + ".pcap", device, true, true);
    }
  }
  for (const auto& leaf : leaves_) {
    for (const auto& spine : spines_) {
      link(leaf, spine, params.spine_bandwidth, params.spine_delay);
    }
  }
  for (std::uint32_t i = 0; i < peers; ++i) {
    install(peers_[i], TreeRouting::Role::peer, i, kFirstAddress + i);
  }
  std::uint32_t router = kFirstRouter;
  for (std::uint32_t i = 0; i < leaves_.size(); ++i) {
    install(leaves_[i], TreeRouting::Role::leaf, i, router++);
  }
  for (std::uint32_t i = 0; i < spines_.size(); ++i) {
    install(spines_[i], TreeRouting::Role::spine, i, router++);
  }
}

Tree::Device Tree::attach(const ns3::Ptr<ns3::Node>& node, double bandwidth) const {
  const double bits_per_ns = in_effect(bandwidth) / 1e3;
  // ns-3 bounds queues by bytes, and we by time: what the link carries in that time.
  const double waiting = bits_per_ns * static_cast<double>(params_.backlog.count()) / 8;
  // At least one packet: a device queues even what it sends at once.
  const double bytes = std::clamp<double>(
      waiting, params_.mtu + kPppHeader, std::numeric_limits<std::uint32_t>::max());
  const auto queue = ns3::CreateObject<ns3::DropTailQueue<ns3::Packet>>();
  queue->SetMaxSize({ns3::QueueSizeUnit::BYTES, static_cast<std::uint32_t>(bytes)});
  const auto device = ns3::CreateObject<ns3::PointToPointNetDevice>();
  device->SetAddress(ns3::Mac48Address::Allocate());
  device->SetDataRate(ns3::DataRate(static_cast<std::uint64_t>(in_effect(bandwidth) * 1e6)));
  device->SetMtu(params_.mtu);
  device->SetQueue(queue);
  node->AddDevice(device);
  return device;
}

Tree::Device Tree::link(const ns3::Ptr<ns3::Node>& lower,
    const ns3::Ptr<ns3::Node>& upper,
    double bandwidth,
    Duration delay) const {
  const auto channel = ns3::CreateObject<ns3::PointToPointChannel>();
  channel->SetAttribute("Delay", ns3::TimeValue(to_ns3(delay)));
  const Device device = attach(lower, bandwidth);
  device->Attach(channel);
  attach(upper, bandwidth)->Attach(channel);
  return device;
}

void Tree::install(const ns3::Ptr<ns3::Node>& node,
    TreeRouting::Role role,
    std::uint32_t number,
    std::uint32_t address) const {
  const std::uint32_t links = node->GetNDevices();
  const auto arp = ns3::CreateObject<ns3::ArpL3Protocol>();
  node->AggregateObject(arp);
  const auto ip = ns3::CreateObject<ns3::Ipv4L3Protocol>();
  node->AggregateObject(ip);
  node->AggregateObject(ns3::CreateObject<ns3::Icmpv4L4Protocol>());
  const auto control = ns3::CreateObject<ns3::TrafficControlLayer>();
  node->AggregateObject(control);
  node->AggregateObject(ns3::CreateObject<ns3::UdpL4Protocol>());
  arp->SetTrafficControl(control);
  // Without this, each packet would look through all interfaces of its router.
  ip->SetAttribute("WeakEsModel", ns3::BooleanValue(false));
  const auto routing = ns3::CreateObject<TreeRouting>();
  routing->place(shape_, role, number);
  ip->SetRoutingProtocol(routing);
  for (std::uint32_t i = 0; i < links; ++i) {
    const std::uint32_t interface = ip->AddInterface(node->GetDevice(i));
    ip->AddAddress(
        interface, ns3::Ipv4InterfaceAddress(ns3::Ipv4Address(address), ns3::Ipv4Mask(0xffffffff)));
    ip->SetUp(interface);
  }
}

}  // namespace dunlin::sim
