// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sched/frontend/inputs/input_index.h"
#include "sched/job.h"
#include "sim/machine/usage.h"
#include "sim/workload/job_facts.h"

namespace dunlin::sim {

/// What a master knows of a job: what waits, what runs, and which of its stages may start.
class Claim {
 public:
  struct Stage {
    std::uint32_t first = 0;  ///< The index of its first task in the job.
    std::uint32_t next = 0;   ///< Its tasks up to this one have been started.
    std::uint32_t ended = 0;
    std::size_t blockers = 0;  ///< Stages that it waits for.
    // Where inputs of its tasks have places:
    sched::InputIndex inputs{};
    sched::Resources here{};      ///< What a task takes where its input is.
    std::vector<bool> started{};  ///< By task.
    std::uint32_t passed = 0;     ///< All tasks before this one have been started.
  };

  /// `job` must outlive this.
  Claim(const sched::Job& job, std::uint64_t order);

  const sched::Job& job() const { return job_; }
  /// Stages are the groups of the job, in its order.
  const sched::TaskGroup& group(std::size_t stage) const { return job_.groups[stage]; }
  const std::vector<Stage>& stages() const { return stages_; }
  /// The number of those that came before.
  std::uint64_t order() const { return order_; }
  /// The tasks of a stage that may start and have not.
  std::uint32_t waiting(std::size_t stage) const;
  /// The part of the tasks of a stage that has ended.
  double finished(std::size_t stage) const;
  /// What its tasks that run were said to take.
  const Usage& held() const { return held_; }
  /// The work of its tasks that have not started, later stages included: amounts × seconds, as its
  /// frontend expects tasks to last.
  const Usage& work() const { return work_; }
  bool over() const { return left_ == 0; }

  /// Waiting tasks of a stage with their input at the machine.
  std::uint32_t waiting_at(std::size_t stage, std::uint32_t machine) const;
  /// The machines that have the input of the task that start() takes elsewhere. Requires that one
  /// waits.
  std::vector<std::uint32_t> sources(std::size_t stage) const;

  /// Takes a task out of a stage, and returns its index in the job: by its order, or, if `here`,
  /// one with its input at the machine. Requires that one waits.
  std::uint32_t start(std::size_t stage, std::uint32_t machine, bool here);
  /// A task of a stage has ended. True if other stages may start now.
  bool end(std::size_t stage);

 private:
  const sched::Job& job_;
  std::uint64_t order_;
  std::vector<Stage> stages_;
  Usage held_{};
  Usage work_{};
  std::uint32_t left_ = 0;
};

/// The largest share of `total` in any resource of which there is some; what is not declared counts
/// for nothing.
double dominant_share(const Usage& amounts, const Usage& total);
/// The sum of the shares of all resources of which there is some.
double sum_of_shares(const Usage& amounts, const Usage& total);

}  // namespace dunlin::sim
