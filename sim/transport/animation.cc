// SPDX-License-Identifier: MIT
#include "sim/transport/animation.h"

#include <algorithm>
#include <cstddef>
#include <ns3/channel.h>
#include <ns3/simulator.h>
#include <stdexcept>

namespace dunlin::sim {
namespace {

// Distances in NetAnim's units: spines above leaves above racks, in which peers stand in rows.
constexpr double kSpineHeight = 0;
constexpr double kLeafHeight = 20;
constexpr double kRackHeight = 40;
constexpr double kPeerGap = 4;
constexpr double kRackGap = 8;
constexpr std::uint32_t kColumnsMax = 5;  // Columns of peers in a rack.

constexpr const char* kPeerColour = R"(r="31" g="111" b="139")";
constexpr const char* kRouterColour = R"(r="201" g="96" b="44")";

/// Nanoseconds as seconds, exactly: a double of a long run would lose the order of packets.
std::string seconds(ns3::Time time) {
  const std::int64_t ns = time.GetNanoSeconds();
  const std::string fraction = std::to_string(1'000'000'000 + ns % 1'000'000'000);
  return std::to_string(ns / 1'000'000'000) + "." + fraction.substr(1);
}

}  // namespace

Animation::Animation(const std::string& file, const Tree& tree) : file_(file), out_(file) {
  out_ << "<anim ver=\"netanim-3.108\" filetype=\"animation\" >\n";
  place(tree);
  describe(tree.peers(), "peer ", kPeerColour, 1.5);
  describe(tree.leaves(), "leaf ", kRouterColour, 2.5);
  describe(tree.spines(), "spine ", kRouterColour, 3);
  link(tree.peers());
  link(tree.leaves());
}

void Animation::place(const Tree& tree) {
  const TreeShape& shape = tree.shape();
  const std::uint32_t columns = std::min(kColumnsMax, shape.racks.size);
  const double rack_width = kPeerGap * (columns - 1);
  const double width = (rack_width + kRackGap) * shape.leaves() - kRackGap;
  for (std::uint32_t rack = 0; rack < shape.leaves(); ++rack) {
    const double left = (rack_width + kRackGap) * rack;
    put(tree.leaves()[rack], left + rack_width / 2, kLeafHeight);
    for (std::uint32_t slot = 0; slot < shape.peers_in(rack); ++slot) {
      put(tree.peers()[shape.first_in(rack) + slot], left + kPeerGap * (slot % columns),
          kRackHeight + kPeerGap * (slot / columns));
    }
  }
  for (std::uint32_t i = 0; i < shape.spines; ++i) {
    put(tree.spines()[i], width * (i + 0.5) / shape.spines, kSpineHeight);
  }
}

void Animation::put(const ns3::Ptr<ns3::Node>& node, double x, double y) {
  out_ << "<node id=\"" << node->GetId() << "\" sysId=\"0\" locX=\"" << x << "\" locY=\"" << y
       << "\" />\n";
}

void Animation::describe(
    const Nodes& nodes, const std::string& name, const char* colour, double size) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string of_node = R"( t="0" id=")" + std::to_string(nodes[i]->GetId()) + "\" ";
    out_ << R"(<nu p="d")" << of_node << "descr=\"" << name << i + 1 << "\" />\n"
         << R"(<nu p="c")" << of_node << colour << " />\n"
         << R"(<nu p="s")" << of_node << "w=\"" << size << "\" h=\"" << size << "\" />\n";
  }
}

// Writes each link once, with the lower node, where it is the first device.
void Animation::link(const Nodes& nodes) {
  for (const auto& node : nodes) {
    for (std::uint32_t i = 0; i < node->GetNDevices(); ++i) {
      const auto channel = node->GetDevice(i)->GetChannel();
      // A loopback has no channel; of a link, the device that was attached first is the lower one.
      if (channel == nullptr || channel->GetDevice(0) != node->GetDevice(i)) continue;
      out_ << "<link fromId=\"" << node->GetId() << "\" toId=\""
           << channel->GetDevice(1)->GetNode()->GetId() << "\" fd=\"\" td=\"\" ld=\"\" />\n";
      channel->TraceConnectWithoutContext(
          "TxRxPointToPoint", ns3::MakeCallback(&Animation::on_packet, this));
    }
  }
}

void Animation::on_packet(ns3::Ptr<const ns3::Packet>,
    ns3::Ptr<ns3::NetDevice> from,
    ns3::Ptr<ns3::NetDevice> to,
    ns3::Time sending,
    ns3::Time arrival) {
  const ns3::Time now = ns3::Simulator::Now();
  out_ << "<p fId=\"" << from->GetNode()->GetId() << "\" fbTx=\"" << seconds(now) << "\" lbTx=\""
       << seconds(now + sending) << "\" tId=\"" << to->GetNode()->GetId() << "\" fbRx=\""
       << seconds(now + arrival - sending) << "\" lbRx=\"" << seconds(now + arrival) << "\" />\n";
}

void Animation::finish() {
  out_ << "</anim>\n";
  out_.close();
  if (!out_) throw std::runtime_error(file_ + ": could not be written whole");
}

}  // namespace dunlin::sim
