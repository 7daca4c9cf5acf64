// SPDX-License-Identifier: MIT
#include "web/metrics/metrics_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "node/client/json.h"
#include "node/read_json.h"
#include "web/metrics/metric_table.h"

// The table of metrics, filled in.
namespace dunlin::web {
namespace {

using client::Json;
using client::member;

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

std::string label(std::string_view name, std::string_view value) {
  std::string text(name);
  text += "=\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text + "\"";
}

/// The series of one metric, which begins with the first of them.
class SeriesWriter {
 public:
  SeriesWriter(std::string& out, const Metric& metric) : out_(out), metric_(metric) {}

  /// `of`: the value of the metric's label, if it has one.
  void add(std::string_view of, double value) {
    if (!begun_) {
      begin(out_, metric_.name, is_counter(metric_) ? "counter" : "gauge", metric_.help);
    }
    begun_ = true;
    out_.append(metric_.name);
    if (!metric_.label.empty()) out_.append("{").append(label(metric_.label, of)).append("}");
    out_.append(" ").append(number_text(value)).append("\n");
  }

 private:
  std::string& out_;
  const Metric& metric_;
  bool begun_ = false;
};

std::optional<double> number_in(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

std::optional<double> value_at(const Json& status, const Reading& reading) {
  const Json* at = &status;
  for (const std::string_view step : reading.where) {
    if (step.empty()) break;
    at = member(*at, step);
    if (at == nullptr) return std::nullopt;
  }
  return number_in(*at);
}

void add_readings(SeriesWriter& out, const Metric& metric, const Json& status) {
  for (const Reading& each : all_readings()) {
    if (each.name != metric.name) continue;
    if (const auto value = value_at(status, each)) out.add(each.value, *value * each.scale);
  }
}

void add_counters(SeriesWriter& out, const Metric& metric, const Json& counters) {
  for (const auto& [name, value] : counters.items()) {
    if (metric_of_counter(name) != &metric) continue;
    const std::string_view rest = std::string_view(name).substr(metric.from.size());
    if (const auto number = number_in(value)) out.add(rest, *number);
  }
}

/// Counters of a later agent: their names are words and underlines.
void add_unknown(std::string& out, const Json& counters) {
  for (const auto& [name, value] : counters.items()) {
    const bool plain = std::ranges::all_of(
        name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
    if (metric_of_counter(name) != nullptr || !plain || !value.is_number()) continue;
    const std::string total = "dunlin_" + name + "_total";
    begin(out, total, "counter", "The counter " + name + " of the agent");
    out.append(total).append(" ").append(number_text(value.get<double>())).append("\n");
  }
}

void add_metric(std::string& out, const Metric& metric, const Json& status, const Json& counters) {
  SeriesWriter series(out, metric);
  switch (metric.origin) {
    case Origin::reading:
      return add_readings(series, metric, status);
    case Origin::version:
      return series.add(client::text_of(status, "version"), 1);
    case Origin::state:
      for (const std::string_view state : kStates) {
        series.add(state, client::text_of(status, "state") == state ? 1 : 0);
      }
      return;
    case Origin::store:
      return series.add({}, member(status, "store_error") == nullptr ? 1 : 0);
    case Origin::counter:
    case Origin::family:
      return add_counters(series, metric, counters);
  }
}

}  // namespace

std::string metrics_text(std::string_view text) {
  const Json status = read_json<Json>(text);
  const Json* const told = member(status, "counters");
  const Json counters = told != nullptr && told->is_object() ? *told : Json::object();
  std::string out;
  for (const Metric& metric : all_metrics()) add_metric(out, metric, status, counters);
  add_unknown(out, counters);
  return out;
}

}  // namespace dunlin::web
