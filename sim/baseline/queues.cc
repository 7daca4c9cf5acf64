// SPDX-License-Identifier: MIT
#include "sim/baseline/queues.h"

#include <algorithm>
#include <cmath>

#include "sim/clock.h"

// Early binding, the opposite of Dunlin's reservations: a task is sent into a queue and stays
// there, though another machine may be free first. The queue lengths that the machines tell are old
// by a round trip when tasks arrive, and say nothing of how long tasks take; both errors are what
// late binding avoids.
namespace dunlin::sim {
void QueueingBaseline::send(std::uint32_t machine, const Work& work) {
  schedule(travel(work.job->frontend, machine), [this, machine, work] {
    queues_[machine].push_back(work);
    serve(machine);
  });
}

void QueueingBaseline::on_room(std::uint32_t machine, const PlacedJob&) {
  serve(machine);
}

void QueueingBaseline::serve(std::uint32_t machine) {
  auto& queue = queues_[machine];
  while (!queue.empty() && sched::fits(queue.front().job->demand(), room(machine))) {
    const Work work = std::move(queue.front());
    queue.pop_front();
    start(machine, work, now());
  }
}

void RandomPlacement::place(const PlacedJob& job) {
  for (std::uint32_t i = 0; i < job->job.task_count(); ++i) {
    send(draw_machines(job, 1).front(), {.job = job, .index = i});
  }
}

void SamplingBaseline::sample(
    const PlacedJob& job, std::uint32_t first, std::uint32_t tasks, std::size_t probes) {
  auto sample = std::make_shared<Sample>(
      Sample{.job = job, .first = first, .tasks = tasks, .probes = probes, .answers = {}});
  for (const std::uint32_t machine : draw_machines(job, probes)) {
    schedule(travel(job->frontend, machine), [this, sample, machine] {
      const Answer told{.load = load(machine), .machine = machine};
      schedule(
          travel(machine, sample->job->frontend), [this, sample, told] { answer(sample, told); });
    });
  }
}

void SamplingBaseline::answer(const std::shared_ptr<Sample>& sample, const Answer& answer) {
  auto& answers = sample->answers;
  answers.push_back(answer);
  if (answers.size() < sample->probes) return;
  // Equals stay in the order in which they answered. Any fixed order would favour some machines for
  // good.
  std::ranges::stable_sort(answers, {}, &Answer::load);
  for (std::uint32_t i = 0; i < sample->tasks; ++i) {
    send(answers[i % answers.size()].machine, {.job = sample->job, .index = sample->first + i});
  }
}

void PerTaskSampling::place(const PlacedJob& job) {
  const auto probes = static_cast<std::size_t>(std::lround(params().probes));
  for (std::uint32_t i = 0; i < job->job.task_count(); ++i) sample(job, i, 1, probes);
}

void BatchSampling::place(const PlacedJob& job) {
  const std::uint32_t tasks = job->job.task_count();
  sample(job, 0, tasks, static_cast<std::size_t>(std::ceil(params().probes * tasks)));
}

}  // namespace dunlin::sim
