// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <ns3/flow-monitor-helper.h>
#include <optional>
#include <string>

#include "sim/transport/animation.h"
#include "sim/transport/tree.h"

namespace dunlin::sim {

/// The records of a tree: FlowMonitor's statistics of each pair that talked, and the picture of
/// every packet for NetAnim. Each is written only if its file is named.
class TreeRecords {
 public:
  TreeRecords(const NetworkParams& params, const Tree& tree);

  /// Writes the rest, and ends. Requires that the simulator is not destroyed yet. Throws if a file
  /// could not be written.
  void write();

 private:
  std::string flow_file_;
  std::unique_ptr<ns3::FlowMonitorHelper> flows_;
  std::optional<Animation> animation_;
};

}  // namespace dunlin::sim
