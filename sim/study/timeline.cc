// SPDX-License-Identifier: MIT
#include "sim/study/timeline.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "config/text_table.h"
#include "sim/measure/health.h"
#include "sim/study/estimate_text.h"

namespace dunlin::sim {
namespace {

using Json = nlohmann::ordered_json;

/// The rows of a table: more moments are too many to read.
constexpr std::size_t kRowsMax = 16;

/// The values of one moment, in the order of the replications; by ms since the beginning.
using Moments = std::map<double, std::vector<double>>;

/// The place of a measure in a look.
Json::json_pointer pointer_to(const std::string& measure, const char* shares) {
  const std::string service_class = class_of_timeline(measure);
  if (service_class.empty()) return Json::json_pointer("/" + measure);
  // As a token and not in the text of the pointer: the name of a class may have a slash.
  return Json::json_pointer("/" + std::string(shares)) / service_class;
}

Result<void> read_trial(const Trial& trial,
    const std::string& measure,
    const Json::json_pointer& pointer,
    Moments& moments) {
  std::ifstream in(trial.output);
  const Json json = Json::parse(in, nullptr, false);
  if (json.is_discarded() || !json.contains("health")) {
    return failure(ErrorKind::corrupt, trial.output + ": no result of a run");
  }
  if (json.at("health").empty()) {
    return failure(ErrorKind::usage,
        "a timeline of " + measure + ": set measures.health_period, or nobody looks");
  }
  for (const Json& look : json.at("health")) {
    if (!look.contains(pointer)) {
      return failure(ErrorKind::usage, "a timeline of " + measure + ": there is no such class");
    }
    // All replications of a scenario are looked at at the same moments, so equal times are one key.
    moments[look.at("at_ms").get<double>()].push_back(look.at(pointer).get<double>());
  }
  return {};
}

/// From `since` on, which is their 0.
std::vector<TimelinePoint> points_of(const Moments& moments, double since) {
  std::vector<TimelinePoint> points;
  for (const auto& [at_ms, values] : moments) {
    const double at_s = at_ms / 1000 - since;
    if (at_s >= 0) points.push_back({.at_s = at_s, .value = estimate_of(values)});
  }
  return points;
}

std::string time_text(double seconds) {
  std::ostringstream out;
  out << seconds;
  return out.str();
}

}  // namespace

std::string meaning_of_timeline(const std::string& measure) {
  if (const HealthMeasure* known = health_measure(measure)) return std::string(known->meaning);
  return "share of " + class_of_timeline(measure) + " in all that is occupied";
}

Result<Timeline> timeline_of(
    const Study& study, const std::vector<Trial>& trials, const std::string& measure) {
  Timeline timeline{.measure = measure, .settings = planned_combinations(study.plan), .lines = {}};
  std::vector<Moments> all(timeline.settings.size());
  Moments desired;
  const bool of_class = !class_of_timeline(measure).empty();
  for (const Trial& trial : trials) {
    auto read = read_trial(trial, measure, pointer_to(measure, "shares"), all[trial.combination]);
    // The desired shares are drawn once, as one line.
    if (read && of_class && trial.combination == 0) {
      read = read_trial(trial, measure, pointer_to(measure, "desired"), desired);
    }
    if (!read) return tl::unexpected(read.error());
  }
  const double since = std::chrono::duration<double>(study.plan.since).count();
  for (const Moments& moments : all) timeline.lines.push_back(points_of(moments, since));
  timeline.desired = points_of(desired, since);
  return timeline;
}

std::string Timeline::table(std::size_t width) const {
  std::vector<std::string> heads = {"s"};
  for (const auto& each : settings) heads.push_back(joined(each));
  auto table = config::TextTable::by_content(heads);
  std::size_t moments = 0;
  for (const auto& line : lines) moments = std::max(moments, line.size());
  const std::size_t rows = std::min(moments, kRowsMax);
  for (std::size_t row = 0; row < rows; ++row) {
    // Evenly spread, with the first and the last moment among them.
    const std::size_t moment = rows == 1 ? 0 : row * (moments - 1) / (rows - 1);
    std::vector<std::string> cells = {""};
    for (const auto& line : lines) {
      if (moment < line.size()) cells.front() = time_text(line[moment].at_s);
      cells.push_back(moment < line.size() ? text_of(line[moment].value) : "-");
    }
    table.add(cells);
  }
  return table.stacked(width, 1);
}

std::string Timeline::csv() const {
  std::ostringstream out;
  // Six digits, the default, are too few for what is computed from it.
  out.precision(12);
  out << "settings,at_s,mean,ci95,replications\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const TimelinePoint& each : lines[i]) {
      out << '"' << joined(settings[i]) << "\"," << each.at_s << ',' << each.value.mean << ','
          << each.value.half_width << ',' << each.value.count << '\n';
    }
  }
  return out.str();
}

}  // namespace dunlin::sim
