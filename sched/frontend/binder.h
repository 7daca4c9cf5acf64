// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "sched/frontend/answer_log.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/log_office.h"
#include "sched/frontend/prober.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// Late binding: a task is bound to the worker that asks for it when it can start it. A question
/// that is asked again gets the same answer. Source: Ousterhout 2013, section 3.4.
class Binder {
 public:
  /// Answers a question of `from` about a group of `job`, and binds the tasks that it hands out.
  /// Returns how many; empty if the question was answered before. Workers are told what `prober`
  /// tells. A task that `from` failed goes there again only if none of `around` could take it.
  std::optional<std::size_t> answer(Turn& turn,
      const Surroundings& around,
      const Endpoint& from,
      JobState& job,
      const GetTask& asked,
      const Prober& prober);
  /// Answers a question that was answered before as it was then. False if it was not.
  bool repeat(Turn& turn,
      const Surroundings& around,
      const Endpoint& from,
      const JobState& job,
      const GetTask& asked,
      const Prober& prober) const;
  /// The office in which it answers from now on.
  void set_office(const LogOffice& office) { office_ = office; }
  void forget(const JobState& job) { answers_.erase(job.id().number); }

 private:
  Tasks answer_to(const GetTask& asked, Tasks tasks) const;

  LogOffice office_;
  std::map<std::uint32_t, AnswerLog> answers_;  ///< By job number; jobs that gave tasks and go on.
};

/// The lines of tasks in one message, together: with the largest command it stays below kPackedMax.
inline constexpr std::size_t kEntryBytesMax = std::size_t{256} * 1024;

/// These tasks of a group, given just now or before, as their worker needs them. Those that have
/// ended since are left out.
Tasks tasks_for(const JobState& job,
    std::uint16_t group_index,
    std::span<const Attempt> given,
    const Prober& prober,
    Time now);

/// The answer to a question about a job that has nothing to hand out any more.
Tasks nothing_left(const GetTask& asked);
/// The answer to a question that gets no task now.
Tasks nothing_for(const GetTask& asked);
/// The answer to a question of a gang that lacks other slots yet: these are to be kept.
Tasks keep_slots(const JobState& job, const GetTask& asked, const Prober& prober, Time now);

}  // namespace dunlin::sched
