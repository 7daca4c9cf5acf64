// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <ns3/flow-monitor-helper.h>
#include <optional>
#include <string>

#include "sim/transport/animation.h"
#include "sim/transport/tree.h"

namespace dunlin::sim {

/// What can be written of a tree: FlowMonitor's statistics of each pair that talked, and the
/// picture of every packet for NetAnim. Each only if its file is named.
class TreeRecords {
 public:
  TreeRecords(const NetworkParams& params, const Tree& tree);

  /// Writes what is left to write, and ends. Before the simulator is destroyed. Throws, if a file
  /// could not be written.
  void write();

 private:
  std::string flow_file_;
  std::unique_ptr<ns3::FlowMonitorHelper> flows_;
  std::optional<Animation> animation_;
};

}  // namespace dunlin::sim
