// SPDX-License-Identifier: MIT
#pragma once

#include "node/control/cells/report_walk.h"
#include "node/control/control_handlers.h"

namespace dunlin::node {

/// A request that is answered when the managers of all cells have been asked.
class CellsPending : public Pending {
 public:
  overlay::Time due() const override { return again_ == overlay::kNever ? walk_.due() : again_; }
  bool on_cell_answer(overlay::PeerId node, const CellAnswer& answer) override {
    return walk_.on_answer(node, answer);
  }

 protected:
  /// Begins with what this agent knows.
  CellsPending(AgentServices& agent, const CellQuestion& question, overlay::Duration patience);

  /// Asks on. True when the walk is over.
  bool walk_on(AgentServices& agent);
  /// Walks once more, from `again` on.
  void walk_again(overlay::Time again, overlay::Duration patience);
  const ReportWalk& walk() const { return walk_; }

 private:
  void begin(AgentServices& agent, overlay::Duration patience);

  CellQuestion question_;
  overlay::Time again_ = overlay::kNever;
  overlay::Duration patience_{};
  ReportWalk walk_;
};

}  // namespace dunlin::node
