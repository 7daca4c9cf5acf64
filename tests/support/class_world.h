// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "sched/surroundings.h"
#include "sched/worker/worker.h"
#include "tests/support/fake_executor.h"
#include "tests/support/memory_store.h"
#include "tests/support/solo.h"

namespace dunlin::test {

/// The demand of a class on the one worker of a ClassWorld: tasks of its jobs, without end.
struct ClassDemand {
  sched::ClassId class_id = 1;
  sched::Resources task{.cpu = 1000, .memory = 512, .custom = {}};
  sched::Duration lasts = std::chrono::seconds(1);
  sched::Duration told{-1};  ///< The time that its frontend tells; -1: the truth.
  double spread = 0;         ///< Tasks last from 1 - spread to 1 + spread as long.
  std::uint32_t jobs = 1;
  std::uint32_t tasks = 20'000;  ///< Tasks of each job: more than can run.
};

/// One worker, and frontends that never run out of tasks, in virtual time. Same demands, same run.
class ClassWorld {
 public:
  using Tickets = std::vector<std::pair<sched::ClassId, sched::Tickets>>;

  /// Answers of frontends come after `round_trip`.
  explicit ClassWorld(const sched::Resources& total,
      sched::Duration round_trip = std::chrono::milliseconds(1),
      const sched::WorkerParams& params = {});

  void set_tickets(const Tickets& tickets) { worker_->classes().set_tickets(now_, tickets); }
  /// Its jobs send their reservations now, and again whenever one is dropped.
  void want(const ClassDemand& demand);
  /// It has no more tasks to give.
  void stop(sched::ClassId class_id);
  void run_for(sched::Duration span);

  /// CPU-seconds that its tasks ran since the last forget().
  double cpu(sched::ClassId class_id) const;
  /// The share of all that ran since then, in [0, 1].
  double share(sched::ClassId class_id) const;
  /// The used part of the node since then, in [0, 1].
  double busy() const;
  std::uint32_t running(sched::ClassId class_id) const;
  void forget();

  sched::Time now() const { return now_; }
  sched::Worker& worker() { return *worker_; }
  /// The messages that the worker sent, oldest first.
  const std::vector<std::pair<sched::Endpoint, sched::Message>>& sent() const { return sent_; }

 private:
  struct Frontend {
    ClassDemand demand;
    sched::JobId job;
    std::uint32_t probe = 0;
    std::uint32_t given = 0;
  };
  /// Messages from frontends under way.
  using Arrivals = std::multimap<sched::Time, std::pair<sched::Endpoint, sched::Message>>;

  static sched::Endpoint home(std::uint64_t number);
  void reserve(Frontend& frontend);
  void answer(const sched::Message& message);
  void answer(Frontend& frontend, const sched::GetTask& asked);
  void turn(const std::function<void(sched::Turn&)>& call);
  void deliver(const sched::Endpoint& from, const sched::Message& message);
  void pass(sched::Time until);

  sched::NodeSpec node_;
  sched::Duration round_trip_;
  sched::Time now_{std::chrono::seconds(100)};
  sched::Time forgotten_{now_};
  overlay::Rng rng_{7};
  EventRecorder events_;
  MemoryStore store_;
  FakeExecutor executor_{{}, overlay::Rng{2}};
  std::unique_ptr<sched::Worker> worker_;
  std::vector<Frontend> frontends_;
  Arrivals arrivals_;
  std::map<sched::ClassId, double> cpu_;
  std::vector<std::pair<sched::Endpoint, sched::Message>> sent_;
};

}  // namespace dunlin::test
