// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "sched/frontend/success.h"
#include "sched/job.h"
#include "sched/task.h"

namespace dunlin::sched {

/// A reservation that is out.
struct Probe {
  std::uint32_t id = 0;
  bool queued = false;  ///< It waits at `holder`; else it walks, and `holder` is where it was sent.
  Endpoint holder;
  std::uint32_t ahead = 0;  ///< Reservations before it, when last heard of.
  Time sent{};
  Time expires{};
};

/// A task bound to a worker.
struct Binding {
  std::uint16_t attempt = 1;
  Endpoint worker;
  std::uint32_t incarnation = 0;
  Time bound{};      ///< When it was handed over (or adopted).
  Time confirmed{};  ///< When the worker last said that it holds it.
};

/// A job and where each of its tasks stands. Memory: 10 bytes a task, and a little more for those
/// that are bound.
class JobState {
 public:
  /// One task, for its whole life.
  struct Task {
    TaskState state = TaskState::waiting;
    std::uint16_t failures = 0;  ///< Attempts that failed, and will be made again.
    std::uint16_t losses = 0;    ///< Attempts that came to nothing by no fault of the task.
    std::uint16_t ended = 0;     ///< The last attempt whose end is recorded; 0: none.
    std::uint16_t lost = 0;      ///< The last attempt recorded as lost; 0: none. It may come back.
  };
  struct Group {
    std::uint32_t first = 0;          ///< Index of its first task.
    std::uint32_t next = 0;           ///< The first that nobody was ever offered.
    std::deque<std::uint32_t> again;  ///< Tasks to attempt once more, oldest first.
    std::uint32_t waiting = 0;
    std::uint32_t succeeded = 0;  ///< Tasks that tell how long the others will take ...
    double ran = 0;               ///< ... and the ns they ran, together: more than fit an integer.
    std::vector<Probe> probes;
    std::uint32_t told = 0;         ///< Tasks waiting, as far as holders of reservations know.
    bool crowded = false;           ///< A reservation had to queue.
    std::uint16_t turned_away = 0;  ///< Reservations since one was taken in, anywhere.
    Time probe_again{};             ///< No more probes before this.
    Duration pause{0};              ///< Grows while probes only find others of their kind.
    GreedySuccess::DemandClass demand_class = GreedySuccess::DemandClass::small;
  };
  /// What a GetTask was answered, kept for a while so that asking twice binds once.
  struct Answer {
    PeerId worker;
    std::uint32_t incarnation = 0;
    std::uint32_t request = 0;
    Time at{};
    std::vector<Attempt> tasks;
  };
  struct Counts {
    std::array<std::uint32_t, kTaskStates> of{};
    std::uint32_t operator[](TaskState state) const { return of[static_cast<std::size_t>(state)]; }
  };

  /// `accepted`: when it was submitted, in this life of the frontend or an earlier one.
  JobState(Job job, Time accepted);

  const Job& job() const { return job_; }
  const JobId& id() const { return job_.id; }
  const JobProgress& progress() const { return progress_; }
  /// When it was submitted; before time zero if that was before this frontend's clock began.
  Time accepted() const { return accepted_; }
  std::optional<Time> finished() const { return finished_; }
  const Counts& counts() const { return counts_; }
  std::uint32_t task_count() const { return static_cast<std::uint32_t>(tasks_.size()); }
  const Task& task(std::uint32_t index) const { return tasks_[index]; }
  /// Requires index < task_count().
  std::uint16_t group_of(std::uint32_t index) const;
  const TaskGroup& spec_of(std::uint16_t group) const { return job_.groups[group]; }
  const std::vector<Group>& groups() const { return groups_; }
  /// Tasks bound now, ascending by index.
  const std::map<std::uint32_t, Binding>& bindings() const { return bindings_; }
  /// The number that the next attempt of a task gets.
  std::uint16_t next_attempt(std::uint32_t index) const;
  /// True if `attempt` of a waiting task may be one that still runs: an earlier life of this
  /// frontend gave it, or its lease ended in a partition. An attempt whose end is recorded is not,
  /// nor is one that another was made after.
  bool may_adopt(std::uint32_t index, std::uint16_t attempt) const;
  /// No task may be handed out before this: a restarted frontend listens first.
  Time held_until() const { return held_until_; }
  bool all_final() const;
  /// How long a task of a group will run: as those that finished did, else as the user says, else
  /// `unknown`.
  Duration task_time(std::uint16_t group, Duration unknown) const;
  /// The same for all tasks that wait, one after the other.
  Duration work(Duration unknown) const;

 private:
  friend class Frontend;

  /// The one place where a task changes state; refuses what the table does not allow.
  void move(std::uint32_t index, TaskState to);
  /// The next waiting task of a group, or empty.
  std::optional<std::uint32_t> pop_waiting(std::uint16_t group);
  /// Takes over what an earlier life recorded of a task. Requires that it was not touched yet.
  void restore(const StoredTask& stored);
  /// An attempt ended without a result, and this is recorded. `failed`: by its own fault.
  void count_end(std::uint32_t index, std::uint16_t attempt, bool failed);
  /// An attempt is given up, and this is recorded.
  void count_loss(std::uint32_t index, std::uint16_t attempt);
  /// An attempt turned up. If it was counted as lost it is so no more: there is one record of each
  /// attempt, and next_attempt() counts records.
  void find_again(std::uint32_t index, std::uint16_t attempt);
  /// Puts a task that is waiting again where pop_waiting() finds it first.
  void requeue(std::uint32_t index);
  Answer* find_answer(PeerId worker, std::uint32_t incarnation, std::uint32_t request);
  Probe* find_probe(std::uint16_t group, std::uint32_t probe);
  void erase_probe(std::uint16_t group, std::uint32_t probe);
  /// Frees what a finished job needs no more.
  void finish(Time now);

  Job job_;
  JobProgress progress_;
  std::vector<Task> tasks_;
  std::vector<Group> groups_;
  std::map<std::uint32_t, Binding> bindings_;
  std::deque<Answer> answers_;
  std::vector<Signature> signatures_;  ///< Of each group's demand.
  Counts counts_;
  Time accepted_;
  Time held_until_{};
  std::optional<Time> finished_;
  std::uint32_t probe_last_ = 0;
};

}  // namespace dunlin::sched
