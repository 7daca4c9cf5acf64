// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/published.h"

#include <algorithm>

#include "tools/dunlin/screen/text.h"

// Units of the control protocol (ns, MiB, milli-CPU) become those that programs outside expect:
// seconds, bytes, CPUs, and times of ISO 8601. The rule goes by the ends of names, so a new member
// of a reply is published rightly without a line here.
namespace dunlin::cli {
namespace {

std::string without_ending(std::string_view key, std::string_view ending) {
  return std::string(key.substr(0, key.size() - ending.size()));
}

void publish_member(const std::string& key, const Json& field, Json& out) {
  const bool number = field.is_number();
  if (number && (key == "at_ns" || key.ends_with("_at_ns"))) {
    const auto at = std::max(as<std::int64_t>(field), std::int64_t{0});
    out[without_ending(key, "_ns")] = at == 0 ? Json() : Json(exact_iso_time(at));
  } else if (number && key.ends_with("_ns")) {
    out[without_ending(key, "_ns") + "_s"] = field.get<double>() / 1e9;
  } else if (number && key == "memory_mib") {
    out["memory_bytes"] = as<std::uint64_t>(field) << 20;
  } else if (number && key == "cpu_milli") {
    out["cpus"] = field.get<double>() / 1000;
  } else {
    out[key] = published(field);
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
