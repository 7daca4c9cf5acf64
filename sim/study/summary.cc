// SPDX-License-Identifier: MIT
#include "sim/study/summary.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "config/text_table.h"
#include "overlay/param_entries.h"
#include "sim/study/estimate_text.h"
#include "sim/study/scales.h"

// All runs of a study become one table: a row for each combination of the axes, with the mean of
// each figure over its runs and the half of its 95 % interval. Rows are compared run by run,
// because runs of one number have the same jobs and machines in each row: what they have in common
// falls out of the difference. A moment that never came (censored) is neither left out nor guessed:
// it is counted.
namespace dunlin::sim {
namespace {

/// Figures that count measured jobs which other figures do not tell of.
constexpr std::string_view kJobsMissing[] = {
    "jobs_refused", "jobs_unfinished", "jobs_lost", "jobs_held"};

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

/// What the JSON of a run says at a place. Where null stands there is nothing to take it of, but
/// where the object has another `censored` that says how long it was waited for.
Reading reading_of(const Json& json, const std::string& place) {
  const Json::json_pointer pointer{place};
  if (!json.contains(pointer)) return {};
  const Json& value = json.at(pointer);
  if (value.is_number()) return Reading::of(value.get<double>());
  if (!value.is_null()) return {};
  const Json::json_pointer after = pointer.parent_pointer() / "censored" / pointer.back();
  return json.contains(after) ? Reading::censored(json.at(after).get<double>()) : Reading::empty();
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
      .figures = std::vector<Reading>(figures().size())};
  for (std::size_t i = 0; i < figures().size(); ++i) {
    if (!is_wanted(figures()[i], plan)) continue;
    read.figures[i] = reading_of(json, std::string(figures()[i].pointer));
  }
  return read;
}

/// A figure of a row, by the number of the run.
std::map<std::uint64_t, double> values_of(
    const Summary& summary, std::size_t row, std::size_t measure) {
  // By run: runs of one number share all chance, whatever their row.
  std::map<std::uint64_t, double> values;
  for (const Replication& each : summary.replications) {
    const Reading& reading = each.figures[measure];
    if (each.row == row && reading.is_known()) values[each.run] = reading.value();
  }
  return values;
}

/// The mean of a figure over some runs.
Estimate mean_of(const std::vector<const Replication*>& runs, std::size_t measure) {
  std::vector<Reading> readings;
  for (const Replication* const each : runs) readings.push_back(each->figures[measure]);
  return estimate_of(readings);
}

/// The values of a figure in each run that two rows have in common. None if it never came in some
/// run of either: those in which it came are no fair part of them.
std::vector<std::pair<double, double>> pairs_of(
    const Summary& summary, std::size_t i, std::size_t other, std::size_t measure) {
  const auto& rows = summary.rows;
  if (rows[i].estimates[measure].censored + rows[other].estimates[measure].censored > 0) return {};
  std::vector<std::pair<double, double>> pairs;
  const auto others = values_of(summary, other, measure);
  for (const auto& [run, value] : values_of(summary, i, measure)) {
    const auto found = others.find(run);
    if (found != others.end()) pairs.emplace_back(value, found->second);
  }
  return pairs;
}

/// True if figures of jobs in this run are over a part of them.
bool is_partial(const Replication& run) {
  return std::ranges::any_of(kJobsMissing, [&](std::string_view name) {
    const Reading& reading = run.figures[figure_index(name)];
    return reading.is_known() && reading.value() > 0;
  });
}

/// True if the figure is one of the times of jobs.
bool is_of_jobs(const Figure& figure) {
  return figure.pointer.starts_with("/measures/") || figure.pointer.starts_with("/whole_jobs/");
}

/// How a row compares with the one it is held against. A moment that did not come in each run is
/// compared by the share of those in which it came.
std::string comparison_text(const Summary& summary, std::size_t i, std::size_t measure) {
  const SummaryRow& row = summary.rows[i];
  if (row.compared_with == i) return "-";
  const Estimate& its = row.estimates[measure];
  const Estimate& first = summary.rows[row.compared_with].estimates[measure];
  if (its.censored + first.censored == 0) return text_of(row.vs_first);
  const auto part = [](const Estimate& estimate) {
    return std::to_string(estimate.came()) + "/" + std::to_string(estimate.runs);
  };
  return part(its) + " against " + part(first);
}

/// How many trials of a row ran: "3", or, with a mark, "2 of 3 !".
std::string ran_text(const SummaryRow& row) {
  const std::string ran = std::to_string(row.ran);
  return row.missing == 0 ? ran : ran + " of " + std::to_string(row.ran + row.missing) + " !";
}

/// What is said below a table.
std::string notes_of(const StudyPlan& plan, bool compares, bool marks, bool misses) {
  std::string text;
  if (misses) {
    text += "\n!: trials of this row failed, or did not run; its figures are of the others\n";
  }
  if (compares) {
    text += "\nvs_first: " + plan.measure +
        " as a multiple of that in the first row with the same " + plan.axes.front().key +
        ": the ratio of their means, its interval by the jackknife\n";
  }
  if (marks) {
    text +=
        "\n*: of the measured jobs that ended; others were refused, lost, held back, or did not "
        "end\n";
  }
  return text;
}

Json json_of(const Estimate& estimate) {
  Json json = {
      {"mean", nullptr}, {"ci95", nullptr}, {"count", estimate.count}, {"runs", estimate.runs}};
  if (estimate.count > 0) {
    json["mean"] = estimate.mean;
    json["ci95"] = estimate.half_width;
  }
  if (estimate.censored == 0) return json;
  json["censored"] = estimate.censored;
  json["median"] = nullptr;
  if (estimate.median) json["median"] = *estimate.median;
  return json;
}

}  // namespace

