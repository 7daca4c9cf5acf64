// SPDX-License-Identifier: MIT
#include "sim/study/summary.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "config/text_table.h"
#include "overlay/param_entries.h"
#include "sim/study/estimate_text.h"
#include "sim/study/scales.h"

namespace dunlin::sim {
namespace {

using Json = nlohmann::ordered_json;

/// A cell of a CSV file: quoted if it must be.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

/// Figures that depend on the machine are summarised only where a study asks for them. Otherwise
/// the same seeds would not give the same bytes.
bool is_wanted(const Figure& figure, const StudyPlan& plan) {
  return !figure.pointer.starts_with("/cost/") || figure.name == plan.measure ||
      std::ranges::count(plan.also, figure.name) > 0;
}

/// The figures of a run; those that the sweep does not ask for are left out.
Result<Replication> read_run(const Trial& trial, const StudyPlan& plan) {
  std::ifstream in(trial.output);
  const Json json = Json::parse(in, nullptr, false);
  if (json.is_discarded()) {
    return failure(ErrorKind::corrupt, trial.output + ": no result of a run");
  }
  Replication read{.row = trial.combination,
      .seed = json.value("seed", std::uint64_t{0}),
      .run = trial.run,
      .figures = std::vector<std::optional<double>>(figures().size())};
  for (std::size_t i = 0; i < figures().size(); ++i) {
    if (!is_wanted(figures()[i], plan)) continue;
    const Json::json_pointer pointer{std::string(figures()[i].pointer)};
    if (!json.contains(pointer) || !json.at(pointer).is_number()) continue;
    read.figures[i] = json.at(pointer).get<double>();
  }
  return read;
}

/// A figure of a row, by the number of the run.
std::map<std::uint64_t, double> values_of(
    const Summary& summary, std::size_t row, std::size_t measure) {
  std::map<std::uint64_t, double> values;
  for (const Replication& each : summary.replications) {
    if (each.row == row && each.figures[measure]) values[each.run] = *each.figures[measure];
  }
  return values;
}

/// The mean of a figure over some runs.
Estimate mean_of(const std::vector<const Replication*>& runs, std::size_t measure) {
  std::vector<double> values;
  for (const Replication* const each : runs) {
    if (each->figures[measure]) values.push_back(*each->figures[measure]);
  }
  return estimate_of(values);
}

/// Calls `visit(value, other)` for each run that two rows have in common.
void for_each_pair(const Summary& summary,
    std::size_t i,
    std::size_t other,
    std::size_t measure,
    const std::function<void(double value, double other)>& visit) {
  const auto others = values_of(summary, other, measure);
  for (const auto& [run, value] : values_of(summary, i, measure)) {
    if (const auto found = others.find(run); found != others.end()) visit(value, found->second);
  }
}

}  // namespace

Estimate paired_difference(
    const Summary& summary, std::size_t i, std::size_t other, std::size_t measure) {
  std::vector<double> differences;
  for_each_pair(summary, i, other, measure,
      [&](double value, double first) { differences.push_back(value - first); });
  return estimate_of(differences);
}

Estimate paired_multiple(
    const Summary& summary, std::size_t i, std::size_t other, std::size_t measure) {
  std::vector<double> multiples;
  bool divides = true;
  for_each_pair(summary, i, other, measure, [&](double value, double first) {
    divides = divides && first != 0;
    if (divides) multiples.push_back(value / first);
  });
  return divides ? estimate_of(multiples) : Estimate{};
}

Result<Summary> summarize(const Study& study, const std::vector<Trial>& trials) {
  Summary summary;
  for (const Trial& trial : trials) {
    auto read = read_run(trial, study.plan);
    if (!read) return tl::unexpected(read.error());
    summary.replications.push_back(*std::move(read));
  }
  const auto combinations = planned_combinations(study.plan);
  std::vector<std::vector<const Replication*>> runs(combinations.size());
  for (const Replication& each : summary.replications) runs[each.row].push_back(&each);
  std::size_t first = 0;
  for (std::size_t i = 0; i < combinations.size(); ++i) {
    SummaryRow& row = summary.rows.emplace_back();
    row.settings = combinations[i];
    for (std::size_t figure = 0; figure < figures().size(); ++figure) {
      row.estimates.push_back(mean_of(runs[i], figure));
    }
    const bool along = !row.settings.empty() && row.settings.front() == combinations[first].front();
    if (!along) first = i;
    row.compared_with = first;
    if (first != i)
      row.vs_first = paired_multiple(summary, i, first, figure_index(study.plan.measure));
  }
  return summary;
}

std::string Summary::table(const StudyPlan& plan, std::size_t width) const {
  std::vector<std::string_view> shown = {plan.measure};
  shown.insert(shown.end(), plan.also.begin(), plan.also.end());
  for (const std::string_view name :
      {"queueing_mean_ms", "job_delay_p99_ms", "utilisation", "messages_per_task"}) {
    if (plan.also.empty() && name != plan.measure) shown.push_back(name);
  }
  const bool compares =
      std::ranges::any_of(rows, [](const auto& row) { return row.vs_first.count > 0; });
  std::vector<std::string> cells;
  cells.reserve(plan.axes.size() + shown.size() + 1);
  for (const Axis& axis : plan.axes) cells.push_back(axis.key);
  for (const auto name : shown) cells.emplace_back(name);
  if (compares)
    cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(plan.axes.size()) + 1, "vs_first");
  auto table = config::TextTable::by_content(cells);
  for (const SummaryRow& row : rows) {
    cells.clear();
    for (const auto& setting : row.settings) cells.push_back(value_of(setting));
    for (const auto name : shown) {
      cells.push_back(text_of(row.estimates[figure_index(name)]));
      if (compares && name == shown.front()) cells.push_back(text_of(row.vs_first));
    }
    table.add(cells);
  }
  std::string text = table.stacked(width, plan.axes.size());
  if (!compares) return text;
  return text + "\nvs_first: " + plan.measure +
      " as a multiple of that in the first row with the same " + plan.axes.front().key +
      ", run by run\n";
}

