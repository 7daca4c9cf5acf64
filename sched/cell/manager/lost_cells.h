// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>

#include "sched/cell/manager/cell_service.h"
#include "sched/cell/sharing_params.h"

namespace dunlin::sched {

/// The manager's care for cells that are lost. An operator writes one off in the books of another;
/// a missing one is looked for elsewhere in the tree; and one that comes back after it was written
/// off is told to end.
class LostCells final : public CellService {
 public:
  explicit LostCells(const SharingParams& params) : params_(&params) {}

  void on_period(const LeaderTurn& turn) override;
  Handling on_message(
      const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) override;
  void on_outcome(const LeaderTurn& turn, const Resolution& outcome) override;

  /// An operator says that `lost` is lost with all its replicas. Savings under way to it come back.
  /// With `reissue`, its net receipts from here are issued again, by the shares of classes.
  /// Fails (`conflict`) if it is a member here, or was heard of within a lease, and (`usage`) if it
  /// is this one. It changes nothing if that was done before.
  Result<void> write_off(const LeaderTurn& turn, CellId lost, bool reissue);

 private:
  Handling on_written_off(
      const LeaderTurn& turn, const Endpoint& from, const cell::WrittenOff& word);
  Result<void> may_be_lost(const LeaderTurn& turn, CellId lost) const;

  const SharingParams* params_;
  std::map<ProposalId, CellId> writing_off_;  ///< By proposal.
};

}  // namespace dunlin::sched
