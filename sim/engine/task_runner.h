// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sched/turn.h"
#include "sim/engine/members.h"
#include "sim/machine/fluid_machine.h"
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

  /// Tasks on that peer take their duration divided by `speed`, which is above 0.
  void set_speed(std::uint32_t peer, double speed);
  /// Tasks on the peer that is added next contend with each other: see FluidMachine. For all peers,
  /// in order, or for none.
  void add_machine(const Machine& machine, double loss);
  /// Something else takes that part of the rates of a peer from now on. In an event of the peer.
  void set_background(std::uint32_t peer, double share);

  // These act for the peer that has the turn.
  void start(const sched::Launch& launch) override;
  void kill(const sched::TaskId& task, std::uint32_t attempt, sched::Outcome outcome) override;
  void suspend(const sched::TaskId& task, std::uint32_t attempt) override;
  void resume(const sched::TaskId& task, std::uint32_t attempt) override;
  /// A simulated node that crashes loses its tasks, so nothing is kept.
  void forget(const sched::TaskId&, std::uint32_t) override {}
  /// Never called: no start fails in a simulation.
  void try_start() override;

  /// All tasks of a peer die with it. No frontend hears of it.
  void crash(std::uint32_t peer);
  /// Accounts for the attempts that still run, at the end of the run.
  void settle() const;

 private:
  void end_at(std::uint32_t peer, Time when);
  /// It goes on to run, or to end.
  void wake(Attempt& attempt);
  bool contends() const { return !fluid_.empty(); }
  /// What runs on a peer has changed, and so have the times at which its tasks end.
  void plan_ends(std::uint32_t peer);
  /// It runs no more, where tasks contend.
  void leave(std::uint32_t peer, const Attempt& attempt, Time now);
  void reap(std::uint32_t peer);
  /// Accounts for an attempt that ran until `end`, and of which the peer learns only now.
  void account(
      std::uint32_t peer, const Attempt& attempt, Time end, Time ceased, bool by_itself) const;

  Members& members_;
  Recorder& recorder_;
  Ended ended_;
  std::vector<double> speeds_;       ///< By peer; 1 for those beyond its end.
  std::vector<FluidMachine> fluid_;  ///< By peer; empty if tasks do not contend.
};

}  // namespace dunlin::sim
