// SPDX-License-Identifier: MIT
#include "sim/report/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <sstream>

#include "config/percentile.h"

// A mean says nothing of the jobs that pay for it. So runs are compared job by job: how many take
// longer than under the other scheduler, and by how much. Source: Grandl 2014, slide 21, which
// shows the mean slowdown of those that are slowed.
namespace dunlin::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kPercentiles = {5.0, 25.0, 50.0, 75.0, 95.0};

struct Job {
  double completion = 0;  ///< ms.
  double submitted = 0;   ///< ms.
  std::uint64_t tasks = 0;
};

struct Run {
  std::map<std::uint64_t, Job> jobs;  ///< By key.
  std::optional<double> makespan;     ///< ms.
  Json parameters;

  std::vector<double> completions() const {
    std::vector<double> sorted;
    for (const auto& [key, job] : jobs) sorted.push_back(job.completion);
    std::ranges::sort(sorted);
    return sorted;
  }
};

Result<Run> read_run_of(const std::string& file) {
  std::ifstream in(file);
  const Json json = Json::parse(in, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("measures")) {
    return failure(ErrorKind::corrupt, file + ": no result of a run: write one with `run --json`");
  }
  // Files of workloads without whole jobs have no such part: told below as an error, with its cure.
  const Json whole = json.value("whole_jobs", Json::object());
  Run run{.jobs = {}, .makespan = {}, .parameters = json.value("parameters", Json::object())};
  const auto makespan = whole.find("makespan_ms");
  if (makespan != whole.end() && makespan->is_number()) run.makespan = makespan->get<double>();
  for (const Json& each : whole.value("records", Json::array())) {
    run.jobs[each.value("key", std::uint64_t{0})] = {.completion = each.value("completion_ms", 0.0),
        .submitted = each.value("submitted_ms", 0.0),
        .tasks = each.value("tasks", std::uint64_t{0})};
  }
  if (run.jobs.empty()) {
    return failure(ErrorKind::usage,
        file +
            ": it lists no whole job: run it with --set measures.job_records=100000, and a "
            "workload of whole jobs such as mapreduce");
  }
  return run;
}

/// True if the parameter says which jobs come, and when: not where a trace lies, nor what
/// schedulers are told of a job.
bool chooses_jobs(const std::string& section, const std::string& name) {
  if (section == "trace") return name != "data" && name != "strict";
  if (section == "workload") return name != "estimates";
  if (section == "simulation") return name != "drain";
  return section == "mapreduce" || section == "classes";
}

/// "simulation.seed is 1 and 2", for each parameter of jobs that differs; empty if none does.
std::string differences(const Run& a, const Run& b) {
  std::string text;
  for (const auto& [section, values] : a.parameters.items()) {
    const Json others = b.parameters.value(section, Json::object());
    for (const auto& [name, value] : values.items()) {
      if (!chooses_jobs(section, name) || !others.contains(name) || others[name] == value) continue;
      text += (text.empty() ? "" : ", ") + section + "." + name + " is " + value.dump() + " and " +
          others[name].dump();
    }
  }
  return text;
}

/// What forbids to compare them job by job; empty if nothing does.
std::string unlike(const Run& a, const Run& b) {
  if (std::string text = differences(a, b); !text.empty()) return text;
  for (const auto& [key, job] : a.jobs) {
    const auto other = b.jobs.find(key);
    if (other == b.jobs.end()) continue;
    // Parameters may agree while a trace was changed, so the jobs themselves are compared.
    if (job.submitted != other->second.submitted || job.tasks != other->second.tasks) {
      return "job " + std::to_string(key) + " is not the same: it came at " +
          std::to_string(job.submitted) + " and " + std::to_string(other->second.submitted) +
          " ms, with " + std::to_string(job.tasks) + " and " + std::to_string(other->second.tasks) +
          " tasks";
    }
  }
  return "";
}

double value_at(const std::vector<double>& sorted, double percent) {
  return config::value_at_place(config::place_of_percentile(percent, sorted.size()),
      [&](std::uint64_t i) { return sorted[i]; });
}

/// A job of both runs, or a place of both distributions.
struct Pair {
  double first = 0;
  double second = 0;
};

std::vector<Pair> pairs_of(const Run& a, const Run& b, bool paired) {
  std::vector<Pair> pairs;
  if (paired) {
    for (const auto& [key, job] : a.jobs) {
      const auto other = b.jobs.find(key);
      // A job that took no time in the second run has no ratio to it.
      if (other == b.jobs.end() || other->second.completion <= 0) continue;
      pairs.push_back({job.completion, other->second.completion});
    }
    return pairs;
  }
  const std::vector<double> first = a.completions(), second = b.completions();
  // As many places as the smaller sample has: more would show the same jobs of it twice.
  const std::size_t places = std::min(first.size(), second.size());
  for (std::size_t i = 0; i < places; ++i) {
    const double percent =
        places == 1 ? 50 : 100 * static_cast<double>(i) / static_cast<double>(places - 1);
    const double other = value_at(second, percent);
    if (other > 0) pairs.push_back({value_at(first, percent), other});
  }
  return pairs;
}

