// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/published.h"

#include <algorithm>

#include "sched/resources.h"
#include "tools/dunlin/screen/text.h"

// Units of the control protocol (ns, MiB, milli-CPU) become those that programs outside expect:
// seconds, bytes, CPUs, and times of ISO 8601. The rule goes by the ends of names, so a new member
// of a reply is published rightly without a line here.
namespace dunlin::cli {
namespace {

std::string without_ending(std::string_view key, std::string_view ending) {
  return std::string(key.substr(0, key.size() - ending.size()));
}

/// A number times `factor`; of percentiles each, but not how many values they are of.
Json scaled(const Json& field, double factor) {
  if (field.is_number_unsigned() && factor >= 1) {
    return field.get<std::uint64_t>() * static_cast<std::uint64_t>(factor);
  }
  if (field.is_number()) return field.get<double>() * factor;
  Json out = Json::object();
  for (const auto& [name, each] : field.items()) {
    out[name] = name == "count" || !each.is_number() ? each : scaled(each, factor);
  }
  return out;
}

/// Beside a member in a unit of the protocol's own, the same in the one that is promised. The first
/// stays: scripts know it.
void publish_beside(const std::string& key, const Json& field, Json& out) {
  if (!field.is_number() && !field.is_object()) return;
  constexpr std::string_view kKib = "_kib";
  if (key == "cpu_peak_milli") {
    out["cpus_peak"] = scaled(field, 1e-3);
  } else if (key == "mib") {
    out["bytes"] = scaled(field, 1 << 20);
  } else if (key.ends_with(kKib)) {
    out[without_ending(key, kKib) + "_bytes_per_s"] = scaled(field, 1024);
  } else if (field.is_number() && std::ranges::count(sched::kRates, key, &sched::Rate::key) > 0) {
    out[key + "_bytes_per_s"] = scaled(field, 1024);
  }
}

void publish_member(const std::string& key, const Json& field, Json& out) {
  const bool number = field.is_number();
  if (number && (key == "at_ns" || key.ends_with("_at_ns"))) {
    const auto at = std::max(as<std::int64_t>(field), std::int64_t{0});
    out[without_ending(key, "_ns")] = at == 0 ? Json() : Json(exact_iso_time(at));
  } else if (number && key.ends_with("_ns")) {
    out[without_ending(key, "_ns") + "_s"] = field.get<double>() / 1e9;
  } else if (number && key.ends_with("_ms")) {
    out[without_ending(key, "_ms") + "_s"] = field.get<double>() / 1e3;
  } else if (number && key.ends_with("_mib_s")) {
    out[without_ending(key, "_mib_s") + "_byte_s"] = field.get<double>() * (1 << 20);
  } else if (number && key == "memory_mib") {
    out["memory_bytes"] = as<std::uint64_t>(field) << 20;
  } else if (number && key == "cpu_milli") {
    out["cpus"] = field.get<double>() / 1000;
  } else {
    out[key] = published(field);
    publish_beside(key, field, out);
  }
}

}  // namespace

Json published(const Json& json) {
  if (json.is_array()) {
    Json out = Json::array();
    for (const Json& item : json) out.push_back(published(item));
    return out;
  }
  if (!json.is_object()) return json;
  Json out = Json::object();
  for (const auto& [key, field] : json.items()) publish_member(key, field, out);
  return out;
}

}  // namespace dunlin::cli
