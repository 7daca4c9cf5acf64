// SPDX-License-Identifier: MIT
#include "sim/transport/tree_records.h"

#include <fstream>
#include <ns3/flow-monitor.h>
#include <ns3/node-container.h>
#include <stdexcept>

namespace dunlin::sim {

TreeRecords::TreeRecords(const NetworkParams& params, const Tree& tree)
    : flow_file_(params.flow_monitor) {
  if (!params.animation.empty()) animation_.emplace(params.animation, tree);
  if (flow_file_.empty()) return;
  ns3::NodeContainer nodes;
  for (const auto* group : {&tree.peers(), &tree.leaves(), &tree.spines()}) {
    for (const auto& node : *group) nodes.Add(node);
  }
  flows_ = std::make_unique<ns3::FlowMonitorHelper>();
  flows_->Install(nodes);
}

void TreeRecords::write() {
  if (animation_) animation_->finish();
  if (!flows_) return;
  std::ofstream out(flow_file_);
  out << "<?xml version=\"1.0\" ?>\n";
  const auto monitor = flows_->GetMonitor();
  // What was never received counts as lost from now on.
  monitor->CheckForLostPackets();
  monitor->SerializeToXmlStream(out, 0, true, false);
  out.close();
  flows_.reset();
  if (!out) throw std::runtime_error(flow_file_ + ": could not be written whole");
}

}  // namespace dunlin::sim
