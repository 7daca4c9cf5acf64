// SPDX-License-Identifier: MIT
#include "web/gateway/metrics_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "node/client/json.h"
#include "node/read_json.h"

// One table of what is told, and under which name. docs/guide/web.md shows the same table, which a
// test holds equal.
namespace dunlin::web {
namespace {

using client::Json;
using client::member;

/// A number of the status, by the names of its members from the outside in.
struct Gauge {
  std::string_view name;
  std::string_view labels;  ///< As they are written, or empty.
  std::array<std::string_view, 2> where;
  double scale = 1;
  std::string_view help;  ///< Empty: of the one before.
};

constexpr double kMiB = 1'048'576;
constexpr Gauge kGauges[] = {
    {"dunlin_uptime_seconds", "", {"uptime_ns"}, 1e-9, "Since the agent was started"},
    {"dunlin_tasks_running", "", {"running"}, 1, "Tasks that run on this node"},
    {"dunlin_reservations_queued", "", {"queued"}, 1, "Reservations that wait on this node"},
    {"dunlin_jobs_unfinished", "", {"jobs"}, 1, "Jobs that this node drives"},
    {"dunlin_output_bytes", "", {"output_bytes"}, 1, "Output of tasks that is kept"},
    {"dunlin_slots", "state=\"available\"", {"slots", "available"}, 1, "Slots by their state"},
    {"dunlin_slots", "state=\"occupied\"", {"slots", "occupied"}, 1, ""},
    {"dunlin_slots", "state=\"busy\"", {"slots", "busy"}, 1, ""},
    {"dunlin_slots", "state=\"down\"", {"slots", "down"}, 1, ""},
    {"dunlin_cpu_cores", "kind=\"offered\"", {"total", "cpu_milli"}, 1e-3, "CPUs for tasks"},
    {"dunlin_cpu_cores", "kind=\"free\"", {"free", "cpu_milli"}, 1e-3, ""},
    {"dunlin_memory_bytes", "kind=\"offered\"", {"total", "memory_mib"}, kMiB, "Memory for tasks"},
    {"dunlin_memory_bytes", "kind=\"free\"", {"free", "memory_mib"}, kMiB, ""},
};

/// Counters that are one series of a family, by the begin of their names.
struct Family {
  std::string_view name;
  std::string_view label;
  std::string_view prefix;  ///< Of the counter; what follows is the label's value.
  std::string_view help;
};
constexpr Family kFamilies[] = {
    {"dunlin_events_total", "event", "event_", "What happened at this agent, by event"},
    {"dunlin_dropped_total", "reason", "dropped_", "Datagrams that were dropped, by reason"},
    {"dunlin_datagrams_total", "direction", "datagrams_", "Datagrams of gossip"},
    {"dunlin_datagram_bytes_total", "direction", "datagram_bytes_", "Bytes of datagrams"},
    {"dunlin_messages_total", "direction", "messages_", "Messages between nodes"},
    {"dunlin_streams_total", "what", "streams_", "Streams between nodes"},
    {"dunlin_stream_bytes_total", "direction", "stream_bytes_", "Bytes of streams"},
    {"dunlin_cell_total", "what", "cell_", "Messages and questions of cells"},
};

constexpr std::array<std::string_view, 4> kStates = {"up", "draining", "sick", "stopping"};

std::string number_text(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.15g", value);
  return text.data();
}

void begin(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out.append("# HELP ").append(name).append(" ").append(help).append("\n");
  out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void add(std::string& out, std::string_view name, std::string_view labels, double value) {
  out.append(name);
  if (!labels.empty()) out.append("{").append(labels).append("}");
  out.append(" ").append(number_text(value)).append("\n");
}

std::string label(std::string_view name, std::string_view value) {
  std::string text(name);
  text += "=\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text + "\"";
}

double value_at(const Json& status, const std::array<std::string_view, 2>& where) {
  const Json* at = &status;
  for (const std::string_view step : where) {
    if (step.empty()) break;
    at = member(*at, step);
    if (at == nullptr) return 0;
  }
  return at->is_number() ? at->get<double>() : 0;
}

const Family* family_of(std::string_view counter) {
  const auto found = std::ranges::find_if(
      kFamilies, [counter](const Family& each) { return counter.starts_with(each.prefix); });
  return found == std::end(kFamilies) ? nullptr : found;
}

void add_counters(std::string& out, const Json& counters) {
  const auto value_of = [](const Json& value) {
    return value.is_number() ? value.get<double>() : 0.0;
  };
  for (const Family& family : kFamilies) {
    bool begun = false;
    for (const auto& [name, value] : counters.items()) {
      if (family_of(name) != &family) continue;
      if (!begun) begin(out, family.name, "counter", family.help);
      begun = true;
      add(out, family.name,
          label(family.label, std::string_view(name).substr(family.prefix.size())),
          value_of(value));
    }
  }
  // Counters of a later agent, too: their names are words and underlines.
  for (const auto& [name, value] : counters.items()) {
    const bool plain = std::ranges::all_of(
        name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
    if (family_of(name) != nullptr || !plain) continue;
    const std::string total = "dunlin_" + name + "_total";
    begin(out, total, "counter", "The counter " + name + " of the agent");
    add(out, total, "", value_of(value));
  }
}

}  // namespace

std::string metrics_text(std::string_view text) {
  const Json status = read_json<Json>(text);
  std::string out;
  begin(out, "dunlin_build_info", "gauge", "The version of the agent");
  add(out, "dunlin_build_info", label("version", client::text_of(status, "version")), 1);
  for (const Gauge& gauge : kGauges) {
    if (!gauge.help.empty()) begin(out, gauge.name, "gauge", gauge.help);
    add(out, gauge.name, gauge.labels, value_at(status, gauge.where) * gauge.scale);
  }
  begin(out, "dunlin_node_state", "gauge", "1 of the state that the node is in");
  for (const std::string_view state : kStates) {
    const bool is_it = client::text_of(status, "state") == state;
    add(out, "dunlin_node_state", label("state", state), is_it ? 1 : 0);
  }
  begin(out, "dunlin_store_ok", "gauge", "1 if the agent can write its records");
  add(out, "dunlin_store_ok", "", member(status, "store_error") == nullptr ? 1 : 0);
  const Json* const counters = member(status, "counters");
  if (counters != nullptr && counters->is_object()) add_counters(out, *counters);
  return out;
}

}  // namespace dunlin::web
