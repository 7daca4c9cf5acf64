// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "sim/transport/tree.h"

namespace dunlin::sim {

/// What ns-3 itself can write of a tree: FlowMonitor's statistics of each pair that talked, and the
/// picture of every packet for NetAnim. Each only if its file is named.
class TreeRecords {
 public:
  TreeRecords(const NetworkParams& params, const Tree& tree);
  ~TreeRecords();
  TreeRecords(const TreeRecords&) = delete;
  TreeRecords& operator=(const TreeRecords&) = delete;

  /// Writes what is left to write, and ends. Before the simulator is destroyed.
  void write();

 private:
  class Flows;
  class Animation;

  std::unique_ptr<Flows> flows_;
  std::unique_ptr<Animation> animation_;
};

}  // namespace dunlin::sim
