// SPDX-License-Identifier: MIT
#include "sim/workload/map_reduce.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "sched/inputs/input_rates.h"
#include "sched/inputs/input_text.h"
#include "sim/workload/draws.h"
#include "sim/workload/task_bytes.h"
// Jobs of two stages with demands on all resources, for packing: maps read their input from disk,
// reduces get theirs over the network. The demands of a task are correlated as the parameters say.
namespace dunlin::sim {
namespace {

constexpr std::uint64_t kJobsDefault = 100;

double draw_even(const Span& span, Rng& rng) {
  return span.min + (span.max - span.min) * rng.uniform();
}

/// CPUs and rates of `use`, each times `factor`.
sched::Resources scaled(sched::Resources use, double factor) {
  const auto times = [&](std::uint32_t amount) {
    return static_cast<std::uint32_t>(std::lround(amount * factor));
  };
  use.cpu = times(use.cpu);
  for (const sched::Rate& rate : sched::kRates) use.*rate.amount = times(use.*rate.amount);
  return use;
}

double draw_factor(double error, Rng& rng) {
  return 1 + error * (2 * rng.uniform() - 1);
}

}  // namespace

MapReduceWorkload::MapReduceWorkload(
    const WorkloadParams& params, const MapReduceParams& map_reduce, const Fleet& machines, Rng rng)
    : params_(params),
      map_reduce_(map_reduce),
      eligibility_(machines),
      rng_(rng) {
  const std::uint64_t jobs = params.jobs_max == 0 ? kJobsDefault : params.jobs_max;
  const auto span_ns = static_cast<double>(map_reduce.arrivals.count());
  for (std::uint64_t i = 0; i < jobs; ++i) {
    // Drawn first and sorted, so that their number is exact and all lie within the span.
    const Duration after{std::llround(span_ns * rng_.uniform())};
    arrivals_.push_back(Time{params.first_job} + after);
  }
  std::ranges::sort(arrivals_);
}

std::optional<Submission> MapReduceWorkload::next() {
  while (next_ < arrivals_.size()) {
    const Time at = arrivals_[next_++];
    Submission submission = draw(next_, at);
    const auto fits = [&](const auto& group) { return eligibility_.any(group); };
    // Counted and passed over, not drawn again: the others are what they would be on larger
    // machines.
    if (std::ranges::all_of(submission.job.groups, fits)) return submission;
    ++left_out_;
  }
  return std::nullopt;
}

sched::Resources MapReduceWorkload::draw_use(const StageSpans& spans, Rng& rng) const {
  const double common = draw_normal(rng);
  const auto draw = [&](const Span& span) {
    const double own = draw_normal(rng);
    const double correlation = map_reduce_.correlation;
    // A part common to all resources and one of its own each: their sum has variance 1, and any two
    // of them the correlation that is wanted.
    const double normal = std::sqrt(correlation) * common + std::sqrt(1 - correlation) * own;
    return value_in(span, normal, map_reduce_.variation);
  };
  sched::Resources use;
  use.cpu = milli_cpu(draw(spans.cpu));
  use.memory = static_cast<std::uint32_t>(std::lround(draw(spans.memory)));
  use.disk_read = kibibytes(draw(spans.read));
  use.disk_write = kibibytes(draw(spans.write));
  use.net_in = kibibytes(draw(spans.in));
  use.net_out = kibibytes(draw(spans.out));
  return use;
}

void MapReduceWorkload::add_stage(sched::Job& job,
    std::uint32_t count,
    Duration time,
    const sched::Resources& use,
    Rng& errors) const {
  sched::TaskGroup& group = job.groups.emplace_back();
  group.name = job.groups.size() == 1 ? "map" : "reduce";
  group.count = count;
  // What schedulers are told errs; what tasks do is `use`.
  group.demand = scaled(use, draw_factor(map_reduce_.estimate_error, errors));
  group.duration = time;
  group.spec = task_bytes(time, use);
  if (map_reduce_.usage_error == 0) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    group.entries.push_back(
        task_bytes(time, scaled(use, draw_factor(map_reduce_.usage_error, errors))));
  }
}

