// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "overlay/rng.h"
#include "sched/turn.h"

namespace dunlin::test {

/// The behaviour of a fake task: FakeExecutor reads it from Launch::spec.
struct Script {
  sched::Duration duration = std::chrono::seconds(1);
  std::int32_t status = 0;  ///< Exit status of the attempts that fail.
  std::uint16_t attempts_failing =
      0;  ///< Attempts 1 to this exit with `status`, later ones with 0.
  std::uint32_t heavy_from = ~std::uint32_t{0};  ///< Tasks of this index or more take `heavy`.
  sched::Duration heavy{0};

  std::string spec() const;
  /// Reads a spec. Missing parts have the defaults above.
  static Script of(const std::string& spec);
};

struct ExecutorParams {
  double spawn_failure = 0;  ///< Probability that a start fails by its node's fault.
  sched::Duration grace =
      std::chrono::milliseconds(200);  ///< The longest that a killed task lives on.
};

/// Runs tasks in virtual time. A crash of its node kills them all.
class FakeExecutor final : public sched::Executor {
 public:
  FakeExecutor(const ExecutorParams& params, overlay::Rng rng) : params_(params), rng_(rng) {}

  /// The resources of its node: more must never run.
  void set_total(const sched::Resources& total) { total_ = total; }
  /// The time of the turn in which the peer calls.
  void set_now(sched::Time now) { now_ = now; }

  void start(const sched::Launch& launch) override;
  void kill(const sched::TaskId& task, std::uint32_t attempt, sched::Outcome outcome) override;
  void suspend(const sched::TaskId& task, std::uint32_t attempt) override;
  void resume(const sched::TaskId& task, std::uint32_t attempt) override;
  void forget(const sched::TaskId& task, std::uint32_t attempt) override;
  void try_start() override;

  /// When the next task ends; kNever if none runs.
  sched::Time next() const;
  /// Those that have ended by `now`, in the order they did.
  std::vector<sched::Exit> take_ended(sched::Time now);
  void crash() {
    tasks_.clear();
    told_.clear();
    trial_ends_.reset();
  }
  /// The node's process died, and its tasks did not: those that run, and all reports that were not
  /// forgotten, for the next one to take back. Nothing is told of them a second time.
  std::vector<sched::KeptTask> take_kept(sched::Time now);
  /// True if something is there to be taken back.
  bool keeps() const { return !tasks_.empty() || !told_.empty(); }
  /// While it is broken every start fails, and every trial.
  void break_down(bool on) { broken_ = on; }
  /// True while a trial runs.
  bool trying() const { return trial_ends_.has_value(); }
  /// The end of a trial by `now`, if one ended: why nothing could start, or empty.
  std::optional<std::string> take_trial(sched::Time now);
  /// The watcher over all tasks dies: they end by their node's fault.
  void lose_all();
  /// No start fails from now on.
  void calm() {
    params_.spawn_failure = 0;
    broken_ = false;
  }

  std::size_t running() const { return tasks_.size(); }
  /// The attempts that it was told to forget, the first one first.
  struct Forgotten {
    sched::TaskId task;
    std::uint32_t attempt;
  };
  const std::vector<Forgotten>& forgotten() const { return forgotten_; }
  bool runs(const sched::TaskId& task) const;
  /// True if it was started and stands still.
  bool stands(const sched::TaskId& task) const;
  std::uint64_t started() const { return started_; }
  /// The first act that a correct worker never does, e.g. starting an attempt twice; empty if all
  /// is well.
  const std::string& violation() const { return violation_; }

 private:
  struct Task {
    sched::TaskId id;
    std::uint32_t attempt = 1;
    sched::Launch launch;
    sched::Time started{};
    sched::Time ends{};
    bool killed = false;
    std::optional<sched::Time> suspended{};  ///< It stands still since then, ...
    sched::Duration left{0};                 ///< ... with so much left to run.
    sched::Duration stood{0};
    std::optional<sched::Time> woken{};  ///< It stood still since then when it was told to end.
    sched::Outcome outcome = sched::Outcome::exited;
    std::int32_t status = 0;
    sched::Cause cause = sched::Cause::task;
  };

  Task* find(const sched::TaskId& task, std::uint32_t attempt);
  /// Notes a violation if more runs than the node has. What was told to end while it stood still
  /// wakes to do so.
  void check_room();

  ExecutorParams params_;
  std::optional<sched::Resources> total_;
  overlay::Rng rng_;
  sched::Time now_{};
  std::vector<Task> tasks_;
  std::vector<sched::KeptTask> told_;  ///< Ended, and not forgotten yet.
  std::vector<Forgotten> forgotten_;
  bool broken_ = false;
  std::optional<sched::Time> trial_ends_;
  std::uint64_t started_ = 0;
  std::string violation_;
};

}  // namespace dunlin::test