Estimate paired_difference(
    const Summary& summary, std::size_t i, std::size_t other, std::size_t measure) {
  std::vector<double> differences;
  for (const auto& [value, first] : pairs_of(summary, i, other, measure)) {
    differences.push_back(value - first);
  }
  return estimate_of(differences);
}

Estimate paired_multiple(
    const Summary& summary, std::size_t i, std::size_t other, std::size_t measure) {
  return ratio_of_means(pairs_of(summary, i, other, measure));
}

Result<Summary> summarize(const Study& study, const std::vector<Trial>& trials) {
  Summary summary;
  for (const Trial& trial : trials) {
    auto read = read_run(trial, study.plan);
    if (!read) return tl::unexpected(read.error());
    summary.replications.push_back(*std::move(read));
  }
  // In the order of the plan, not of the runs, which end in any order.
  const auto combinations = planned_combinations(study.plan);
  std::vector<std::vector<const Replication*>> runs(combinations.size());
  for (const Replication& each : summary.replications) runs[each.row].push_back(&each);
  std::size_t first = 0;
  for (std::size_t i = 0; i < combinations.size(); ++i) {
    SummaryRow& row = summary.rows.emplace_back();
    row.settings = combinations[i];
    row.ran = runs[i].size();
    for (std::size_t figure = 0; figure < figures().size(); ++figure) {
      row.estimates.push_back(mean_of(runs[i], figure));
    }
    row.partial = std::ranges::any_of(runs[i], [](const auto* run) { return is_partial(*run); });
    // Rows are held against the first one with the same value of the first axis: of one load, say.
    const bool along = !row.settings.empty() && row.settings.front() == combinations[first].front();
    if (!along) first = i;
    row.compared_with = first;
    if (first != i)
      row.vs_first = paired_multiple(summary, i, first, figure_index(study.plan.measure));
  }
  return summary;
}

