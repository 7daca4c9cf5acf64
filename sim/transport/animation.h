// SPDX-License-Identifier: MIT
#pragma once

#include <fstream>
#include <ns3/net-device.h>
#include <ns3/nstime.h>
#include <ns3/packet.h>
#include <string>

#include "sim/transport/tree.h"

namespace dunlin::sim {

/// The picture of a tree, and of every packet on every link, in NetAnim's format. ns-3's own writer
/// is not used, because it loads its models of Wi-Fi, LTE and more into each run: 27 MB.
class Animation {
 public:
  /// Begins `file`. `tree` must be complete; finish() ends the file.
  Animation(const std::string& file, const Tree& tree);
  Animation(const Animation&) = delete;
  Animation& operator=(const Animation&) = delete;

  /// Throws if the file could not be written.
  void finish();

 private:
  using Nodes = std::vector<ns3::Ptr<ns3::Node>>;

  /// Writes where each node stands: NetAnim places none by itself.
  void place(const Tree& tree);
  void put(const ns3::Ptr<ns3::Node>& node, double x, double y);
  /// Writes names, colours and sizes of nodes.
  void describe(const Nodes& nodes, const std::string& name, const char* colour, double size);
  /// Writes the links of nodes, and listens to them.
  void link(const Nodes& nodes);
  /// A packet leaves a device; PointToPointChannel calls this.
  void on_packet(ns3::Ptr<const ns3::Packet>,
      ns3::Ptr<ns3::NetDevice> from,
      ns3::Ptr<ns3::NetDevice> to,
      ns3::Time sending,
      ns3::Time arrival);

  std::string file_;
  std::ofstream out_;
};

}  // namespace dunlin::sim
