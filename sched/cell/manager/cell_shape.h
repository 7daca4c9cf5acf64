// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "sched/cell/manager/cell_service.h"
#include "sched/cell/manager/log_moves.h"
#include "sched/cell/manager/membership.h"
#include "sched/cell/manager/transfer_desk.h"

namespace dunlin::sched {

/// The place of a cell in the tree, and its end: it takes note of its parent, dissolves when it is
/// too small to go on, and winds up its books when its members have gone.
class CellShape final : public CellService {
 public:
  /// `members`, `desk` and `moves` outlive this.
  CellShape(const CellParams& params,
      const Membership& members,
      TransferDesk& desk,
      const LogMoves& moves);

  void on_period(const LeaderTurn& turn) override;

  /// The cell joined `parent`, or moved, or with 0 has none any more.
  void set_parent(const LeaderTurn& turn, const books::SetParent& parent) const;
  /// Lets the cell end, and its savings go to the cell `into`, or to the largest one there is then.
  void dissolve(const LeaderTurn& turn, std::optional<CellId> into) const;

 private:
  void consider_merging(const LeaderTurn& turn);
  void wind_up(const LeaderTurn& turn);
  bool is_small(const CellBooks& books) const;

  const CellParams* params_;
  const Membership* members_;
  TransferDesk* desk_;
  const LogMoves* moves_;
  std::uint16_t too_small_ = 0;  ///< Periods in a row in which it could dissolve.
};

}  // namespace dunlin::sched
