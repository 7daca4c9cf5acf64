// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "sched/cell/manager/cell_service.h"

namespace dunlin::sched {

/// Gives the logs of a cell that ends to the books of another one, so that their standbys may go on
/// taking over. Asleep until the cell ends.
///
/// The other cell is asked first: it answers in an office, and does not end itself. Then these
/// books freeze the entry, and then the others get it: see sched/replica/entry.h. Whoever asks
/// these books after that is sent there, and the replicas of the log are told so.
class LogMoves final : public CellService {
 public:
  void on_period(const LeaderTurn& turn) override;
  Handling on_message(
      const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) override;

  /// No log is left that other books must have, and do not.
  bool settled(const LeaderTurn& turn) const;

 private:
  /// Sends a wish to the manager of another cell, where that is known, or to one of `contacts`,
  /// which are not empty.
  void ask(const LeaderTurn& turn,
      CellId cell,
      const std::vector<books::Contact>& contacts,
      const cell::LogWish& wish);
  void freeze(const LeaderTurn& turn, const cell::LogAnswer& there);
  void tell_replicas(const LeaderTurn& turn, const books::LogEntry& log) const;

  struct Leader {
    Endpoint node;
    bool heard = false;  ///< In this period.
  };

  CellId heir_;                       ///< The cell that was asked whether it takes the logs.
  std::map<CellId, Leader> leaders_;  ///< Of other cells, as replicas of their books said.
  std::set<std::uint64_t> accepted_;  ///< By log: the other books have it.
  std::size_t asked_ = 0;
};

}  // namespace dunlin::sched
