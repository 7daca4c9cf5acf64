// SPDX-License-Identifier: MIT
#include "sched/frontend/answer_log.h"

#include <algorithm>
#include <utility>

// A worker repeats a question under the same number for about a second. So a short memory is
// enough, and the oldest answer may go first. A memory for as long as the job runs would grow with
// its tasks.
namespace dunlin::sched {
namespace {

/// More than a worker's repeated questions can need: see WorkerParams::ask_timeout and ask_tries.
constexpr Duration kKept = std::chrono::seconds(10);
constexpr std::size_t kAnswersMax = 256;

}  // namespace

const AnswerLog::Answer* AnswerLog::find(PeerId worker, const GetTask& asked) const {
  const auto it = std::ranges::find_if(answers_, [&](const Answer& answer) {
    return answer.worker == worker && answer.incarnation == asked.incarnation &&
        answer.request == asked.request;
  });
  return it == answers_.end() ? nullptr : &*it;
}

void AnswerLog::keep(Answer answer) {
  const Time now = answer.at;
  answers_.push_back(std::move(answer));
  while (answers_.size() > kAnswersMax || now - answers_.front().at > kKept) answers_.pop_front();
}

}  // namespace dunlin::sched
