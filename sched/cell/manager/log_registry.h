// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <vector>

#include "sched/cell/manager/cell_service.h"
#include "sched/cell/manager/membership.h"

namespace dunlin::sched {

/// The manager's care for logs of jobs: the books of a cell say which replica of each log is its
/// home, and which are in sync (sched/replica/). A replica asks for a change of the entry and gets
/// the entry as committed, whether its wish was applied or not. Asleep until a replica asks.
class LogRegistry final : public CellService {
 public:
  /// Changes that wait for the voters at once. One that asks beyond asks again.
  static constexpr std::size_t kWaitingMax = 1024;

  /// Both outlive this.
  LogRegistry(const CellParams& params, const Membership& members)
      : params_(&params),
        members_(&members) {}

  Handling on_message(
      const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) override;
  void on_outcome(const LeaderTurn& turn, const Resolution& outcome) override;

 private:
  struct Asker {
    Endpoint node;
    std::uint64_t log = 0;
    std::uint64_t request = 0;
    CellId cell;  ///< Whose manager asks; 0: a replica.
  };

  void propose(const LeaderTurn& turn, const Asker& asker, const books::Change& change);
  void answer(const LeaderTurn& turn, const Asker& asker) const;
  /// The voters that are heard and whose books are settled.
  std::vector<cell::Keeper> keepers_of(const LeaderTurn& turn) const;
  bool misses(const LeaderTurn& turn, PeerId node) const;
  /// A claim waits: the home seems well.
  bool holds_off(const LeaderTurn& turn, const books::LogEntry& log);

  const CellParams* params_;
  const Membership* members_;
  std::map<ProposalId, Asker> waiting_;
  /// The first claim of a log, as its entry was then.
  struct Claim {
    std::uint64_t version = 0;
    Time since{};
    Time last{};
  };
  std::map<std::uint64_t, Claim> held_off_;  ///< By log: no more than the books have.
};

}  // namespace dunlin::sched
