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
#include "sim/machine/fluid_machine.h"
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
    std::uint32_t masters = 1;           ///< Global ones, at the first machines ...
    std::uint32_t local_masters = 1;     ///< ... and local ones.
    std::optional<double> contention{};  ///< The loss of tasks that contend; empty: none does.
    sched::packing::Rules rules{};       ///< tetris: as the workers of peers pack.
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
  virtual void restart(std::uint32_t) {}
  /// Something else takes that part of the rates of a machine, where tasks contend. No scheduler
  /// hears of it.
  void set_background(std::uint32_t machine, double share);
  /// Accounts for the tasks that still run. At the end of the run.
  void settle();

  std::uint64_t messages() const { return messages_; }
  /// Empty if it has no such masters.
  virtual std::optional<MasterCounts> master_counts() const { return std::nullopt; }

 protected:
  /// A job on its way through the cluster.
  struct Placed {
    sched::Job job;
    std::uint32_t frontend = 0;
    Time submitted{};
    std::uint32_t left = 0;       ///< Tasks that have not ended.
    Eligibility::Flags eligible;  ///< Machines that satisfy its constraints; null: all.
    std::shared_ptr<const StageOrder> stages;  ///< See JobFacts.

    const sched::JobId& id() const { return job.id; }
    /// Of one task of its first group: of any, if it has no other.
    const sched::Resources& demand() const { return job.groups.front().demand; }
  };
  using PlacedJob = std::shared_ptr<Placed>;
  /// A task: the `index`-th of the job, across all groups.
  struct Work {
    PlacedJob job;
    std::uint32_t index = 0;
    std::uint32_t attempt = 1;
  };
  /// The group that a task is in, and its index there.
  struct InGroup {
    std::size_t group = 0;
    std::uint32_t index = 0;
  };
  static InGroup place_of(const Work& work);
  static const sched::TaskGroup& group_of(const Work& work) {
    return work.job->job.groups[place_of(work).group];
  }

  /// True if it takes jobs of several groups, and holds back those that wait for others. Frontends
  /// submit each group by itself to those that do not.
  virtual bool takes_stages() const { return false; }
  /// What a scheduler takes of the room of a machine for such a task. One that does not look at all
  /// resources gives some of them away twice.
  virtual sched::Resources counted(const sched::Resources& demand) const { return demand; }
  /// A job came to its frontend. Each of its tasks must be started once, sooner or later.
  virtual void place(const PlacedJob& job) = 0;
  /// A task ended on a machine, after `ran`. on_room() follows.
  virtual void on_end(std::uint32_t, const Work&, Duration) {}
  /// A task of `job` ended on `machine`, which has more room now.
  virtual void on_room(std::uint32_t machine, const PlacedJob& job) = 0;

  /// True if `machine` satisfies the constraints of the job.
  static bool satisfies(std::uint32_t machine, const PlacedJob& job) {
    return job->eligible == nullptr || (*job->eligible)[machine];
  }
  std::uint32_t machines() const { return static_cast<std::uint32_t>(machines_.size()); }
  const sched::Resources& total(std::uint32_t machine) const { return machines_[machine].total; }
  const sched::Resources& room(std::uint32_t machine) const { return machines_[machine].room; }
  std::size_t running(std::uint32_t machine) const { return machines_[machine].running.size(); }

  /// Draws machines that can run tasks of `job` when they are idle: all distinct, unless there are
  /// fewer. Requires at least one.
  std::vector<std::uint32_t> draw_machines(const PlacedJob& job, std::size_t count);

  /// Counts a message, and returns its travel time; a message to the own machine takes none.
  Duration travel(std::uint32_t from, std::uint32_t to);
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
  };
  struct State {
    double speed = 1;
    sched::Resources total;
    sched::Resources room;
    std::vector<Running> running;
    std::uint32_t jobs = 0;  ///< Jobs submitted here.
    std::uint64_t sent = 0;
  };

  void end(std::uint32_t machine, const Work& work);
  /// Where tasks contend: one comes, and what runs has changed, so all ends have.
  void share_machine(std::uint32_t machine, Running& running, Duration before);
  void plan_ends(std::uint32_t machine);
  void end_due(std::uint32_t machine);
  /// The attempt no longer runs: takes it out, gives its room back and accounts for it until `at`.
  Running take_out(std::uint32_t machine, const Work& work, Time at, bool by_itself);

  Options options_;
  Recorder& recorder_;
  Eligibility eligibility_;
  std::vector<State> machines_;
  std::vector<FluidMachine> fluid_;   ///< By machine; empty if tasks do not contend.
  std::vector<ns3::EventId> due_;     ///< The next end on each of them.
  std::vector<std::uint32_t> order_;  ///< All machines, in the order shuffled so far.
  std::uint64_t messages_ = 0;
};

/// Requires is_baseline(options.params.scheduler).
std::unique_ptr<Baseline> make_baseline(const Baseline::Options& options, Recorder& recorder);

}  // namespace dunlin::sim
