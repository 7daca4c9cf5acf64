// SPDX-License-Identifier: MIT
#include "sim/study/summary.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "config/text_table.h"
#include "overlay/param_entries.h"
#include "sim/study/estimate_text.h"
#include "sim/study/scales.h"

namespace dunlin::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr Figure kFigures[] = {
    {"queueing_mean_ms", "/measures/all/queueing_delay_ms/mean",
        "queueing delay of tasks, mean, ms"},
    {"queueing_p50_ms", "/measures/all/queueing_delay_ms/p50",
        "queueing delay of tasks, median, ms"},
    {"queueing_p99_ms", "/measures/all/queueing_delay_ms/p99",
        "queueing delay of tasks, 99th percentile, ms"},
    {"finding_mean_ms", "/measures/all/finding_ms/mean", "time to find a resource, mean, ms"},
    {"finding_p50_ms", "/measures/all/finding_ms/p50", "time to find a resource, median, ms"},
    {"finding_p99_ms", "/measures/all/finding_ms/p99",
        "time to find a resource, 99th percentile, ms"},
    {"job_delay_mean_ms", "/measures/all/job_delay_ms/mean", "delay of jobs, mean, ms"},
    {"job_delay_p50_ms", "/measures/all/job_delay_ms/p50", "delay of jobs, median, ms"},
    {"job_delay_p95_ms", "/measures/all/job_delay_ms/p95", "delay of jobs, 95th percentile, ms"},
    {"job_delay_p99_ms", "/measures/all/job_delay_ms/p99", "delay of jobs, 99th percentile, ms"},
    {"job_completion_mean_ms", "/measures/all/job_completion_ms/mean",
        "completion of jobs, mean, ms"},
    {"job_completion_p50_ms", "/measures/all/job_completion_ms/p50",
        "completion of jobs, median, ms"},
    {"job_completion_p95_ms", "/measures/all/job_completion_ms/p95",
        "completion of jobs, 95th percentile, ms"},
    {"job_completion_p99_ms", "/measures/all/job_completion_ms/p99",
        "completion of jobs, 99th percentile, ms"},
    {"job_response_mean_ms", "/measures/all/job_response_ms/mean", "response of jobs, mean, ms"},
    {"job_slowdown_mean", "/measures/all/job_slowdown/mean", "slowdown of jobs, mean"},
    {"short_completion_p50_ms", "/measures/short/job_completion_ms/p50",
        "completion of short jobs, median, ms"},
    {"short_completion_p95_ms", "/measures/short/job_completion_ms/p95",
        "completion of short jobs, 95th percentile, ms"},
    {"short_completion_p99_ms", "/measures/short/job_completion_ms/p99",
        "completion of short jobs, 99th percentile, ms"},
    {"long_completion_p50_ms", "/measures/long/job_completion_ms/p50",
        "completion of long jobs, median, ms"},
    {"long_completion_p95_ms", "/measures/long/job_completion_ms/p95",
        "completion of long jobs, 95th percentile, ms"},
    {"long_completion_p99_ms", "/measures/long/job_completion_ms/p99",
        "completion of long jobs, 99th percentile, ms"},
    {"free_delay_mean_ms", "/measures/free/job_delay_ms/mean", "delay of free jobs, mean, ms"},
    {"free_delay_p99_ms", "/measures/free/job_delay_ms/p99",
        "delay of free jobs, 99th percentile, ms"},
    {"constrained_delay_mean_ms", "/measures/constrained/job_delay_ms/mean",
        "delay of constrained jobs, mean, ms"},
    {"constrained_delay_p99_ms", "/measures/constrained/job_delay_ms/p99",
        "delay of constrained jobs, 99th percentile, ms"},
    {"constrained_queueing_mean_ms", "/measures/constrained/queueing_delay_ms/mean",
        "queueing delay of constrained jobs, mean, ms"},
    {"fairness_of_slowdown", "/fairness_of_slowdown", "Jain's index of the slowdown of jobs"},
    {"utilisation", "/utilisation", "share of all CPUs that worked"},
    {"messages_per_task", "/messages_per_task", "messages of scheduling per task"},
    {"peer_messages_per_s", "/peers_sent/mean_per_s", "messages per second of a peer"},
    {"busiest_peer_messages_per_s", "/busiest_peer_messages_per_s",
        "messages per second of the busiest peer"},
    {"jobs_unfinished", "/measured_jobs_unfinished", "measured jobs that did not end"},
    {"jobs_left_out", "/jobs_left_out", "jobs that no machine can run"},
    {"share_deviation", "/sharing/deviation", "what classes lack of their shares, together"},
    {"share_error", "/sharing/worst_error", "the worst error of a class, relative to its share"},
    {"share_deviation_over_time", "/sharing/deviation_over_time",
        "what classes lack of their shares at a look, on average"},
    {"load_balance", "/health_at_end/load_balance", "Jain's index of what peers have busy"},
    {"all_in_cells_s", "/sharing/all_in_cells_s", "s until all are in cells"},
    {"one_tree_s", "/sharing/one_tree_s", "s until all are in one tree"},
    {"granted_s", "/sharing/granted_s", "s until all have grants"},
    {"healed_s", "/sharing/healed_s", "s until all are in one tree again, with grants"},
    {"shares_hold_s", "/sharing/shares_hold_s", "s until shares hold again (within .05 in all)"},
    {"shares_back_s", "/sharing/shares_back_s", "s until both"},
    {"busiest_manager_messages_per_s", "/sharing/busiest_manager/messages_per_s",
        "cell messages per second of the busiest peer"},
    {"busiest_manager_bytes_per_s", "/sharing/busiest_manager/bytes_per_s",
        "bytes of cell messages per second of the busiest peer"},
    {"busiest_manager_cpu_ms_per_s", "/cost/cells_cpu_ms_per_s/busiest_manager",
        "CPU time of the busiest peer for cells, ms per second"},
    {"busiest_of_level_0_per_s", "/sharing/busiest_manager/of_level_per_s/0",
        "messages per second of the busiest manager of nodes, about them"},
    {"busiest_of_level_1_per_s", "/sharing/busiest_manager/of_level_per_s/1",
        "messages per second of the busiest manager of cells, about them"},
    {"busiest_of_level_2_per_s", "/sharing/busiest_manager/of_level_per_s/2",
        "messages per second of the busiest manager of cells of cells, about them"},
    {"cell_messages_per_s", "/sharing/peer_messages_per_s", "cell messages per second of a peer"},
    {"peer_cells_cpu_ms_per_s", "/cost/cells_cpu_ms_per_s/peer",
        "CPU time of a peer for cells, ms per second"},
    {"broken_books", "/sharing/broken_looks"},
    {"peak_bytes", "/cost/peak_bytes", "the most memory that the run took, bytes"},
    {"view_size", "/health_at_end/view_size"},
    {"in_degree_deviation", "/health_at_end/in_degree_deviation"},
    {"unreachable", "/health_at_end/unreachable"},
    {"dead_random_links", "/health_at_end/dead_random_links"},
};

