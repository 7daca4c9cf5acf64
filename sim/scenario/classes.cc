// SPDX-License-Identifier: MIT
#include "sim/scenario/classes.h"

#include <algorithm>
#include <cmath>

#include "overlay/param_entries.h"
#include "overlay/params/param_table.h"
#include "sched/ledger/class_name.h"
#include "sim/fields.h"

// Classes are written as short texts ("web=5, batch=3"), because parameters have one value each and
// a sweep must be able to vary it. What is read here follows the same rules as an operator's
// `dunlin share set`.
namespace dunlin::sim {
namespace {

constexpr std::int64_t kShareMax = 1'000'000;
constexpr std::uint32_t kFrontendMax = 999'999;

tl::unexpected<Error> wrong_key(const std::string& key, const std::string& why) {
  return failure(ErrorKind::usage, "classes." + key + ": " + why);
}

WorkloadClass* find(std::vector<WorkloadClass>& classes, std::string_view name) {
  const auto at = std::ranges::find(classes, name, &WorkloadClass::name);
  return at == classes.end() ? nullptr : &*at;
}

/// Reads "web=5" as a name and a number.
Result<std::pair<std::string, double>> read_part(const std::string& key, std::string_view part) {
  const std::size_t equals = part.find('=');
  const auto value = equals == std::string_view::npos
      // The text is not shown: what is wrong is told below, whichever way it is.
      ? Result<double>(failure(ErrorKind::usage, ""))
      : overlay::parse_number(part.substr(equals + 1));
  if (!value || *value < 0) {
    return wrong_key(key, "'" + std::string(part) + "' is not like web=5");
  }
  return std::pair(std::string(part.substr(0, equals)), *value);
}

/// Splits at commas, without the blanks around the words.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    std::string_view part = cut_field(text, ',');
    const std::size_t begin = part.find_first_not_of(' ');
    if (begin == std::string_view::npos) continue;
    parts.push_back(part.substr(begin, part.find_last_not_of(' ') + 1 - begin));
  }
  return parts;
}

Result<void> read_pause(std::string_view part, std::vector<WorkloadClass>& classes) {
  std::string_view rest = part;
  WorkloadClass* const named = find(classes, cut_word(rest));
  const auto from = overlay::parse_duration(cut_word(rest));
  const auto until = overlay::parse_duration(cut_word(rest));
  if (named == nullptr || !from || !until || *until <= *from) {
    return wrong_key("pauses",
        "'" + std::string(part) + "' is not like \"batch 60s 90s\", of a class with a share");
  }
  named->pauses.push_back({.from = Time{*from}, .until = Time{*until}});
  return {};
}

}  // namespace

Time WorkloadClass::wants_from(Time now) const {
  Time when = now;
  // They are in order, so the end of one may fall into the next.
  for (const Pause& pause : pauses) {
    if (pause.from <= when && when < pause.until) when = pause.until;
  }
  return when;
}

Result<std::vector<WorkloadClass>> classes_of(const ClassParams& params) {
  std::vector<WorkloadClass> classes;
  for (const auto part : parts_of(params.shares)) {
    const auto read = read_part("shares", part);
    if (!read) return tl::unexpected(read.error());
    const auto& [name, share] = *read;
    if (auto fine = sched::check_class_name(name); !fine) {
      return wrong_key("shares", fine.error().text);
    }
    if (find(classes, name) != nullptr) return wrong_key("shares", name + " is named twice");
    if (share < 1 || share > kShareMax)
      return wrong_key("shares", name + " needs a share of 1 to 10^6");
    classes.push_back({.name = name,
        .id = sched::class_id_of(name),
        .share = static_cast<std::int64_t>(share),
        // Where the scenario says nothing of jobs, all classes have as many.
        .jobs = params.jobs.empty() ? 1.0 : 0.0,
        .pauses = {},
        .at = {}});
  }
  if (classes.size() > sched::books::Classes::kClassesMax) {
    return wrong_key("shares", "more than " + std::to_string(sched::books::Classes::kClassesMax));
  }
  for (const auto part : parts_of(params.jobs)) {
    const auto read = read_part("jobs", part);
    if (!read) return tl::unexpected(read.error());
    WorkloadClass* const named = find(classes, read->first);
    if (named == nullptr) return wrong_key("jobs", read->first + " has no share");
    named->jobs = read->second;
  }
  for (const auto part : parts_of(params.at)) {
    const auto read = read_part("at", part);
    if (!read) return tl::unexpected(read.error());
    WorkloadClass* const named = find(classes, read->first);
    if (named == nullptr) return wrong_key("at", read->first + " has no share");
    if (read->second != std::floor(read->second) || read->second > kFrontendMax) {
      return wrong_key("at", "'" + std::string(part) + "' names no frontend by its number");
    }
    named->at = static_cast<std::uint32_t>(read->second);
  }
  for (const auto part : parts_of(params.pauses)) {
    if (auto fine = read_pause(part, classes); !fine) return tl::unexpected(fine.error());
  }
  // In order, as WorkloadClass::wants_from() needs them.
  for (WorkloadClass& each : classes) {
    std::ranges::sort(each.pauses, {}, &WorkloadClass::Pause::from);
  }
  return classes;
}

sched::books::Classes table_of(const std::vector<WorkloadClass>& classes) {
  sched::books::Classes table;
  table.version = 1;
  for (const WorkloadClass& each : classes) {
    table.classes.push_back({.class_id = each.id, .name = each.name, .share = each.share});
  }
  // The books keep them in the order of their ids, which do not depend on the order of writing.
  std::ranges::sort(table.classes, {}, &sched::books::Class::class_id);
  return table;
}

std::vector<double> desired_of(const std::vector<WorkloadClass>& classes, Time now) {
  std::vector<double> desired;
  double sum = 0;
  for (const WorkloadClass& each : classes) {
    desired.push_back(each.wants(now) ? static_cast<double>(each.share) : 0.0);
    sum += desired.back();
  }
  for (double& each : desired) each = sum > 0 ? each / sum : 0;
  return desired;
}

}  // namespace dunlin::sim

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sim::ClassParams> = "classes";
template <>
inline constexpr auto kParams<sim::ClassParams> = std::tuple{
    Param<&sim::ClassParams::shares>{{},
        "The classes that share the cluster: \"web=5, batch=3, test=2\". Empty: none, and no "
        "cells."},
    Param<&sim::ClassParams::set_at>{{std::chrono::seconds(0), std::chrono::hours(24)},
        "When an operator says so, at one of the peers. Jobs should come a while later."},
    Param<&sim::ClassParams::jobs>{{},
        "The part of the jobs that belongs to each: \"web=1, batch=1\". A class not named has no "
        "job; empty: all have as many. Not with workload.kind = \"classes\"."},
    Param<&sim::ClassParams::pauses>{{},
        "Times at which a class wants nothing: \"batch 60s 90s, web 100s 120s\". Its jobs under "
        "way go on."},
    Param<&sim::ClassParams::at>{{},
        "The frontend that all jobs of a class are submitted to, by its number from 0: \"web=0, "
        "batch=1\". A class not named: any.",
        "Megha, section IV-C: a queue is at one global master"},
    Param<&sim::ClassParams::backlog>{{1, 1000},
        "With workload.kind = \"classes\": jobs that each class has under way at each frontend. "
        "When one ends, the next comes: demand never ends."},
};

void append_entries(sim::ClassParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
