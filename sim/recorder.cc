// SPDX-License-Identifier: MIT
#include "sim/recorder.h"

#include <algorithm>

#include "overlay/ensure.h"

namespace dunlin::sim {
namespace {

template <typename... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};

}  // namespace

Duration Window::overlap(Time begin, Time end) const {
  return std::max(Duration{0}, std::min(end, until) - std::max(begin, from));
}

void Recorder::on_submit(Time now, const sched::JobId& id, std::uint32_t tasks, Duration longest) {
  const std::size_t home = id.home.value - 1;
  if (home >= jobs_.size()) jobs_.resize(home + 1);
  auto& jobs = jobs_[home];
  if (id.number > jobs.size()) jobs.resize(id.number);
  jobs[id.number - 1] = {
      .id = id, .submitted = now, .tasks = tasks, .longest = longest, .finished = {}};
  ++counts_.jobs;
  counts_.tasks += tasks;
}

void Recorder::on_refusal(const std::string& why) {
  if (counts_.jobs_refused++ == 0) first_refusal_ = why;
}

JobRecord* Recorder::find(const sched::JobId& id) {
  const std::size_t home = id.home.value - 1;
  if (home >= jobs_.size() || id.number == 0 || id.number > jobs_[home].size()) return nullptr;
  return &jobs_[home][id.number - 1];
}

void Recorder::on(Time now, const sched::Event& event) {
  std::visit(Match{
                 [&](const sched::TaskStarted& task) { started(now, task); },
                 [&](const sched::JobFinished& job) { finished(now, job); },
                 [&](const sched::TaskLost&) { ++counts_.attempts_lost; },
                 [&](const sched::ProbeSent&) { ++counts_.probes_sent; },
                 [&](const sched::ProbeLost&) { ++counts_.probes_lost; },
                 [&](const sched::ReservationForwarded&) { ++counts_.reservations_forwarded; },
                 [&](const sched::ReservationQueued&) { ++counts_.reservations_queued; },
                 [](const auto&) {},
             },
      event);
}

void Recorder::started(Time now, const sched::TaskStarted& event) {
  ++counts_.tasks_started;
  JobRecord* job = find(event.job);
  ensure(job != nullptr, "a task of a job that nobody submitted");
  if (event.attempt != 1) return;  // It has waited once already.
  ++job->started;
  job->waited += now - job->submitted;
  if (window_.contains(job->submitted)) queueing_delay_.add(now - job->submitted);
}

void Recorder::finished(Time now, const sched::JobFinished& event) {
  ++counts_.jobs_finished;
  counts_.tasks_succeeded += event.succeeded;
  counts_.tasks_failed += event.failed;
  JobRecord* job = find(event.job);
  ensure(job != nullptr && !job->finished, "a job that ends twice, or was never submitted");
  job->finished = now;
  if (!window_.contains(job->submitted)) return;
  response_.add(now - job->submitted);
  excess_.add(now - job->submitted - job->longest);
}

void Recorder::on_work(Time begin, Time end, std::uint32_t cpu) {
  work_ += static_cast<double>(window_.overlap(begin, end).count()) * cpu;
}

double Recorder::utilisation() const {
  const double possible =
      static_cast<double>(window_.length().count()) * static_cast<double>(capacity_cpu_);
  return possible > 0 ? work_ / possible : 0;
}

std::uint64_t Recorder::unfinished() const {
  std::uint64_t count = 0;
  for_each_job([&](const JobRecord& job) {
    if (!job.finished) ++count;
  });
  return count;
}

void Recorder::for_each_job(const std::function<void(const JobRecord&)>& visit) const {
  for (const auto& jobs : jobs_) {
    for (const JobRecord& job : jobs) {
      if (job.id.number != 0 && window_.contains(job.submitted)) visit(job);
    }
  }
}

}  // namespace dunlin::sim
