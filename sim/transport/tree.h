// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <ns3/node.h>
#include <ns3/point-to-point-net-device.h>
#include <vector>

#include "sim/scenario/network_params.h"
#include "sim/transport/tree_routing.h"

namespace dunlin::sim {

/// A tree of point-to-point links and IP routers between peers, which are nodes of ns-3 already,
/// from node 0 on. Every node has the protocols that it needs and no others: no TCP, no queue
/// discs, no ARP.
class Tree {
 public:
  /// `seed` decides which packets get lost.
  Tree(const NetworkParams& params, std::uint32_t peers, std::uint64_t seed);

  const TreeShape& shape() const { return shape_; }
  const std::vector<ns3::Ptr<ns3::Node>>& peers() const { return peers_; }
  const std::vector<ns3::Ptr<ns3::Node>>& leaves() const { return leaves_; }
  const std::vector<ns3::Ptr<ns3::Node>>& spines() const { return spines_; }

 private:
  using Device = ns3::Ptr<ns3::PointToPointNetDevice>;

  /// A device with a queue of its own, not yet at a link. `bandwidth` is Mbit/s; 0: no limit.
  Device attach(const ns3::Ptr<ns3::Node>& node, double bandwidth) const;
  /// Returns the device of the lower of the two.
  Device link(const ns3::Ptr<ns3::Node>& lower,
      const ns3::Ptr<ns3::Node>& upper,
      double bandwidth,
      Duration delay) const;
  /// Gives a node what it needs of the IP stack. All of its interfaces have one address: routing
  /// tells them apart by number.
  void install(const ns3::Ptr<ns3::Node>& node,
      TreeRouting::Role role,
      std::uint32_t number,
      std::uint32_t address) const;

  NetworkParams params_;
  TreeShape shape_;
  std::vector<ns3::Ptr<ns3::Node>> peers_;
  std::vector<ns3::Ptr<ns3::Node>> leaves_;
  std::vector<ns3::Ptr<ns3::Node>> spines_;
};

}  // namespace dunlin::sim
