// SPDX-License-Identifier: MIT
#include "sim/report/sharing_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/measure/units.h"

namespace dunlin::sim {
namespace {

using Json = nlohmann::ordered_json;

/// A condition of sharing, and from when until when it may come true.
struct Awaited {
  const char* name;
  Duration since;
  Duration until;
  bool (*holds)(const Sharing&);
};

/// Adds how long each took. Nothing was seen of one that was never looked at.
void add_awaited(const Simulation& run, const std::vector<Awaited>& awaited, Json& json) {
  const Time last = run.health().empty() ? Time{} : run.health().back().at;
  for (const Awaited& each : awaited) {
    // It could be seen until the last look at most.
    const Time end = std::min(last, Time{each.until});
    if (end < Time{each.since}) continue;
    const auto took = run.sharing().took(Time{each.since}, Time{each.until}, each.holds);
    json[each.name] = took ? Json(in_seconds(*took)) : Json();
    if (!took) json["censored"][each.name] = in_seconds(end - Time{each.since});
  }
}

void add_awaited(const Simulation& run, Json& json) {
  const Scenario& scenario = run.scenario();
  const Duration set = scenario.classes.set_at;
  const bool kills = scenario.faults.managers + scenario.faults.quorums > 0;
  // Managers that die do so in the middle of the run: the figures before and after are told apart.
  const Duration killed = kills ? scenario.faults.managers_at : set;
  const Duration end = Duration::max();
  const Duration first = kills ? killed : end;
  add_awaited(run,
      {{"all_in_cells_s", set, first, [](const Sharing& s) { return s.members == 1; }},
          {"one_tree_s", set, first,
              [](const Sharing& s) { return s.members == 1 && s.trees == 1; }},
          {"granted_s", set, first, [](const Sharing& s) { return s.granted == 1; }},
          {"healed_s", killed, end, [](const Sharing& s) { return s.settled(); }},
          {"shares_back_s", killed, end,
              [](const Sharing& s) { return s.settled() && s.deviation < 0.05; }},
          {"shares_hold_s", killed, end, [](const Sharing& s) { return s.deviation < 0.05; }}},
      json);
}

/// What cells cost, and what looks saw of them.
void add_cells(const Simulation& run, const SharingWatch::Result& shared, Json& json) {
  Json kinds = Json::object();
  for (std::size_t kind = 0; kind < kCellKinds; ++kind) {
    if (shared.busiest_kinds_per_s[kind] == 0) continue;
    kinds[std::string(kMessageWords[kOverlayKinds + kSchedKinds + kind])] =
        shared.busiest_kinds_per_s[kind];
  }
  json["busiest_manager"] = {{"messages_per_s", shared.busiest_messages_per_s},
      {"bytes_per_s", shared.busiest_bytes_per_s}, {"kinds_per_s", kinds},
      {"levels_per_s", shared.busiest_levels_per_s}, {"of_level_per_s", shared.busiest_of_level}};
  json["peer_messages_per_s"] = shared.mean_messages_per_s;
  json["broken_looks"] = shared.broken;
  json["first_trouble"] = shared.trouble;
  double deviation = 0, looks = 0;
  for (const Health& each : run.health()) {
    if (each.at < Time{run.scenario().simulation.warm_up}) continue;
    deviation += each.sharing.deviation;
    ++looks;
  }
  json["deviation_over_time"] = looks > 0 ? Json(deviation / looks) : Json();
}

}  // namespace

nlohmann::ordered_json sharing_json_of(const Simulation& run) {
  if (!run.sharing().watches()) return Json::object();
  const SharingWatch::Result shared = run.shared();
  const auto known = classes_of(run.scenario().classes);
  Json classes = Json::object();
  bool any = false;
  for (std::size_t j = 0; j < known->size(); ++j) {
    classes[(*known)[j].name] = {{"desired", shared.desired[j]}, {"occupied", shared.occupied[j]}};
    any = any || shared.occupied[j] > 0;
  }
  // Where nothing ran there are no shares to be off.
  Json json = {{"classes", classes}, {"deviation", any ? Json(shared.deviation) : Json()},
      {"worst_error", any ? Json(shared.worst_error) : Json()}};
  if (run.baseline() != nullptr) return json;
  add_awaited(run, json);
  add_cells(run, shared, json);
  return json;
}

}  // namespace dunlin::sim