std::size_t index_of(std::string_view figure) {
  const auto found = std::ranges::find(kFigures, figure, &Figure::name);
  return static_cast<std::size_t>(found - std::begin(kFigures));
}

/// Figures that depend on the machine are summarised only where a study asks for them. Otherwise
/// the same seeds would not give the same bytes.
bool is_wanted(const Figure& figure, const StudyPlan& plan) {
  return !figure.pointer.starts_with("/cost/") || figure.name == plan.measure ||
      std::ranges::count(plan.also, figure.name) > 0;
}

/// The mean of the quotients of values that belong together.
Estimate multiple_of(const std::vector<double>& values, const std::vector<double>& first) {
  std::vector<double> multiples;
  // If a run lacks the figure, values can no longer be paired by seed.
  if (values.size() != first.size()) return {};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (first[i] == 0) return {};
    multiples.push_back(values[i] / first[i]);
  }
  return estimate_of(multiples);
}

}  // namespace

std::vector<Figure> figures() {
  return {std::begin(kFigures), std::end(kFigures)};
}

Result<Summary> summarize(const Study& study, const std::vector<Trial>& trials) {
  const auto combinations = planned_combinations(study.plan);
  std::vector<std::vector<std::vector<double>>> values(
      combinations.size(), std::vector<std::vector<double>>(std::size(kFigures)));
  for (const Trial& trial : trials) {
    std::ifstream in(trial.output);
    const Json json = Json::parse(in, nullptr, false);
    if (json.is_discarded()) {
      return failure(ErrorKind::corrupt, trial.output + ": no result of a run");
    }
    for (std::size_t i = 0; i < std::size(kFigures); ++i) {
      if (!is_wanted(kFigures[i], study.plan)) continue;
      const Json::json_pointer pointer{std::string(kFigures[i].pointer)};
      if (!json.contains(pointer) || !json.at(pointer).is_number()) continue;
      values[trial.combination][i].push_back(json.at(pointer).get<double>());
    }
  }
  Summary summary;
  std::size_t first = 0;
  for (std::size_t i = 0; i < combinations.size(); ++i) {
    SummaryRow& row = summary.rows.emplace_back();
    row.settings = combinations[i];
    for (const auto& each : values[i]) row.estimates.push_back(estimate_of(each));
    if (i == 0 || row.settings.empty()) continue;
    if (row.settings.front() != combinations[first].front()) first = i;
    if (first == i) continue;
    const std::size_t measure = index_of(study.plan.measure);
    row.vs_first = multiple_of(values[i][measure], values[first][measure]);
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
  for (const Axis& axis : plan.axes) cells.push_back(axis.key);
  for (const auto name : shown) cells.emplace_back(name);
  if (compares)
    cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(plan.axes.size()) + 1, "vs_first");
  auto table = config::TextTable::by_content(cells);
  for (const SummaryRow& row : rows) {
    cells.clear();
    for (const auto& setting : row.settings) cells.push_back(value_of(setting));
    for (const auto name : shown) {
      cells.push_back(text_of(row.estimates[index_of(name)]));
      if (compares && name == shown.front()) cells.push_back(text_of(row.vs_first));
    }
    table.add(cells);
  }
  const std::string text = table.stacked(width, plan.axes.size());
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
  for (const Figure& figure : kFigures) {
    out << ',' << figure.name << ',' << figure.name << "_ci95";
  }
  out << '\n';
  for (const SummaryRow& row : rows) {
    for (const auto& setting : row.settings) out << value_of(setting) << ',';
    out << plan.replications;
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

std::string Summary::json(const Study& study) const {
  Json json = {{"version", DUNLIN_VERSION}, {"title", study.title}, {"scenario", study.text},
      {"settings", study.settings}, {"replications", study.plan.replications},
      {"rows", Json::array()}};
  for (const SummaryRow& row : rows) {
    Json cells = Json::object();
    for (std::size_t i = 0; i < row.estimates.size(); ++i) {
      const Estimate& estimate = row.estimates[i];
      if (estimate.count == 0) continue;
      cells[std::string(kFigures[i].name)] = {
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
