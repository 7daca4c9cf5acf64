// SPDX-License-Identifier: MIT
#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/percentile.h"
#include "sim/measure/lateness.h"
#include "sim/measure/units.h"
#include "sim/report/master_counts.h"
#include "sim/report/report.h"
#include "sim/report/resource_report.h"

namespace dunlin::sim {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Sample& sample) {
  return {{"count", sample.count()}, {"mean", in_ms(sample.mean())},
      {"p50", in_ms(sample.percentile(50))}, {"p90", in_ms(sample.percentile(90))},
      {"p95", in_ms(sample.percentile(95))}, {"p99", in_ms(sample.percentile(99))},
      {"max", in_ms(sample.max())}, {"exact", sample.exact()}};
}

/// A slowdown is a number, kept as a multiple of a duration.
Json slowdown_of(const Sample& sample) {
  Json json = json_of(sample);
  for (auto& [key, value] : json.items()) {
    if (key != "count" && key != "exact") value = value.get<double>() / in_ms(kNoSlowdown);
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

Json json_of(const Health& look) {
  Json json = {{"at_ms", in_ms(look.at.time_since_epoch())}};
  for (const HealthMeasure& each : health_measures()) json[std::string(each.name)] = each.of(look);
  return json;
}

Json json_of(const std::vector<Health>& looks, const std::vector<WorkloadClass>& classes) {
  Json json = Json::array();
  for (const Health& each : looks) {
    Json& look = json.emplace_back(json_of(each));
    for (std::size_t j = 0; j < each.sharing.shares.size(); ++j) {
      look["shares"][classes[j].name] = each.sharing.shares[j];
      look["desired"][classes[j].name] = each.sharing.desired[j];
    }
  }
  return json;
}

double busiest_of(const Simulation& run) {
  const auto& sent = run.cluster().costs().sent;
  const double seconds = in_ms(run.ended().time_since_epoch()) / 1000;
  if (sent.empty() || seconds <= 0) return 0;
  return static_cast<double>(*std::ranges::max_element(sent)) / seconds;
}

/// The messages that peers sent, of all kinds, per second of the run, and how evenly.
Json sent_of(const Simulation& run) {
  Fairness fairness;
  double sum = 0;
  for (const std::uint64_t messages : run.cluster().costs().sent) {
    fairness.add(static_cast<double>(messages));
    sum += static_cast<double>(messages);
  }
  const double seconds = in_ms(run.ended().time_since_epoch()) / 1000;
  const auto peers = static_cast<double>(run.cluster().costs().sent.size());
  return {{"mean_per_s", peers > 0 && seconds > 0 ? sum / peers / seconds : 0},
      {"max_per_s", busiest_of(run)}, {"fairness", fairness.index()}};
}

/// What machines did within the window, baselines' too.
Json nodes_json_of(const Simulation& run) {
  const NodeLoads::Result nodes = run.recorder().nodes();
  return {{"served_per_s",
              {{"mean", nodes.mean_per_s}, {"min", nodes.min_per_s}, {"max", nodes.max_per_s},
                  {"balance", nodes.balance}}},
      {"load_balance", nodes.load_balance}};
}

/// The sharing of the cluster. Without classes all figures are 0. A condition that did not come
/// true by the end is -1.
Json sharing_json_of(const Simulation& run) {
  const auto shared = run.shared();
  const auto& scenario = run.scenario();
  const auto since = [&](Duration when, Duration end, bool (*holds)(const Sharing&)) {
    const auto took = run.sharing().took(Time{when}, Time{end}, holds);
    return took ? in_ms(*took) / 1000 : run.sharing().watches() ? -1.0 : 0.0;
  };
  const Duration set = scenario.classes.set_at;
  const bool kills = scenario.faults.managers + scenario.faults.quorums > 0;
  // Managers that die do so in the middle of the run: the figures before and after are told apart.
  const Duration killed = kills ? scenario.faults.managers_at : set;
  const Duration end = Duration::max();
  const Duration first = kills ? killed : end;
  Json classes = Json::object();
  const auto known = classes_of(scenario.classes);
  for (std::size_t j = 0; j < known->size(); ++j) {
    classes[(*known)[j].name] = {{"desired", shared.desired[j]}, {"occupied", shared.occupied[j]}};
  }
  Json busiest_kinds = Json::object();
  for (std::size_t kind = 0; kind < kCellKinds; ++kind) {
    if (shared.busiest_kinds_per_s[kind] == 0) continue;
    busiest_kinds[std::string(kMessageWords[kOverlayKinds + kSchedKinds + kind])] =
        shared.busiest_kinds_per_s[kind];
  }
  double deviation = 0, looks = 0;
  for (const Health& each : run.health()) {
    if (each.at < Time{scenario.simulation.warm_up}) continue;
    deviation += each.sharing.deviation;
    ++looks;
  }
  return {{"classes", classes}, {"deviation", shared.deviation},
      {"worst_error", shared.worst_error},
      {"deviation_over_time", looks > 0 ? deviation / looks : 0},
      {"all_in_cells_s", since(set, first, [](const Sharing& s) { return s.members == 1; })},
      {"one_tree_s",
          since(set, first, [](const Sharing& s) { return s.members == 1 && s.trees == 1; })},
      {"granted_s", since(set, first, [](const Sharing& s) { return s.granted == 1; })},
      {"healed_s", since(killed, end, [](const Sharing& s) { return s.settled(); })},
      {"shares_back_s",
          since(killed, end, [](const Sharing& s) { return s.settled() && s.deviation < 0.05; })},
      {"shares_hold_s", since(killed, end, [](const Sharing& s) { return s.deviation < 0.05; })},
      {"busiest_manager",
          {{"messages_per_s", shared.busiest_messages_per_s},
              {"bytes_per_s", shared.busiest_bytes_per_s}, {"kinds_per_s", busiest_kinds},
              {"levels_per_s", shared.busiest_levels_per_s},
              {"of_level_per_s", shared.busiest_of_level}}},
      {"peer_messages_per_s", shared.mean_messages_per_s}, {"broken_looks", shared.broken},
      {"first_trouble", shared.trouble}};
}

/// What lists of the cluster's jobs found, on average, and what they cost; zeros if no user lists.
Json listing_json_of(const Simulation& run) {
  const ListingMeter& meter = run.listing();
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
  const double per_task =
      tasks == 0 ? 0 : static_cast<double>(counts->inconsistencies()) / static_cast<double>(tasks);
  return {{"masters", counts->masters}, {"local_masters", counts->local_masters},
      {"matches", counts->matches}, {"misses", counts->misses}, {"searched", counts->searched},
      {"words", counts->words}, {"placed", counts->placed}, {"lost", counts->lost},
      {"inconsistencies", counts->inconsistencies()}, {"inconsistencies_per_task", per_task},
      {"internal", counts->internal}, {"external", counts->external}, {"repairs", counts->repairs},
      {"repartitions", counts->repartitions}, {"preemption_attempts", counts->preemption_attempts},
      {"preemptions", counts->preemptions}};
}

/// What became of deadlines; zeros if no job has one.
Json deadlines_json_of(const Simulation& run) {
  const Lateness lateness = lateness_of(run.recorder(), run.ended());
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

double messages_per_task(const Simulation& run) {
  const std::uint64_t messages = run.baseline() != nullptr
      ? run.baseline()->messages()
      : run.cluster().traffic().scheduling().messages;
  const std::uint64_t tasks = run.recorder().counts().tasks;
  return tasks == 0 ? 0 : static_cast<double>(messages) / static_cast<double>(tasks);
}

/// The cost of scheduling, and of the logs of jobs as a part of it, by task.
Json per_task_of(const Simulation& run) {
  if (run.baseline() != nullptr) return Json::object();
  const std::uint64_t tasks = run.recorder().counts().tasks;
  const auto share = [&](std::uint64_t count) {
    return tasks == 0 ? 0 : static_cast<double>(count) / static_cast<double>(tasks);
  };
  const Traffic& traffic = run.cluster().traffic();
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  for (std::size_t kind = kOverlayKinds; kind < kOverlayKinds + kSchedKinds; ++kind) {
    if (!kMessageWords[kind].starts_with("log_") && kMessageWords[kind] != "home_is") continue;
    messages += traffic[kind].messages;
    bytes += traffic[kind].bytes();
  }
  return {{"bytes", share(traffic.scheduling().bytes())}, {"log_messages", share(messages)},
      {"log_bytes", share(bytes)}};
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
  for (const auto& entry : entries_of(scenario)) {
    parameters[entry.section][entry.name] = json_of(entry);
  }
  parameters["attributes"] = Json::object();
  for (const auto& [name, value] : scenario.attributes) parameters["attributes"][name] = value;
  const Json json = {{"version", DUNLIN_VERSION}, {"title", scenario.title},
      {"seed", scenario.simulation.seed}, {"ended_ms", in_ms(run.ended().time_since_epoch())},
      {"percentiles", config::kPercentileRule}, {"measures", classes_of(recorder)},
      {"utilisation", recorder.utilisation()},
      {"fairness_of_slowdown", recorder.fairness().index()},
      {"messages_per_task", messages_per_task(run)}, {"peers_sent", sent_of(run)},
      {"busiest_peer_messages_per_s", busiest_of(run)}, {"nodes", nodes_json_of(run)},
      {"deadlines", deadlines_json_of(run)}, {"plans", plans_json_of(recorder)},
      {"sharing", sharing_json_of(run)}, {"listing", listing_json_of(run)},
      {"federation", masters_json_of(run)}, {"allocation", allocations_json_of(recorder)},
      {"measured_jobs_unfinished", recorder.unfinished()}, {"jobs_lost", run.jobs_lost()},
      {"per_task", per_task_of(run)}, {"jobs_left_out", run.left_out()},
      {"whole_jobs", whole_jobs_json_of(run)}, {"resources", resources_json_of(run)},
      {"counts", json_of(recorder.counts())}, {"messages", messages_of(run)},
      {"health", json_of(run.health(), *classes_of(scenario.classes))},
      {"health_at_end", run.health().empty() ? Json::object() : json_of(run.health().back())},
      {"parameters", parameters}, {"cost", cost_json_of(run)}};
  return json.dump(2) + "\n";
}

}  // namespace dunlin::sim