Result<Summary> summarize_done(const Study& study, const std::vector<Trial>& trials) {
  std::vector<Trial> done;
  std::ranges::copy_if(trials, std::back_inserter(done), is_done);
  // Rows of which no trial ran stay, without figures: they are part of the plan.
  auto summary = summarize(study, done);
  if (!summary) return summary;
  for (const Trial& trial : trials) ++summary->rows[trial.combination].missing;
  for (SummaryRow& row : summary->rows) row.missing -= row.ran;
  return summary;
}

std::string Summary::table(const StudyPlan& plan, std::size_t width) const {
  std::vector<std::string_view> shown = {plan.measure};
  shown.insert(shown.end(), plan.also.begin(), plan.also.end());
  for (const std::string_view name :
      {"queueing_mean_ms", "job_delay_p99_ms", "utilisation", "messages_per_task"}) {
    if (plan.also.empty() && name != plan.measure) shown.push_back(name);
  }
  // Never asked for, and never left out: a scheduler that refuses the long jobs looks fast.
  for (const std::string_view name : kJobsMissing) {
    const std::size_t figure = figure_index(name);
    const bool any =
        std::ranges::any_of(rows, [&](const auto& row) { return row.estimates[figure].mean > 0; });
    if (any && std::ranges::find(shown, name) == shown.end()) shown.push_back(name);
  }
  const std::size_t measure = figure_index(plan.measure);
  const bool compares = std::ranges::any_of(rows, [&](const auto& row) {
    const bool censored = row.estimates[measure].censored > 0;
    return row.vs_first.count > 0 || (censored && rows.size() > 1);
  });
  std::vector<std::string> cells;
  cells.reserve(plan.axes.size() + shown.size() + 2);
  for (const Axis& axis : plan.axes) cells.push_back(axis.key);
  const bool misses = std::ranges::any_of(rows, [](const auto& row) { return row.missing > 0; });
  if (misses) cells.emplace_back("ran");
  const std::size_t fixed = cells.size();
  for (const auto name : shown) cells.emplace_back(name);
  if (compares) cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(fixed) + 1, "vs_first");
  auto table = config::TextTable::by_content(cells);
  bool marks = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SummaryRow& row = rows[i];
    cells.clear();
    for (const auto& setting : row.settings) cells.push_back(value_of(setting));
    if (misses) cells.push_back(ran_text(row));
    for (const auto name : shown) {
      const std::size_t figure = figure_index(name);
      const bool part = row.partial && is_of_jobs(figures()[figure]);
      marks = marks || part;
      cells.push_back(text_of(row.estimates[figure]) + (part ? " *" : ""));
      if (compares && name == shown.front()) cells.push_back(comparison_text(*this, i, measure));
    }
    table.add(cells);
  }
  return table.stacked(width, fixed) + notes_of(plan, compares, marks, misses);
}

std::string Summary::csv(const StudyPlan& plan) const {
  std::ostringstream out;
  // Enough to compute with, and the same on every machine.
  out.precision(12);
  for (const Axis& axis : plan.axes) out << axis.key << ',';
  out << "replications";
  for (const Figure& figure : figures()) {
    out << ',' << figure.name << ',' << figure.name << "_ci95," << figure.name << "_n,"
        << figure.name << "_never";
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
      // Two counts: of the runs that have it, and of those that ended before it came.
      out << ',' << (estimate.censored > 0 ? estimate.came() : estimate.count) << ','
          << estimate.censored;
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
      const Reading& reading = each.figures[i];
      if (reading.is_unknown()) continue;
      out << settings << each.seed << ',' << each.run << ',' << figures()[i].name << ',';
      if (reading.is_known()) out << reading.value();
      if (reading.is_censored()) out << '>' << reading.after();
      out << '\n';
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
      if (estimate.runs == 0) continue;
      cells[std::string(figures()[i].name)] = json_of(estimate);
    }
    Json& added = json["rows"].emplace_back();
    added = {{"settings", row.settings}, {"figures", cells}};
    if (row.vs_first.count == 0) continue;
    added["vs_first"] = json_of(row.vs_first);
  }
  return json.dump(2) + "\n";
}

}  // namespace dunlin::sim