void MapReduceWorkload::place_inputs(sched::TaskGroup& group, Duration time, Rng& rng) const {
  const auto machines = static_cast<std::uint32_t>(eligibility_.machines().size());
  const std::size_t replicas = std::min<std::size_t>(map_reduce_.input_replicas, machines);
  const double mib = group.demand.disk_read / 1024.0 * std::chrono::duration<double>(time).count();
  sched::InputsBuilder inputs;
  for (std::uint32_t i = 0; i < group.count; ++i) {
    sched::InputText input{.size = static_cast<std::uint32_t>(std::lround(mib)), .nodes = {}};
    while (input.nodes.size() < replicas) {
      const std::string name = "m" + std::to_string(rng.below(machines) + 1);
      if (std::ranges::count(input.nodes, name) == 0) input.nodes.push_back(name);
    }
    overlay::ensure(inputs.add(input).has_value(), "inputs at more machines than a job may name");
  }
  group.inputs = inputs.take();
  // Machine i is the peer of the id i + 1.
  for (sched::InputNode& node : group.inputs.nodes) node.id = {std::stoull(node.name.substr(1))};
  sched::settle_input_rates(group);
}

// Each job has a stream of chance of its own, and its errors another one: so what is drawn for one
// changes no other.
Submission MapReduceWorkload::draw(std::uint64_t key, Time at) {
  Rng rng = rng_.fork();
  Rng errors = rng.fork();
  Submission submission{.at = at, .facts = {.key = key, .whole = key}};
  submission.frontend = rng.below(frontends_of(params_, eligibility_.machines().size()));
  const double maps =
      std::max(1.0, std::round(value_in(sound_span(map_reduce_.maps), draw_normal(rng), 0)));
  const double reduces =
      std::max(1.0, std::round(maps * draw_even(sound_span(map_reduce_.reduces), rng)));
  std::array<Duration, 2> times{};
  for (Duration& each : times) {
    each = Duration{std::llround(1e9 * draw_even(sound_span(map_reduce_.stage_time), rng))};
  }
  const sched::Resources map = draw_use({.cpu = sound_span(map_reduce_.map_cpu),
                                            .memory = sound_span(map_reduce_.map_memory),
                                            .read = sound_span(map_reduce_.map_read),
                                            .write = sound_span(map_reduce_.map_write),
                                            .in = {},
                                            .out = {}},
      rng);
  sched::Resources reduce = draw_use({.cpu = sound_span(map_reduce_.reduce_cpu),
                                         .memory = sound_span(map_reduce_.reduce_memory),
                                         .read = {},
                                         .write = sound_span(map_reduce_.reduce_write),
                                         .in = sound_span(map_reduce_.reduce_in),
                                         .out = sound_span(map_reduce_.reduce_out)},
      rng);
  if (map_reduce_.selectivity > 0) {
    // What maps read, times the selectivity, is what reduces get, divided by the time that they
    // have.
    const double read = maps * map.disk_read * static_cast<double>(times[0].count());
    const double rate =
        map_reduce_.selectivity * read / reduces / static_cast<double>(times[1].count());
    const Span bounds = sound_span(map_reduce_.reduce_in);
    reduce.net_in = kibibytes(std::clamp(rate / 1024, bounds.min, bounds.max));
  }
  add_stage(submission.job, static_cast<std::uint32_t>(maps), times[0], map, errors);
  add_stage(submission.job, static_cast<std::uint32_t>(reduces), times[1], reduce, errors);
  submission.facts.longest = std::max(times[0], times[1]);
  submission.facts.mean =
      Duration{std::llround((maps * static_cast<double>(times[0].count()) +
                                reduces * static_cast<double>(times[1].count())) /
          (maps + reduces))};
  submission.job.groups[1].after = {0};
  if (map_reduce_.input_replicas > 0) place_inputs(submission.job.groups[0], times[0], rng);
  return submission;
}

}  // namespace dunlin::sim
