// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "sim/report.h"

namespace dunlin::sim {
namespace {

using Json = nlohmann::ordered_json;

double ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

Json json_of(const Histogram& histogram) {
  return {{"count", histogram.count()}, {"mean", ms(histogram.mean())},
      {"p50", ms(histogram.percentile(50))}, {"p90", ms(histogram.percentile(90))},
      {"p95", ms(histogram.percentile(95))}, {"p99", ms(histogram.percentile(99))},
      {"max", ms(histogram.most())}};
}

/// A parameter's value in its own JSON type; durations and choices are text.
Json json_of(const overlay::ParamEntry& entry) {
  const std::string text = entry.get();
  if (entry.type == "number") return *overlay::parse_number(text);
  if (entry.type == "integer") return *overlay::parse_integer(text);
  if (entry.type == "bool") return *overlay::parse_bool(text);
  return text;
}

Json json_of(const Recorder::Counts& counts) {
  return {{"jobs", counts.jobs}, {"jobs_finished", counts.jobs_finished},
      {"jobs_refused", counts.jobs_refused}, {"tasks", counts.tasks},
      {"attempts_started", counts.tasks_started}, {"attempts_lost", counts.attempts_lost},
      {"tasks_succeeded", counts.tasks_succeeded}, {"tasks_failed", counts.tasks_failed},
      {"probes_sent", counts.probes_sent}, {"probes_lost", counts.probes_lost},
      {"reservations_forwarded", counts.reservations_forwarded},
      {"reservations_queued", counts.reservations_queued}};
}

Json json_of(const Traffic& traffic) {
  Json kinds = Json::object();
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) {
    const Traffic::Tally& tally = traffic[kind];
    if (tally.messages == 0) continue;
    kinds[std::string(kMessageWords[kind])] = {
        {"messages", tally.messages}, {"bytes", tally.bytes()}};
  }
  return kinds;
}

}  // namespace

std::string json_of(const Simulation& run) {
  Scenario scenario = run.scenario();
  const Recorder& recorder = run.recorder();
  Json parameters = Json::object();
  for (const auto& entry : entries_of(scenario)) {
    parameters[entry.section][entry.name] = json_of(entry);
  }
  const Json json = {{"version", DUNLIN_VERSION}, {"title", scenario.title},
      {"seed", scenario.simulation.seed}, {"ended_ms", ms(run.ended().time_since_epoch())},
      {"queueing_delay_ms", json_of(recorder.queueing_delay())},
      {"job_response_ms", json_of(recorder.response())},
      {"job_excess_ms", json_of(recorder.excess())}, {"utilisation", recorder.utilisation()},
      {"measured_jobs_unfinished", recorder.unfinished()}, {"counts", json_of(recorder.counts())},
      {"messages", json_of(run.cluster().traffic())}, {"parameters", parameters},
      {"cost",
          {{"wall_s", run.cost().wall_s}, {"cpu_s", run.cost().cpu_s},
              {"events", run.cost().events}, {"events_per_s", run.cost().events_per_s()},
              {"peak_bytes", run.cost().peak_bytes}}}};
  return json.dump(2) + "\n";
}

}  // namespace dunlin::sim
