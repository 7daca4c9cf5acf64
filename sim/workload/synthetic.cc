// SPDX-License-Identifier: MIT
#include "sim/workload/synthetic.h"

#include <algorithm>
#include <cmath>

#include "overlay/ensure.h"

// A load is a share of the slots, so the rate of jobs follows from the size of the cluster: work
// per job / (load × slots). A scenario thus means the same for ten peers and for a million.
// Heavy tails are cut off: an uncut Pareto of shape 1.5 has no finite variance, and the mean of any
// run would hang on its longest task. The cut distribution is scaled so that its mean is the one
// asked for. Each kind of draw (arrivals and durations, sizes, constraints) has a stream of its
// own, so that a study changes one of them and keeps the others.
namespace dunlin::sim {
namespace {

/// The first task of a job with rising tasks, and those of its second half, as parts of the mean.
constexpr double kRisingFrom = 0.25;
constexpr double kRisingTo = 1.25;

/// Draws between `min` and `max`, with a uniform logarithm. Returns `min` if `max` is not
/// more.
double draw_log_uniform(double min, double max, Rng& rng) {
  const double lot = rng.uniform();
  return max > min ? min * std::pow(max / min, lot) : min;
}

double log_uniform_mean(double min, double max) {
  return max > min ? (max - min) / std::log(max / min) : min;
}

/// A memory of 0 has no logarithm, so it counts as 1 MiB.
double memory_min(const WorkloadParams& params) {
  return std::max(1.0, static_cast<double>(params.task_memory));
}

bool differ_in_size(const WorkloadParams& params) {
  return params.task_cpu_max > params.task_cpu || params.task_memory_max > params.task_memory;
}

/// The number of tasks that fit `machines` at once.
std::uint64_t slots_of(const WorkloadParams& params, const Fleet& machines) {
  std::uint64_t slots = 0;
  double cpu = 0, memory = 0;
  for (const Machine& machine : machines.all()) {
    slots += sched::how_many_fit(demand_of(params), machine.total, 1 << 20);
    cpu += machine.total.cpu;
    memory += machine.total.memory;
  }
  if (!differ_in_size(params)) return slots;
  // With mixed sizes it is the number that the scarcer resource has room for, without any waste.
  const double by_cpu = cpu / (1000 * log_uniform_mean(params.task_cpu, params.task_cpu_max));
  const double by_memory = memory / log_uniform_mean(memory_min(params), params.task_memory_max);
  return static_cast<std::uint64_t>(std::min(by_cpu, by_memory));
}

/// The length of the `index`-th task of a job, where they rise, as a multiple of task_time.
double rising_multiple(const WorkloadParams& params, std::uint32_t index) {
  const double half = std::max(params.tasks_per_job - 1.0, 1.0) / 2;
  return kRisingFrom + (kRisingTo - kRisingFrom) * std::min(index / half, 1.0);
}

double work_of_a_job(const WorkloadParams& params) {
  double multiples = params.tasks_per_job;
  if (params.durations == Durations::rising) {
    // With few tasks they are not task_time on average.
    multiples = 0;
    for (std::uint32_t i = 0; i < params.tasks_per_job; ++i) {
      multiples += rising_multiple(params, i);
    }
  }
  return static_cast<double>(params.task_time.count()) * multiples;
}

}  // namespace

double synthetic_load(const WorkloadParams& params, const Fleet& machines) {
  if (params.job_gap == Duration{0}) return params.load;
  const auto room =
      static_cast<double>(slots_of(params, machines)) * static_cast<double>(params.job_gap.count());
  return room > 0 ? work_of_a_job(params) / room : 0;
}

double synthetic_task_rate(const WorkloadParams& params, const Fleet& machines) {
  const double slot_seconds = static_cast<double>(slots_of(params, machines)) * 1e9;
  const double load = synthetic_load(params, machines);
  return load * slot_seconds / work_of_a_job(params) * params.tasks_per_job;
}

Duration draw_pareto(Duration mean, double shape, double spread, Rng& rng) {
  // With the shortest as unit: E = a / (a - 1) × (1 - s^(1 - a)) / (1 - s^-a); a = 1 is its limit.
  const double tail = std::pow(spread, -shape);
  const double expected = std::abs(shape - 1) < 1e-9
      ? std::log(spread) / (1 - tail)
      : shape / (shape - 1) * (1 - std::pow(spread, 1 - shape)) / (1 - tail);
  const double drawn = std::pow(1 - rng.uniform() * (1 - tail), -1 / shape);
  return Duration{std::llround(static_cast<double>(mean.count()) * drawn / expected)};
}

SyntheticWorkload::SyntheticWorkload(const WorkloadParams& params, const Setting& setting, Rng rng)
    : params_(params),
      eligibility_(setting.machines),
      // By forks of a copy: the stream itself goes on as if nothing were drawn here.
      constraints_(setting.profile, params.constrained, Rng(rng).fork()),
      slots_(slots_of(params, eligibility_.machines())),
      at_(Time{params.first_job}),
      end_(setting.end),
      sizes_(Rng(rng).fork().fork()),
      terms_(Rng(rng).fork().fork().fork()),
      rng_(rng) {
  ensure(slots_ > 0, "no task fits a peer");
  mean_gap_ =
      Duration{std::llround(work_of_a_job(params) / (params.load * static_cast<double>(slots_)))};
}

Duration SyntheticWorkload::gap_at(Time when) const {
  if (params_.burst <= 1) return mean_gap_;
  const double share = static_cast<double>(params_.burst_length.count()) /
      static_cast<double>(params_.burst_period.count());
  const bool bursting = when.time_since_epoch() % params_.burst_period < params_.burst_length;
  // Between bursts the rate is what is left, so that the mean is that of the load.
  const double rate = bursting ? params_.burst : (1 - params_.burst * share) / (1 - share);
  // Bursts may bring all jobs; then next to none come in between.
  return Duration{std::llround(static_cast<double>(mean_gap_.count()) / std::max(rate, 1e-6))};
}

// The rate is constant within a burst and between two. The rest of a gap at such a border is
// stretched or shrunk, which keeps the process Poisson.
Time SyntheticWorkload::next_arrival() {
  if (params_.burst <= 1) return at_ + rng_.exponential(mean_gap_);
  double left = static_cast<double>(rng_.exponential(std::chrono::seconds(1)).count()) / 1e9;
  Time when = at_;
  while (when < end_) {
    const Duration into = when.time_since_epoch() % params_.burst_period;
    const Duration border =
        into < params_.burst_length ? params_.burst_length : params_.burst_period;
    const auto gap = static_cast<double>(gap_at(when).count());
    const Duration stretch = border - into;
    if (left * gap <= static_cast<double>(stretch.count())) {
      return when + Duration{std::llround(left * gap)};
    }
    left -= static_cast<double>(stretch.count()) / gap;
    when += stretch;
  }
  return when;
}

Duration SyntheticWorkload::draw_duration() {
  if (params_.durations == Durations::constant) return params_.task_time;
  const Duration drawn = params_.tail == Tail::exponential
      ? rng_.exponential(params_.task_time)
      : draw_pareto(params_.task_time, params_.pareto_shape, params_.pareto_spread, rng_);
  return std::max(Duration{1}, drawn);
}

Duration SyntheticWorkload::rising_duration(std::uint32_t index) const {
  return Duration{std::llround(
      static_cast<double>(params_.task_time.count()) * rising_multiple(params_, index))};
}

sched::Resources SyntheticWorkload::draw_demand() {
  sched::Resources demand = demand_of(params_);
  if (!differ_in_size(params_)) return demand;
  const double memory = draw_log_uniform(memory_min(params_), params_.task_memory_max, sizes_);
  demand.cpu = milli_cpu(draw_log_uniform(params_.task_cpu, params_.task_cpu_max, sizes_));
  demand.memory = static_cast<std::uint32_t>(std::lround(memory));
  return demand;
}

std::optional<Submission> SyntheticWorkload::next() {
  while (auto submission = arrive()) {
    if (eligibility_.any(submission->job.groups.front())) return submission;
    ++left_out_;
  }
  return std::nullopt;
}

std::optional<Submission> SyntheticWorkload::arrive() {
  if (params_.jobs_max > 0 && jobs_ >= params_.jobs_max) return std::nullopt;
  // Arrivals are drawn even for jobs that no machine can run: others keep their times.
  at_ = params_.job_gap > Duration{0} ? at_ + params_.job_gap : next_arrival();
  if (at_ >= end_) return std::nullopt;
  Submission submission{.at = at_, .facts = {.key = ++jobs_}};
  submission.frontend = rng_.below(frontends_of(params_, eligibility_.machines().size()));
  sched::TaskGroup& group = submission.job.groups.emplace_back();
  group.count = params_.tasks_per_job;
  group.demand = draw_demand();
  group.constraints = constraints_.next();
  if (params_.priority_max > 0) {
    group.priority = static_cast<std::int16_t>(terms_.below(params_.priority_max + 1u));
  }
  submission.facts.constrained = group.constraints.size() > 0;
  if (params_.deadline > Duration{0}) submission.job.deadline = params_.deadline;

  Duration sum{0};
  const bool rising = params_.durations == Durations::rising;
  if (params_.durations == Durations::per_task || rising) {
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const Duration duration = rising ? rising_duration(i) : draw_duration();
      submission.facts.longest = std::max(submission.facts.longest, duration);
      sum += duration;
      group.entries.push_back(duration_bytes(duration));
    }
    submission.facts.mean = sum / group.count;
  } else {
    submission.facts.longest = submission.facts.mean = draw_duration();
    group.spec = duration_bytes(submission.facts.longest);
  }
  return submission;
}

}  // namespace dunlin::sim
