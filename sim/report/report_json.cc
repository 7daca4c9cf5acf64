// SPDX-License-Identifier: MIT
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "config/percentile.h"
#include "sched/cell/plan_member.h"
#include "sim/measure/lateness.h"
#include "sim/measure/units.h"
#include "sim/report/master_counts.h"
#include "sim/report/report.h"
#include "sim/report/resource_report.h"
#include "sim/report/sharing_report.h"

// All figures of a run, as JSON: what sweeps, comparisons and tools/reckon read. A figure that
// there is none of is null, never 0, because a mean takes a 0 for good news. Figures that depend on
// the machine stand apart, in `cost`: the rest is the same byte for byte wherever the run was made.
namespace dunlin::sim {
namespace {

using Json = nlohmann::ordered_json;

/// Null if there is none.
Json ms_of(std::optional<Duration> duration) {
  return duration ? Json(in_ms(*duration)) : Json();
}
Json number_of(std::optional<double> number) {
  return number ? Json(*number) : Json();
}
/// Null without a whole.
Json part_of(double part, double whole) {
  return whole > 0 ? Json(part / whole) : Json();
}

/// Of no values all but the count is null.
Json json_of(const Sample& sample) {
  return {{"count", sample.count()}, {"mean", ms_of(sample.mean())},
      {"p50", ms_of(sample.percentile(50))}, {"p90", ms_of(sample.percentile(90))},
      {"p95", ms_of(sample.percentile(95))}, {"p99", ms_of(sample.percentile(99))},
      {"max", ms_of(sample.max())}, {"exact", sample.exact()}};
}

/// A slowdown is a number, kept as a multiple of a duration.
Json slowdown_of(const Sample& sample) {
  Json json = json_of(sample);
  // The mean and the percentiles are in ms by now; counts and flags stay as they are.
  for (auto& [key, value] : json.items()) {
    if (value.is_number() && key != "count") value = value.get<double>() / in_ms(kNoSlowdown);
  }
  return json;
}

Json json_of(const Measures& measures) {
  return {{"queueing_delay_ms", json_of(measures.queueing_delay)},
      {"finding_ms", json_of(measures.finding)}, {"job_response_ms", json_of(measures.response)},
      {"job_excess_ms", json_of(measures.excess)},
      {"job_completion_ms", json_of(measures.completion)},
      {"job_delay_ms", json_of(measures.delay)}, {"job_slowdown", slowdown_of(measures.slowdown)}};
}

/// The measures of each class of jobs that is told apart.
Json classes_of(const Recorder& recorder) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kJobClasses; ++i) {
    const auto which = static_cast<JobClass>(i);
    if (!recorder.tells(which)) continue;
    json[std::string(overlay::kWords<JobClass>[i])] = json_of(recorder.of(which));
  }
  return json;
}

