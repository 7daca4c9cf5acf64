// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>

#include "node/store/plan_tables.h"
#include "node/wall_clock.h"
#include "sched/cell/cell_node.h"
#include "sched/cell/manager/slot_plans.h"

namespace dunlin::node {

/// Writes down, for other programs, what the managers at this node plan, and what the slots of
/// their cells' nodes do: see PlanTables. Of several plans since the last look only the last one
/// has its slots still.
class PlanRecorder {
 public:
  /// Notes what is new in `cells`, the cells of this node; nullptr: it has none.
  void look(const sched::CellNode* cells, const Clocks& clocks, PlanTables& tables);

 private:
  /// What is written of a cell that is managed here.
  struct Told {
    std::uint64_t epoch = 0;
    std::uint64_t plan = 0;    ///< The number of the last one.
    std::uint64_t change = 0;  ///< See sched::WorkerStates.
    bool managed = false;      ///< Found by the last look.
  };

  static void tell(sched::CellId cell,
      const sched::SlotPlans& plans,
      const Clocks& clocks,
      Told& told,
      PlanTables& tables);

  std::map<sched::CellId, Told> told_;
};

}  // namespace dunlin::node
