// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sched/federation/global_view.h"
#include "sched/federation/masters_turn.h"
#include "sched/federation/params.h"

namespace dunlin::sched::federation {

/// What became of a task that was launched.
struct LaunchOutcome {
  enum class Fate : std::uint8_t {
    placed,   ///< It started at `worker`.
    refused,  ///< It did not start, and never does: the same attempt may be made elsewhere.
    lost,     ///< That is not known, and will not be.
  };
  JobId job;
  Attempt task;
  Fate fate = Fate::lost;
  Endpoint worker{};
  std::uint32_t incarnation = 0;  ///< Of the worker.
  CellId cell{};
  std::uint64_t number = 0;  ///< Of the launch, in that cell.
  bool preempts = false;     ///< Tasks of another class were to be stopped for it.
};

/// What a global master has launched and has no answer to. A launch that is not answered is sent
/// again a few times, then its tasks are lost.
class Launches {
 public:
  /// `params` outlives it.
  explicit Launches(const FederationParams& params) : params_(params) {}

  /// Sends the tasks to `to`, which is the local master `local`, or the member that is to start
  /// them if the launch is direct. Both may answer.
  void send(const MastersTurn& turn, const Endpoint& to, const Endpoint& local, LaunchTasks launch);
  /// A local master says what became of a launch of that cell; empty if that is known already.
  std::optional<LaunchOutcome> settle(
      CellId cell, const Endpoint& from, const LaunchVerdict& verdict);
  /// Where a launch went to, and the numbers of it that are lost.
  struct Lost {
    CellId cell;
    std::uint64_t number = 0;
    std::optional<PeerId> member;  ///< It went straight there.
    LaunchOutcome outcome;
  };
  /// Sends what is due again, with what is known of the cell by now; until that is answered the
  /// cell is suspected, unless members were to answer. Returns the tasks that are lost. Call it at
  /// deadline().
  std::vector<Lost> wake(const MastersTurn& turn, GlobalView& view);
  Time deadline() const;
  std::size_t size() const { return of_.size(); }
  /// The work of all launches that are not answered, each of which has its own.
  std::size_t bytes() const { return bytes_; }

 private:
  struct Batch {
    Endpoint to;
    PeerId local;
    LaunchTasks launch;  ///< With those of its tasks that are not answered.
    int tries = 1;
    Time next{};
  };
  using Batches = std::list<Batch>;

  static LaunchOutcome outcome_of(const Batch& batch, std::size_t index);
  void take_out(Batches::iterator batch, std::size_t index);

  const FederationParams& params_;
  Batches batches_;
  std::size_t bytes_ = 0;
  std::map<std::pair<CellId, std::uint64_t>, Batches::iterator> of_;  ///< By cell and number.
};

}  // namespace dunlin::sched::federation