double mean_completion(const Run& run) {
  const std::vector<double> all = run.completions();
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

std::string signed_percent(double part) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * part);
  return text.data();
}

}  // namespace

double Comparison::change_at(double percent) const {
  return value_at(ratios, percent) - 1;
}

Result<Comparison> compare_runs(
    const std::string& first, const std::string& second, const ComparedAs& as) {
  const auto a = read_run_of(first);
  if (!a) return tl::unexpected(a.error());
  const auto b = read_run_of(second);
  if (!b) return tl::unexpected(b.error());
  if (const std::string why = as.paired ? unlike(*a, *b) : ""; !why.empty()) {
    return failure(ErrorKind::usage,
        first + " and " + second + " did not have the same jobs: " + why +
            "; run both alike, or compare samples with --unpaired");
  }
  const std::vector<Pair> pairs = pairs_of(*a, *b, as.paired);
  if (pairs.empty()) {
    return failure(ErrorKind::usage, first + " and " + second + " have no job in common");
  }
  Comparison comparison{.paired = as.paired};
  double sum_a = 0, sum_b = 0, slowed = 0;
  for (const Pair& each : pairs) {
    sum_a += each.first;
    sum_b += each.second;
    const double ratio = each.first / each.second;
    comparison.ratios.push_back(ratio);
    // A job that takes a hair longer is not one that pays for the mean.
    if (ratio <= 1 + as.tolerance) continue;
    ++slowed;
    comparison.slowed_by += ratio - 1;
  }
  std::ranges::sort(comparison.ratios);
  if (as.paired) comparison.alone = a->jobs.size() + b->jobs.size() - 2 * pairs.size();
  if (a->makespan && b->makespan && *b->makespan > 0) {
    comparison.makespan_ratio = *a->makespan / *b->makespan;
  }
  // Of sums, not the mean of ratios: a short job that doubles must not weigh as much as a long one.
  comparison.mean_ratio = as.paired ? sum_a / sum_b : mean_completion(*a) / mean_completion(*b);
  comparison.slowed_share = slowed / static_cast<double>(pairs.size());
  if (slowed > 0) comparison.slowed_by /= slowed;
  return comparison;
}

std::string text_of(const Comparison& comparison) {
  std::ostringstream out;
  out << comparison.ratios.size()
      << (comparison.paired ? " jobs of both" : " places of two samples, which are not paired");
  if (comparison.alone > 0) out << ", " << comparison.alone << " of one only";
  out << "\nmakespan "
      << (comparison.makespan_ratio ? signed_percent(*comparison.makespan_ratio - 1)
                                    : std::string("unknown, as some job did not end"))
      << ", mean completion " << signed_percent(comparison.mean_ratio - 1)
      << (comparison.paired ? "\nchange of a job's completion:"
                            : "\nchange of the distribution of completions:");
  for (const double percent : kPercentiles) {
    out << " p" << percent << ' ' << signed_percent(comparison.change_at(percent))
        << (percent == kPercentiles.back() ? "" : ",");
  }
  if (!comparison.paired) {
    out << '\n';
    return out.str();
  }
  out << "\nslowed: " << signed_percent(comparison.slowed_share).substr(1) << " of jobs, by "
      << signed_percent(comparison.slowed_by).substr(1) << " on average\n";
  return out.str();
}

std::string json_of(const Comparison& comparison) {
  Json changes = Json::object();
  for (const double percent : kPercentiles) {
    changes["p" + std::to_string(std::lround(percent))] = comparison.change_at(percent);
  }
  const Json json = {{"paired", comparison.paired}, {"jobs", comparison.ratios.size()},
      {"jobs_of_one_only", comparison.alone},
      {"makespan_change",
          comparison.makespan_ratio ? Json(*comparison.makespan_ratio - 1) : Json()},
      {"mean_completion_change", comparison.mean_ratio - 1}, {"completion_change", changes},
      {"slowed_share", comparison.slowed_share}, {"slowed_by", comparison.slowed_by}};
  return json.dump(2) + "\n";
}

Picture picture_of(const Comparison& comparison, const std::string& title) {
  std::ostringstream rows;
  const auto count = static_cast<double>(comparison.ratios.size());
  for (std::size_t i = 0; i < comparison.ratios.size(); ++i) {
    rows << 100 * (comparison.ratios[i] - 1) << ' ' << static_cast<double>(i + 1) / count << '\n';
  }
  Picture picture;
  picture.frame =
      title_command(title, text_of(comparison).substr(0, text_of(comparison).find('\n'))) +
      "set xlabel 'change of the completion of a job, %'\n" + ylabel_command("share of jobs") +
      "set yrange [0:1]\nset grid\nset key off\nset arrow from 0, 0 to 0, 1 nohead dt 2\n";
  picture.plot = "plot " + picture.data.add("changes", "change %, share", rows.str()) +
      " using 1:2 with steps lw 2";
  return picture;
}

}  // namespace dunlin::sim
