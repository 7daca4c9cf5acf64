// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// The answers that workers got to their GetTask messages for one job, kept for a while: a worker
/// that asks again, because an answer was lost, gets the same tasks and no others.
class AnswerLog {
 public:
  struct Answer {
    PeerId worker;
    std::uint32_t incarnation = 0;  ///< The worker's ...
    std::uint32_t request = 0;      ///< ... and its number for the question.
    Time at{};
    std::vector<Attempt> tasks;
  };

  /// The answer that was given to the question; nullptr if none is remembered.
  const Answer* find(PeerId worker, const GetTask& asked) const;
  /// Remembers `answer`, and forgets the oldest as far as they are too old or too many by then.
  void keep(Answer answer);

 private:
  std::deque<Answer> answers_;  ///< Oldest first.
};

}  // namespace dunlin::sched