/// A parameter's value in its own JSON type; durations and choices are text.
Json json_of(const overlay::ParamEntry& entry) {
  std::string text = entry.get();
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
      {"tasks_cancelled", counts.tasks_cancelled}, {"probes_sent", counts.probes_sent},
      {"probes_lost", counts.probes_lost},
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

/// Where there are no peers, only that is told which is not of them.
Json json_of(const Health& look, bool of_peers) {
  Json json = {{"at_ms", in_ms(look.at.time_since_epoch())}};
  for (const HealthMeasure& each : health_measures()) {
    if (of_peers || each.name.starts_with("job_")) json[std::string(each.name)] = each.of(look);
  }
  return json;
}

Json health_json_of(const Simulation& run, const std::vector<WorkloadClass>& classes) {
  Json json = Json::array();
  for (const Health& each : run.health()) {
    Json& look = json.emplace_back(json_of(each, run.baseline() == nullptr));
    for (std::size_t j = 0; j < each.sharing.shares.size(); ++j) {
      look["shares"][classes[j].name] = each.sharing.shares[j];
      look["desired"][classes[j].name] = each.sharing.desired[j];
    }
  }
  return json;
}

/// The messages that peers sent, of all kinds, per second of the run, and how evenly; empty if they
/// are not counted by peer.
Json sent_of(const Simulation& run) {
  const auto& sent = run.cluster().costs().sent;
  const double seconds = in_seconds(run.ended().time_since_epoch());
  if (sent.empty() || seconds <= 0) return Json::object();
  Fairness fairness;
  double sum = 0;
  for (const std::uint64_t messages : sent) {
    fairness.add(static_cast<double>(messages));
    sum += static_cast<double>(messages);
  }
  return {{"mean_per_s", sum / static_cast<double>(sent.size()) / seconds},
      {"max_per_s", static_cast<double>(*std::ranges::max_element(sent)) / seconds},
      {"fairness", fairness.index()}};
}

/// What machines did within the window, baselines' too.
Json nodes_json_of(const Simulation& run) {
  const auto nodes = run.recorder().nodes();
  if (!nodes) return Json::object();
  return {{"served_per_s",
              {{"mean", nodes->mean_per_s}, {"min", nodes->min_per_s}, {"max", nodes->max_per_s},
                  {"balance", number_of(nodes->balance)}}},
      {"load_balance", number_of(nodes->load_balance)}};
}

/// What lists of the cluster's jobs found, on average, and what they cost; empty if no user lists.
Json listing_json_of(const Simulation& run) {
  const ListingMeter& meter = run.listing();
  if (meter.lists() == 0) return Json::object();
  const Traffic::Tally sent = run.baseline() != nullptr
      ? Traffic::Tally{}
      : run.cluster().traffic().sum(kListingKinds.first, kListingKinds.second);
  return {{"lists", meter.lists()}, {"took_ms", json_of(meter.took)},
      {"messages", meter.mean(sent.messages)}, {"bytes", meter.mean(sent.bytes())},
      {"nodes", meter.mean(meter.nodes)}, {"silent", meter.mean(meter.silent)},
      {"missed", meter.mean(meter.missed)}, {"cells_silent", meter.mean(meter.cells_silent)},
      {"jobs", meter.mean(meter.jobs)}};
}

/// The parts of the allocations of tasks; empty if they are not told.
Json allocations_json_of(const Recorder& recorder) {
  const AllocationSamples& parts = recorder.allocations();
  if (parts.framework_queue.count() == 0) return Json::object();
  return {{"framework_queue_ms", json_of(parts.framework_queue)},
      {"local_queue_ms", json_of(parts.local_queue)}, {"processing_ms", json_of(parts.processing)},
      {"worker_queue_ms", json_of(parts.worker_queue)},
      {"communication_ms", json_of(parts.communication)}};
}

/// What masters did, together; empty if no frontend is a global one.
Json masters_json_of(const Simulation& run) {
  const auto counts = master_counts(run);
  if (!counts) return Json::object();
  const std::uint64_t tasks = run.recorder().counts().tasks;
  const Json per_task =
      part_of(static_cast<double>(counts->inconsistencies()), static_cast<double>(tasks));
  return {{"masters", counts->masters}, {"local_masters", counts->local_masters},
      {"matches", counts->matches}, {"misses", counts->misses}, {"searched", counts->searched},
      {"words", counts->words}, {"placed", counts->placed}, {"lost", counts->lost},
      {"inconsistencies", counts->inconsistencies()}, {"inconsistencies_per_task", per_task},
      {"internal", counts->internal}, {"external", counts->external}, {"repairs", counts->repairs},
      {"repartitions", counts->repartitions}, {"preemption_attempts", counts->preemption_attempts},
      {"preemptions", counts->preemptions}};
}

/// What became of deadlines; empty if no job has one.
Json deadlines_json_of(const Simulation& run) {
  const Lateness lateness = lateness_of(run.recorder(), run.ended());
  if (lateness.jobs == 0) return Json::object();
  return {{"jobs", lateness.jobs}, {"missed", lateness.missed}, {"missed_1s", lateness.missed_1s},
      {"lateness_s", {{"mean", lateness.mean_s}, {"max", lateness.max_s}}},
      {"miss_penalty", lateness.penalty}};
}

/// Violations of priority, if they were measured; by plan, if there was one.
Json plans_json_of(const Recorder& recorder) {
  if (!recorder.plans().measures()) return Json::object();
  const PlanMeter::Result plans = recorder.plans().result();
  Json violation = {{"by_running", plans.by_running}};
  if (plans.by_plan) violation["by_plan"] = *plans.by_plan;
  return {{"violation", violation}, {"plans", plans.plans}, {"moved", plans.moved},
      {"preemptions", plans.preemptions}, {"lost_share", plans.lost_share}};
}

/// The figures that depend on the machine.
Json cost_json_of(const Simulation& run) {
  const Cost& cost = run.cost();
  Json json = {{"wall_s", cost.wall_s}, {"cpu_s", cost.cpu_s}, {"events", cost.events},
      {"events_per_s", cost.events_per_s()}, {"peak_bytes", cost.peak_bytes}};
  if (run.scenario().measures.cell_cpu && run.sharing().watches()) {
    const auto shared = run.shared();
    json["cells_cpu_ms_per_s"] = {
        {"busiest_manager", shared.busiest_cpu_ms_per_s}, {"peer", shared.mean_cpu_ms_per_s}};
  }
  return json;
}

/// The messages that peers, or a baseline, sent for each task: all but gossip.
Json messages_per_task(const Simulation& run) {
  const std::uint64_t messages = run.baseline() != nullptr
      ? run.baseline()->messages()
      : run.cluster().traffic().work().messages;
  return part_of(static_cast<double>(messages), static_cast<double>(run.recorder().counts().tasks));
}

/// The bytes of the same, and of the logs of jobs as a part of it, by task; empty for baselines.
Json per_task_of(const Simulation& run) {
  if (run.baseline() != nullptr) return Json::object();
  const auto tasks = static_cast<double>(run.recorder().counts().tasks);
  const Traffic& traffic = run.cluster().traffic();
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  for (std::size_t kind = kOverlayKinds; kind < kOverlayKinds + kSchedKinds; ++kind) {
    // By their names: a new message of logs is counted as one without a line here.
    if (!kMessageWords[kind].starts_with("log_") && kMessageWords[kind] != "home_is") continue;
    messages += traffic[kind].messages;
    bytes += traffic[kind].bytes();
  }
  return {{"messages", messages_per_task(run)},
      {"bytes", part_of(static_cast<double>(traffic.work().bytes()), tasks)},
      {"log_messages", part_of(static_cast<double>(messages), tasks)},
      {"log_bytes", part_of(static_cast<double>(bytes), tasks)}};
}

/// What the views of peers cost; empty for baselines.
Json gossip_of(const Simulation& run) {
  if (run.baseline() != nullptr) return Json::object();
  const Traffic::Tally gossip = run.cluster().traffic().gossip();
  const double peer_seconds =
      run.scenario().cluster.peers * in_seconds(run.ended().time_since_epoch());
  return {{"messages_per_peer_s", part_of(static_cast<double>(gossip.messages), peer_seconds)},
      {"bytes_per_peer_s", part_of(static_cast<double>(gossip.bytes()), peer_seconds)}};
}

/// What became of the jobs that are measured; with those of all, each job is in one of them.
Json fates_json_of(const Simulation& run) {
  const Fates& fates = run.fates();
  return {{"finished", fates.finished}, {"cancelled", fates.cancelled},
      {"unfinished", fates.unfinished}, {"lost", fates.lost},
      {"refused", run.recorder().counts().measured_refused}, {"held", run.offered().measured_held}};
}
Json fates_of_all_json_of(const Simulation& run) {
  const Fates& fates = run.fates_of_all();
  const Offered offered = run.offered();
  return {{"arrived", offered.arrived}, {"held", offered.held}, {"on_the_way", offered.on_the_way},
      {"submitted", offered.submitted}, {"refused", run.recorder().counts().jobs_refused},
      {"finished", fates.finished}, {"cancelled", fates.cancelled},
      {"unfinished", fates.unfinished}, {"lost", fates.lost}};
}

Json messages_of(const Simulation& run) {
  if (run.baseline() == nullptr) return json_of(run.cluster().traffic());
  return {{"all", {{"messages", run.baseline()->messages()}}}};
}

}  // namespace

