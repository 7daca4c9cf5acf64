// SPDX-License-Identifier: MIT
#include "sim/measure/conservation.h"

#include <initializer_list>
#include <utility>

// A job that is in no count flatters whoever lost it. So what comes in is counted where it comes,
// what comes out where it comes out, and at the end of each run the two are held against each
// other. Records and counters are kept apart on purpose: a record that is overwritten shows.
namespace dunlin::sim {
namespace {

/// "289 accepted jobs are not 282 finished + ...", if it is so.
std::string equation(const std::string& name,
    std::uint64_t whole,
    std::initializer_list<std::pair<const char*, std::uint64_t>> parts) {
  std::uint64_t sum = 0;
  std::string text;
  for (const auto& [part, count] : parts) {
    sum += count;
    text += (text.empty() ? "" : " + ") + std::to_string(count) + " " + part;
  }
  return sum == whole ? "" : std::to_string(whole) + " " + name + " are not " + text;
}

/// What the records of all jobs add up to.
struct Sums {
  std::uint64_t finished = 0;
  std::uint64_t tasks = 0;
  std::uint64_t tasks_open = 0;  ///< Of jobs that have not finished.
};

Sums sums_of(const Recorder& recorder) {
  Sums sums;
  recorder.records().for_each([&](const JobRecord& job) {
    sums.tasks += job.tasks;
    if (job.finished) {
      ++sums.finished;
    } else {
      sums.tasks_open += job.tasks;
    }
  });
  return sums;
}

std::string first_of(std::initializer_list<std::string> laws) {
  for (const std::string& law : laws) {
    if (!law.empty()) return law;
  }
  return "";
}

}  // namespace

Fates fates_of(const Recorder& recorder,
    bool measured,
    const std::function<bool(const sched::JobId&)>& knows) {
  Fates fates;
  recorder.records().for_each([&](const JobRecord& job) {
    if (measured && !recorder.measures(job)) return;
    if (job.finished) {
      ++(job.cancelled ? fates.cancelled : fates.finished);
    } else {
      ++(!knows || knows(job.id) ? fates.unfinished : fates.lost);
    }
  });
  return fates;
}

std::string broken_law(const Recorder& recorder, const Offered& offered, const Fates& fates) {
  const Recorder::Counts& counts = recorder.counts();
  const AttemptMeter& attempts = recorder.attempts();
  const Sums sums = sums_of(recorder);
  const std::string law = first_of({
      equation("arrived jobs", offered.arrived,
          {{"submitted", offered.submitted}, {"held", offered.held},
              {"on their way", offered.on_the_way}}),
      equation("submitted jobs", offered.submitted,
          {{"accepted", counts.jobs}, {"refused", counts.jobs_refused}}),
      equation("accepted jobs", counts.jobs, {{"records", recorder.records().count()}}),
      equation("finished jobs", counts.jobs_finished, {{"records", sums.finished}}),
      equation("accepted jobs", counts.jobs,
          {{"finished", fates.finished}, {"cancelled", fates.cancelled},
              {"unfinished", fates.unfinished}, {"lost", fates.lost}}),
      equation("accepted tasks", counts.tasks, {{"records", sums.tasks}}),
      equation("accepted tasks", counts.tasks,
          {{"succeeded", counts.tasks_succeeded}, {"failed", counts.tasks_failed},
              {"cancelled", counts.tasks_cancelled}, {"of open jobs", sums.tasks_open}}),
      equation("begun attempts", attempts.begun(),
          {{"ended", attempts.ended()}, {"stopped", attempts.stopped()},
              {"running", attempts.left()}}),
  });
  if (!law.empty()) return law;
  if (!attempts.all_told()) return "attempts that began without a measure of their work";
  return attempts.work_balances() ? "" : "the work that was measured is not the time that ran";
}

}  // namespace dunlin::sim
