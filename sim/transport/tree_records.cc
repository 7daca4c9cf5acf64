// SPDX-License-Identifier: MIT
#include "sim/transport/tree_records.h"

#include <cmath>
#include <limits>
#include <ns3/animation-interface.h>
#include <ns3/flow-monitor-helper.h>
#include <ns3/node-container.h>
#include <string>

namespace dunlin::sim {
namespace {

// The picture, in NetAnim's units: spines above leaves above racks, whose peers stand in rows.
constexpr double kSpineHeight = 0;
constexpr double kLeafHeight = 20;
constexpr double kRackHeight = 40;
constexpr double kPeerGap = 4;
constexpr double kRackGap = 8;
constexpr std::uint32_t kColumnsMax = 5;  // Of peers in a rack.

struct Colour {
  std::uint8_t red;
  std::uint8_t green;
  std::uint8_t blue;
};
constexpr Colour kPeerColour = {31, 111, 139};
constexpr Colour kRouterColour = {201, 96, 44};

}  // namespace

/// Statistics of IP, in ns-3's own form.
class TreeRecords::Flows {
 public:
  Flows(const std::string& file, const Tree& tree) : file_(file) {
    ns3::NodeContainer nodes;
    for (const auto* group : {&tree.peers(), &tree.leaves(), &tree.spines()}) {
      for (const auto& node : *group) nodes.Add(node);
    }
    helper_.Install(nodes);
  }

  void write() {
    helper_.GetMonitor()->CheckForLostPackets();
    helper_.SerializeToXmlFile(file_, true, false);
  }

 private:
  std::string file_;
  ns3::FlowMonitorHelper helper_;
};

/// Every packet on every link, as it happens.
class TreeRecords::Animation {
 public:
  Animation(const std::string& file, const Tree& tree) {
    place(tree);  // First, for the interface reads where nodes are.
    interface_ = std::make_unique<ns3::AnimationInterface>(file);
    // One file for all, however long.
    interface_->SetMaxPktsPerTraceFile(std::numeric_limits<std::uint64_t>::max());
    describe(tree.peers(), "peer ", kPeerColour, 1.5);
    describe(tree.leaves(), "leaf ", kRouterColour, 2.5);
    describe(tree.spines(), "spine ", kRouterColour, 3);
  }

 private:
  static void place(const Tree& tree) {
    const TreeShape& shape = tree.shape();
    const std::uint32_t columns = std::min(kColumnsMax, shape.racks.size);
    const double rack_width = kPeerGap * (columns - 1);
    const double width = (rack_width + kRackGap) * shape.leaves() - kRackGap;
    const auto put = [](const auto& node, double x, double y) {
      ns3::AnimationInterface::SetConstantPosition(node, x, y);
    };
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

  void describe(const std::vector<ns3::Ptr<ns3::Node>>& nodes,
      const std::string& name,
      const Colour& colour,
      double size) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      interface_->UpdateNodeDescription(nodes[i], name + std::to_string(i + 1));
      interface_->UpdateNodeColor(nodes[i], colour.red, colour.green, colour.blue);
      interface_->UpdateNodeSize(nodes[i]->GetId(), size, size);
    }
  }

  std::unique_ptr<ns3::AnimationInterface> interface_;  ///< Ends its file when it dies.
};

TreeRecords::TreeRecords(const NetworkParams& params, const Tree& tree) {
  if (!params.flow_monitor.empty()) flows_ = std::make_unique<Flows>(params.flow_monitor, tree);
  if (!params.animation.empty()) animation_ = std::make_unique<Animation>(params.animation, tree);
}

TreeRecords::~TreeRecords() = default;

void TreeRecords::write() {
  if (flows_) flows_->write();
  flows_.reset();
  animation_.reset();
}

}  // namespace dunlin::sim
