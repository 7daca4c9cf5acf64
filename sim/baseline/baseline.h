// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <ns3/event-id.h>
#include <optional>
#include <vector>

#include "sched/job.h"
#include "sched/packing/rules.h"
#include "sched/resources.h"
#include "sim/baseline/placed.h"
#include "sim/machine/fluid_cluster.h"
#include "sim/measure/recorder.h"
#include "sim/scenario/baseline_params.h"
#include "sim/scenario/classes.h"
#include "sim/scenario/machines.h"
#include "sim/scenario/processing_params.h"
#include "sim/transport/latency.h"

namespace dunlin::sim {

/// The common part of the schedulers to compare with: machines that run tasks, the network between
/// them, and the record of events. Frontend i stands beside machine i, as in a cluster of peers; no
/// message is lost, and no machine fails where a scheduler does not say that it answers to that.
class Baseline {
 public:
  struct Options {
    Fleet machines;
    Delay delay;
    Rng rng;
    BaselineParams params;
    sched::Resources demand{};  ///< Of a task, where all are alike: what a slot is.
    ProcessingParams processing{};
    std::vector<WorkloadClass> classes{};
    std::uint32_t masters = 1;                  ///< Global ones, at the first machines ...
    std::uint32_t local_masters = 1;            ///< ... and local ones.
    const ClusterParams* contention = nullptr;  ///< Null: no task slows another ...
    ResourceMeter* resources = nullptr;         ///< ... else what they take is told to this one.
    sched::packing::Rules rules{};              ///< tetris: as the workers of peers pack.
  };

  /// `recorder` must outlive this.
  Baseline(const Options& options, Recorder& recorder);
  virtual ~Baseline() = default;
  Baseline(const Baseline&) = delete;
  Baseline& operator=(const Baseline&) = delete;

  /// Hands a job to a frontend, from within an event.
  void submit(std::uint32_t frontend, sched::Job job, const JobFacts& facts);
  /// A machine dies with all that runs on it, or is back. Schedulers that do not say otherwise
  /// never hear of it: nothing happens.
  virtual void crash(std::uint32_t) {}
  /// Machines of baselines that know no crashes never do.
  virtual void restart(std::uint32_t) {}
  /// Accounts for the tasks that still run. At the end of the run.
  void settle();

  /// Messages that took time: what a scheduler tells itself on one machine is none.
  std::uint64_t messages() const { return messages_; }
  /// Empty if it has no such masters.
  virtual std::optional<MasterCounts> master_counts() const { return std::nullopt; }

 protected:
  /// What a scheduler takes of the room of a machine for such a task. One that does not look at all
  /// resources gives some of them away twice.
  virtual sched::Resources counted(const sched::Resources& demand) const { return demand; }
  /// A job came to its frontend. Each of its tasks must be started once, sooner or later.
  virtual void place(const PlacedJob& job) = 0;
  /// A task ended on a machine, after `ran`. on_room() follows.
  virtual void on_end(std::uint32_t, const Work&, Duration) {}
  /// A task of `job` ended on `machine`, which has more room now.
  virtual void on_room(std::uint32_t machine, const PlacedJob& job) = 0;

  std::uint32_t machines() const { return static_cast<std::uint32_t>(machines_.size()); }
  const sched::Resources& total(std::uint32_t machine) const { return machines_[machine].total; }
  /// What is free now, less what is held.
  const sched::Resources& room(std::uint32_t machine) const { return machines_[machine].room; }
  /// Tasks that run there, those still on their way included: their room is taken.
  std::size_t running(std::uint32_t machine) const { return machines_[machine].running.size(); }

  /// Draws machines that can run tasks of `job` when they are idle: all distinct, unless there are
  /// fewer. Requires at least one.
  std::vector<std::uint32_t> draw_machines(const PlacedJob& job, std::size_t count);

  /// Counts a message, and returns its travel time; a message to the own machine takes none.
  Duration travel(std::uint32_t from, std::uint32_t to);
  /// 1 is the machine on which a task takes its duration.
  double speed(std::uint32_t machine) const { return machines_[machine].speed; }
  /// Takes room on `machine` now, and runs the task there from `begin` on: for its duration by the
  /// machine's speed, after `overhead`. Requires that it fits, and that the machine satisfies its
  /// constraints.
  void start(std::uint32_t machine, const Work& work, Time begin, Duration overhead = Duration{0});
  /// Stops a task that runs on `machine`, and returns how long it did. Neither on_end() nor
  /// on_room() follows.
  Duration stop(std::uint32_t machine, const Work& work);
  /// Takes the room of a task on `machine` without one. Requires that it fits.
  void hold(std::uint32_t machine, const PlacedJob& job);
  /// Runs a task from `begin` on in such room.
  void start_held(std::uint32_t machine, const Work& work, Time begin);
  /// Gives such room back; then it may be used for another.
  void release(std::uint32_t machine, const PlacedJob& job);

  /// The scheduler's own stream of chance.
  Rng& rng() { return options_.rng; }
  const BaselineParams& params() const { return options_.params; }
  const Options& options() const { return options_; }
  Recorder& recorder() { return recorder_; }

 private:
  struct Running {
    Work work;
    Time begin{};
    Time end{};
    ns3::EventId ends;
    sched::ClassId class_id = 0;
    std::uint64_t number = 0;  ///< See ResourceMeter; 0 where tasks do not contend.
    std::uint64_t lent = 0;    ///< Likewise what another machine lends to it; 0: nothing.
  };
  struct State {
    double speed = 1;
    sched::Resources total;
    sched::Resources room;
    std::vector<Running> running;
    std::uint32_t jobs = 0;  ///< Jobs submitted here.
    /// Messages so far: the network draws the delay of each by its number.
    std::uint64_t sent = 0;
  };

  /// A task has ended by itself: its room is free, and the scheduler hears of it.
  void end(std::uint32_t machine, const Work& work);
  /// The attempt no longer runs: takes it out, gives its room back and accounts for it until `at`.
  Running take_out(std::uint32_t machine, const Work& work, Time at, bool by_itself);

  Options options_;
  Recorder& recorder_;
  Eligibility eligibility_;
  std::vector<State> machines_;
  std::unique_ptr<FluidCluster> fluid_;  ///< Null if tasks do not contend.
  std::vector<std::uint32_t> order_;     ///< All machines, in the order shuffled so far.
  std::uint64_t messages_ = 0;
};

}  // namespace dunlin::sim
