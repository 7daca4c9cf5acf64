// SPDX-License-Identifier: MIT
#include "web/metrics/board.h"

#include <string_view>

#include "node/client/json.h"

// Grafana reads a board as one JSON document. A new metric is a new panel without a line here; a
// panel has a place on a grid of 24 columns, and every part of the board begins with a row.
namespace dunlin::web {
namespace {

using client::Json;

/// Nodes in one panel, of a metric that is not summed up.
constexpr int kLinesMax = 10;
constexpr int kGridWidth = 24;
constexpr int kPanelWidth = 8;
constexpr int kPanelHeight = 7;

/// Each panel asks the Prometheus that the reader chose.
Json source() {
  return {{"type", "prometheus"}, {"uid", "${datasource}"}};
}

Json target(const std::string& query, const std::string& legend) {
  return {{"refId", "A"}, {"datasource", source()}, {"expr", query}, {"legendFormat", legend}};
}

/// Gives panels their places: from the left to the right, and then down.
class BoardGrid {
 public:
  explicit BoardGrid(Json& panels) : panels_(panels) {}

  void add_row(std::string_view title) {
    if (x_ > 0) y_ += kPanelHeight;
    x_ = 0;
    put({{"type", "row"}, {"title", title}, {"collapsed", false}, {"panels", Json::array()}},
        kGridWidth, 1);
    y_ += 1;
    x_ = 0;
  }
  void add_panel(Json panel, int width) {
    if (x_ + width > kGridWidth) {
      x_ = 0;
      y_ += kPanelHeight;
    }
    panel["datasource"] = source();
    put(std::move(panel), width, kPanelHeight);
  }

 private:
  void put(Json panel, int width, int height) {
    panel["id"] = ++last_;
    panel["gridPos"] = {{"x", x_}, {"y", y_}, {"w", width}, {"h", height}};
    panels_.push_back(std::move(panel));
    x_ += width;
  }

  Json& panels_;
  int last_ = 0;
  int x_ = 0;
  int y_ = 0;
};

std::string_view unit_of(const Metric& metric) {
  if (!is_counter(metric)) return metric.unit;
  return metric.unit == "bytes" ? "Bps" : "cps";
}

std::string about(const Metric& metric) {
  std::string text(metric.help);
  if (is_counter(metric)) text += ", a second";
  if (metric.gather == Gather::sum || !metric.label.empty()) return text + ".";
  const std::string which = metric.gather == Gather::highest ? "highest" : "lowest";
  return text + ". The " + std::to_string(kLinesMax) + " nodes where it is " + which + ".";
}

/// "dunlin_cpu_cores" as "Cpu cores".
std::string title_of(const Metric& metric) {
  std::string title(metric.name.substr(metric.name.find('_') + 1));
  if (title.ends_with("_total")) title.resize(title.size() - std::string_view("_total").size());
  for (char& c : title) {
    if (c == '_') c = ' ';
  }
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

Json panel_of(const Metric& metric) {
  return {{"type", "timeseries"}, {"title", title_of(metric)}, {"description", about(metric)},
      {"fieldConfig",
          {{"defaults", {{"unit", unit_of(metric)}, {"min", 0}}}, {"overrides", Json::array()}}},
      {"options",
          {{"legend", {{"displayMode", "list"}, {"placement", "bottom"}, {"showLegend", true}}},
              {"tooltip", {{"mode", "multi"}, {"sort", "desc"}}}}},
      {"targets", {target(board_query(metric), board_legend(metric))}}};
}

/// What fires now, by the rules of alert_rules.h.
Json alarms_panel() {
  Json asked =
      target(R"(ALERTS{alertname=~"Dunlin.*", alertstate="firing"})", "{{alertname}} {{instance}}");
  asked["instant"] = true;
  asked["format"] = "table";
  return {{"type", "table"}, {"title", "Alarms"},
      {"description", "What the rules of `dunlin metrics --alerts` say at this moment."},
      {"fieldConfig", {{"defaults", Json::object()}, {"overrides", Json::array()}}},
      {"transformations",
          {{{"id", "organize"},
              {"options",
                  {{"excludeByName",
                      {{"Time", true}, {"Value", true}, {"__name__", true}, {"alertstate", true},
                          {"job", true}}}}}}}},
      {"targets", {std::move(asked)}}};
}

Json variables() {
  const Json chosen = {{"selected", true}, {"text", "All"}, {"value", "$__all"}};
  return {{{"name", "datasource"}, {"label", "Prometheus"}, {"type", "datasource"},
              {"query", "prometheus"}, {"hide", 0}},
      {{"name", "instance"}, {"label", "Node"}, {"type", "query"}, {"datasource", source()},
          {"query",
              {{"query", "label_values(dunlin_build_info, instance)"}, {"refId", "instance"}}},
          {"refresh", 2}, {"sort", 1}, {"includeAll", true}, {"allValue", ".*"}, {"multi", true},
          {"current", chosen}, {"hide", 0}}};
}

}  // namespace

std::string board_query(const Metric& metric) {
  const std::string_view chosen = R"({instance=~"$instance"})";
  std::string series = std::string(metric.name).append(chosen);
  if (is_counter(metric)) series = "rate(" + series + "[$__rate_interval])";
  const bool lines = metric.label.empty() && metric.gather != Gather::sum;
  if (lines) {
    const std::string pick = metric.gather == Gather::highest ? "topk" : "bottomk";
    return pick + "(" + std::to_string(kLinesMax) + ", " + series + ")";
  }
  const std::string fold = metric.gather == Gather::sum ? "sum"
      : metric.gather == Gather::highest                ? "max"
                                                        : "min";
  if (metric.label.empty()) return fold + "(" + series + ")";
  return fold + " by (" + std::string(metric.label) + ") (" + series + ")";
}

std::string board_legend(const Metric& metric) {
  if (!metric.label.empty()) return "{{" + std::string(metric.label) + "}}";
  return metric.gather == Gather::sum ? title_of(metric) : "{{instance}}";
}

std::string board_text() {
  Json panels = Json::array();
  BoardGrid grid(panels);
  grid.add_row("Alarms");
  grid.add_panel(alarms_panel(), kGridWidth);
  std::string_view part;
  for (const Metric& metric : all_metrics()) {
    if (metric.part != part) grid.add_row(metric.part);
    part = metric.part;
    grid.add_panel(panel_of(metric), kPanelWidth);
  }
  const Json board = {{"title", "Dunlin"}, {"uid", "dunlin"}, {"tags", {"dunlin"}},
      {"description", "Printed by `dunlin metrics --grafana` of Dunlin " DUNLIN_VERSION "."},
      {"editable", true}, {"graphTooltip", 1}, {"schemaVersion", 37}, {"version", 1},
      {"refresh", "30s"}, {"time", {{"from", "now-6h"}, {"to", "now"}}}, {"timezone", "browser"},
      {"templating", {{"list", variables()}}}, {"panels", std::move(panels)}};
  return board.dump(2) + "\n";
}

}  // namespace dunlin::web
