// SPDX-License-Identifier: MIT
#include "sched/frontend/launch/unheard_starts.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "sched/frontend/job_state.h"

namespace dunlin::sched {

void UnheardStarts::add(Time now, const JobId& job, const Attempt& task) {
  if (starts_.size() >= kMax) starts_.pop_front();
  starts_.push_back({now + patience_, job, task});
}

void UnheardStarts::ask(Turn& turn, const JobTable& jobs) {
  std::map<std::tuple<PeerId, std::uint32_t>, std::pair<Endpoint, AskAfter>> questions;
  while (!starts_.empty() && starts_.front().ask_at <= turn.now) {
    const Start start = starts_.front();
    starts_.pop_front();
    const JobState* const job = jobs.find(start.job);
    if (job == nullptr) continue;
    const auto found = job->bindings().find(start.task.index);
    if (found == job->bindings().end()) continue;
    const Binding& binding = found->second;
    if (binding.heard || binding.launching || binding.attempt != start.task.attempt) continue;
    auto& [worker, question] = questions[{binding.worker.id, start.job.number}];
    worker = binding.worker;
    question.job = start.job;
    if (question.tasks.size() < AskAfter::kTasksMax) question.tasks.push_back(start.task);
    add(turn.now, start.job, start.task);
  }
  for (const auto& [to, question] : questions) turn.out.send(question.first, question.second);
}

}  // namespace dunlin::sched