std::string Summary::csv(const StudyPlan& plan) const {
  std::ostringstream out;
  out.precision(12);
  for (const Axis& axis : plan.axes) out << axis.key << ',';
  out << "replications";
  for (const Figure& figure : figures()) {
    out << ',' << figure.name << ',' << figure.name << "_ci95";
  }
  out << '\n';
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SummaryRow& row = rows[i];
    for (const auto& setting : row.settings) out << value_of(setting) << ',';
    out << std::ranges::count(replications, i, &Replication::row);
    for (const Estimate& estimate : row.estimates) {
      if (estimate.count == 0)
        out << ",,";
      else
        out << ',' << estimate.mean << ',' << estimate.half_width;
    }
    out << '\n';
  }
  return out.str();
}

std::string Summary::tidy_csv(const StudyPlan& plan) const {
  std::ostringstream out;
  out.precision(12);
  for (const Axis& axis : plan.axes) out << csv_cell(axis.key) << ',';
  out << "seed,run,figure,value\n";
  for (const Replication& each : replications) {
    std::string settings;
    for (const auto& setting : rows[each.row].settings)
      settings += csv_cell(value_of(setting)) + ',';
    for (std::size_t i = 0; i < figures().size(); ++i) {
      if (!each.figures[i]) continue;
      out << settings << each.seed << ',' << each.run << ',' << figures()[i].name << ','
          << *each.figures[i] << '\n';
    }
  }
  return out.str();
}

std::string Summary::json(const Study& study) const {
  Json json = {{"version", DUNLIN_VERSION}, {"title", study.title}, {"scenario", study.text},
      {"settings", study.settings}, {"replications", study.plan.replications},
      {"rows", Json::array()}};
  for (const SummaryRow& row : rows) {
    Json cells = Json::object();
    for (std::size_t i = 0; i < row.estimates.size(); ++i) {
      const Estimate& estimate = row.estimates[i];
      if (estimate.count == 0) continue;
      cells[std::string(figures()[i].name)] = {
          {"mean", estimate.mean}, {"ci95", estimate.half_width}, {"count", estimate.count}};
    }
    Json& added = json["rows"].emplace_back();
    added = {{"settings", row.settings}, {"figures", cells}};
    if (row.vs_first.count == 0) continue;
    added["vs_first"] = {{"mean", row.vs_first.mean}, {"ci95", row.vs_first.half_width},
        {"count", row.vs_first.count}};
  }
  return json.dump(2) + "\n";
}

}  // namespace dunlin::sim
