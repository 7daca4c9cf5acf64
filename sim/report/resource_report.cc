// SPDX-License-Identifier: MIT
#include "sim/report/resource_report.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "sim/engine/simulation.h"
#include "sim/measure/sample.h"
#include "sim/measure/units.h"
#include "sim/measure/whole_jobs.h"

// What runs took of CPU, memory, disk and network: allocated (what schedulers promised), used, and
// over (demand beyond what machines have). The three differ exactly where a scheduler looks away.
namespace dunlin::sim {
namespace {

using Json = nlohmann::ordered_json;

Sample completions_of(const std::vector<WholeJob>& jobs) {
  Sample sample;
  for (const WholeJob& each : jobs) sample.add(each.completion());
  return sample;
}

std::string percent(double part) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", 100 * part);
  return text.data();
}

std::string seconds(Duration duration) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", in_seconds(duration));
  return text.data();
}

std::string line(const std::string& name, const std::string& text) {
  std::string padded = name;
  padded.resize(24, ' ');
  return padded + "  " + text + "\n";
}

/// A resource that no task was ever to take says nothing.
bool is_shown(const ResourceParts& mean, std::size_t kind) {
  return mean.allocated[kind] > 0 || mean.used[kind] > 0 || mean.over[kind] > 0;
}

/// Null if there is none.
Json ms_or_null(std::optional<Duration> duration) {
  return duration ? Json(in_ms(*duration)) : Json();
}

Json json_of(const ResourceParts& parts, std::size_t kind) {
  return {
      {"allocated", parts.allocated[kind]}, {"used", parts.used[kind]}, {"over", parts.over[kind]}};
}

}  // namespace

std::string resource_rows(const Simulation& run) {
  std::string rows;
  const WholeJobs whole = whole_jobs_of(run.recorder());
  const std::vector<WholeJob> jobs = whole.finished();
  if (!jobs.empty()) {
    const Sample completion = completions_of(jobs);
    const WholeJobs::Makespan makespan = whole.makespan(run.ended());
    rows += line("whole jobs",
        std::to_string(jobs.size()) + " of " + std::to_string(whole.count()) +
            " finished; makespan " + (makespan.at_least ? "≥ " : "") + seconds(makespan.time) +
            "; completion " + seconds(*completion.mean()) + " on average, " +
            seconds(*completion.percentile(50)) + " p50, " + seconds(*completion.percentile(95)) +
            " p95");
  }
  if (const InputMeter& inputs = run.recorder().counts().inputs; inputs.count() > 0) {
    rows += line("remote share",
        percent(inputs.remote_share()) + " of " + std::to_string(inputs.count()) +
            " attempts began where their input is not");
  }
  const ResourceMeter::Result result = run.resources().result();
  for (std::size_t kind = 0; kind < kResourceKinds; ++kind) {
    if (!is_shown(result.mean, kind)) continue;
    rows += line(std::string(kResourceWords[kind]),
        percent(result.mean.allocated[kind]) + " allocated, " + percent(result.mean.used[kind]) +
            " used, " + percent(result.mean.over[kind]) + " over");
  }
  return rows;
}

nlohmann::ordered_json whole_jobs_json_of(const Simulation& run) {
  const WholeJobs all = whole_jobs_of(run.recorder());
  if (all.count() == 0) return Json::object();
  const std::vector<WholeJob> jobs = all.finished();
  const Sample sample = completions_of(jobs);
  const WholeJobs::Makespan makespan = all.makespan(run.ended());
  Json json = {{"count", all.count()}, {"finished", jobs.size()},
      {"unfinished", all.count() - jobs.size()},
      {"makespan_ms", makespan.at_least ? Json() : Json(in_ms(makespan.time))},
      {"completion_ms",
          {{"mean", ms_or_null(sample.mean())}, {"p50", ms_or_null(sample.percentile(50))},
              {"p90", ms_or_null(sample.percentile(90))},
              {"p95", ms_or_null(sample.percentile(95))},
              {"p99", ms_or_null(sample.percentile(99))}, {"max", ms_or_null(sample.max())}}}};
  // The run ended first: it is known only that all of them take longer than that.
  if (makespan.at_least) json["censored"] = {{"makespan_ms", in_ms(makespan.time)}};
  if (run.recorder().counts().inputs.count() > 0) {
    json["remote_share"] = run.recorder().counts().inputs.remote_share();
  }
  // By job, for those that compare runs job by job.
  Json& records = json["records"] = Json::array();
  for (const WholeJob& each : jobs) {
    // By key, so the same jobs are listed in runs that are compared.
    if (records.size() == run.scenario().measures.job_records) break;
    records.push_back(
        {{"key", each.key}, {"submitted_ms", in_ms(each.submitted.time_since_epoch())},
            {"tasks", each.tasks}, {"completion_ms", in_ms(each.completion())}});
  }
  return json;
}

nlohmann::ordered_json resources_json_of(const Simulation& run) {
  const ResourceMeter& meter = run.resources();
  if (!meter.measures()) return Json::object();
  const ResourceMeter::Result result = meter.result();
  Json json = Json::object();
  double over_max = 0;
  for (std::size_t kind = 0; kind < kResourceKinds; ++kind) {
    over_max = std::max(over_max, result.mean.over[kind]);
    if (!is_shown(result.mean, kind)) continue;
    json[std::string(kResourceWords[kind])] = json_of(result.mean, kind);
  }
  json["busiest"] = kResourceWords[result.busiest];
  json["fragmented"] = result.fragmented;
  json["over_max"] = over_max;
  if (meter.looks().empty()) return json;
  Json& looks = json["over_time"] = Json::array();
  for (const ResourceMeter::Look& each : meter.looks()) {
    Json& look = looks.emplace_back(Json{{"at_ms", in_ms(each.at.time_since_epoch())}});
    for (std::size_t kind = 0; kind < kResourceKinds; ++kind) {
      if (!is_shown(result.mean, kind)) continue;
      look[std::string(kResourceWords[kind])] = json_of(each.parts, kind);
    }
  }
  return json;
}

std::string resources_csv_of(const Simulation& run) {
  std::ostringstream out;
  out << "at_ms,resource,allocated,used,over\n";
  for (const ResourceMeter::Look& each : run.resources().looks()) {
    for (std::size_t kind = 0; kind < kResourceKinds; ++kind) {
      out << in_ms(each.at.time_since_epoch()) << ',' << kResourceWords[kind] << ','
          << each.parts.allocated[kind] << ',' << each.parts.used[kind] << ','
          << each.parts.over[kind] << '\n';
    }
  }
  return out.str();
}

}  // namespace dunlin::sim