std::string json_of(const Simulation& run) {
  Scenario scenario = run.scenario();
  const Recorder& recorder = run.recorder();
  Json parameters = Json::object();
  // All parameters, also those that nobody set: a default that changes later must not change what
  // this run was.
  for (const auto& entry : entries_of(scenario)) {
    parameters[entry.section][entry.name] = json_of(entry);
  }
  parameters["attributes"] = Json::object();
  for (const auto& [name, value] : scenario.attributes) parameters["attributes"][name] = value;
  const Json json = {{"version", DUNLIN_VERSION}, {"title", scenario.title},
      {"seed", scenario.simulation.seed}, {"ended_ms", in_ms(run.ended().time_since_epoch())},
      {"percentiles", config::kPercentileRule}, {"measures", classes_of(recorder)},
      {"window_ms",
          {in_ms(recorder.window().from.time_since_epoch()),
              in_ms(recorder.window().until.time_since_epoch())}},
      {"utilisation", number_of(recorder.utilisation())},
      {"fairness_of_slowdown",
          recorder.all().slowdown.empty() ? Json() : Json(recorder.fairness().index())},
      {"messages_per_task", messages_per_task(run)}, {"gossip", gossip_of(run)},
      {"peers_sent", sent_of(run)}, {"nodes", nodes_json_of(run)},
      {"deadlines", deadlines_json_of(run)}, {"plans", plans_json_of(recorder)},
      {"sharing", sharing_json_of(run)}, {"listing", listing_json_of(run)},
      {"federation", masters_json_of(run)}, {"allocation", allocations_json_of(recorder)},
      {"fates", fates_json_of(run)}, {"fates_of_all", fates_of_all_json_of(run)},
      {"per_task", per_task_of(run)}, {"jobs_left_out", run.left_out()},
      {"whole_jobs", whole_jobs_json_of(run)}, {"resources", resources_json_of(run)},
      {"counts", json_of(recorder.counts())}, {"messages", messages_of(run)},
      {"health", health_json_of(run, *classes_of(scenario.classes))},
      {"health_at_end",
          run.health().empty() ? Json::object()
                               : json_of(run.health().back(), run.baseline() == nullptr)},
      {"parameters", parameters}, {"cost", cost_json_of(run)}};
  return json.dump(2) + "\n";
}

}  // namespace dunlin::sim
