// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "sim/baseline/baseline.h"

namespace dunlin::sim {

/// Schedulers that bind tasks early: a task waits in the queue of the machine it was sent to.
class QueueingBaseline : public Baseline {
 public:
  QueueingBaseline(const Options& options, Recorder& recorder)
      : Baseline(options, recorder),
        queues_(machines()) {}

 protected:
  /// Sends a task to the queue of `machine`.
  void send(std::uint32_t machine, const Work& work);
  /// Tasks that run or wait on `machine`.
  std::size_t load(std::uint32_t machine) const {
    return running(machine) + queues_[machine].size();
  }

 private:
  void on_room(std::uint32_t machine, const PlacedJob& job) override;
  /// Starts tasks in the order in which they came, while the first of them fits.
  void serve(std::uint32_t machine);

  std::vector<std::deque<Work>> queues_;
};

/// Each task goes to a machine by chance.
class RandomPlacement final : public QueueingBaseline {
 public:
  using QueueingBaseline::QueueingBaseline;

 private:
  void place(const PlacedJob& job) override;
};

/// Machines are asked how many tasks they have; the less loaded get the tasks.
class SamplingBaseline : public QueueingBaseline {
 public:
  using QueueingBaseline::QueueingBaseline;

 protected:
  /// Asks `probes` machines at random on behalf of tasks [first, first + tasks); when all have
  /// answered, sends one task each to the least loaded.
  void sample(const PlacedJob& job, std::uint32_t first, std::uint32_t tasks, std::size_t probes);

 private:
  struct Answer {
    std::size_t load = 0;
    std::uint32_t machine = 0;
  };
  struct Sample {
    PlacedJob job;
    std::uint32_t first = 0;
    std::uint32_t tasks = 0;
    std::size_t probes = 0;
    std::vector<Answer> answers;
  };

  /// One of the machines has told its load; the last answer sends the tasks.
  void answer(const std::shared_ptr<Sample>& sample, const Answer& answer);
};

/// The power of two choices for each task by itself.
/// Source: Ousterhout 2013, section 3.1.
class PerTaskSampling final : public SamplingBaseline {
 public:
  using SamplingBaseline::SamplingBaseline;

 private:
  void place(const PlacedJob& job) override;
};

/// One sample for all tasks of a job, without late binding.
/// Source: Ousterhout 2013, section 3.2.
class BatchSampling final : public SamplingBaseline {
 public:
  using SamplingBaseline::SamplingBaseline;

 private:
  void place(const PlacedJob& job) override;
};

}  // namespace dunlin::sim
