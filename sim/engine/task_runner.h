// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sched/turn.h"
#include "sched/worker/tracker/measured.h"
#include "sim/engine/members.h"
#include "sim/machine/fluid_cluster.h"
#include "sim/measure/recorder.h"

namespace dunlin::sim {

/// Runs tasks in simulated time: each takes as long as its spec says, unless it is killed, or
/// contends with others for what its machine has.
class TaskRunner final : public sched::Executor {
 public:
  using Ended = std::function<void(std::uint32_t peer, std::span<const sched::Exit> exits)>;

  /// `ended` is told of attempts that ended at the same moment in one call, in an event of the
  /// peer. `members` and `recorder` must outlive this.
  TaskRunner(Members& members, Recorder& recorder, Ended ended);
  TaskRunner(const TaskRunner&) = delete;
  TaskRunner& operator=(const TaskRunner&) = delete;

  /// Tasks contend: see FluidCluster. Before the first peer is added; `meter` must outlive this.
  void contend(const ClusterParams& params, ResourceMeter& meter);
  /// Adds the machine of a peer, one after the other. Tasks there take their duration divided by
  /// its speed.
  void add(std::uint32_t peer, const Machine& machine);
  /// All are added.
  void ready();

  // These act for the peer that has the turn.
  void start(const sched::Launch& launch) override;
  void kill(const sched::TaskId& task, std::uint32_t attempt, sched::Outcome outcome) override;
  void suspend(const sched::TaskId& task, std::uint32_t attempt) override;
  void resume(const sched::TaskId& task, std::uint32_t attempt) override;
  /// A simulated node that crashes loses its tasks, so nothing is kept.
  void forget(const sched::TaskId&, std::uint32_t) override {}
  /// Never called: no start fails in a simulation.
  void try_start() override;

  /// What a peer's machine uses now, as the peer would measure it. Requires contend().
  sched::Measured measure(std::uint32_t peer) const;

  /// All tasks of a peer die with it. No frontend hears of it.
  void crash(std::uint32_t peer);
  /// Accounts for the attempts that still run, at the end of the run.
  void settle() const;

 private:
  /// Sets an event for the end of an attempt of the peer that acts.
  void end_at(Time when);
  /// It goes on to run, or to end.
  void wake(Attempt& attempt);
  /// Where tasks contend, ends have changed with what runs.
  void look_up_ends(std::uint32_t peer);
  /// Takes out what has ended by now, accounts for it, and tells the peer.
  void reap(std::uint32_t peer);
  /// It takes nothing of its machine any more, nor of the one that lends to it.
  void stop_contending(std::uint32_t peer, const Attempt& attempt) const;
  /// Accounts for an attempt that ran until `end`, and of which the peer learns only now.
  void account(
      std::uint32_t peer, const Attempt& attempt, Time end, Time ceased, bool by_itself) const;

  Members& members_;
  Recorder& recorder_;
  Ended ended_;
  std::vector<double> speeds_;           ///< By peer; 1 for those beyond its end.
  std::unique_ptr<FluidCluster> fluid_;  ///< Null if tasks do not contend.
};

}  // namespace dunlin::sim
