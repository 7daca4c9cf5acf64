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
#include <sstream>

// A mean says nothing of the jobs that pay for it. So runs are compared job by job: how many take
// longer than under the other scheduler, and by how much. Source: Grandl 2014, slide 21, which
// shows the mean slowdown of those that are slowed.
namespace dunlin::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kPercentiles = {5.0, 25.0, 50.0, 75.0, 95.0};

struct Run {
  std::map<std::uint64_t, double> completions;  ///< By key, in ms.
  double makespan = 0;
};

Result<Run> read_run_of(const std::string& file) {
  std::ifstream in(file);
  const Json json = Json::parse(in, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("measures")) {
    return failure(ErrorKind::corrupt, file + ": no result of a run: write one with `run --json`");
  }
  const Json whole = json.value("whole_jobs", Json::object());
  Run run{.completions = {}, .makespan = whole.value("makespan_ms", 0.0)};
  for (const Json& each : whole.value("records", Json::array())) {
    run.completions[each.value("key", std::uint64_t{0})] = each.value("completion_ms", 0.0);
  }
  if (run.completions.empty()) {
    return failure(ErrorKind::usage,
        file +
            ": it lists no whole job: run it with --set measures.job_records=100000, and a "
            "workload of whole jobs such as mapreduce");
  }
  return run;
}

std::string signed_percent(double part) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * part);
  return text.data();
}

}  // namespace

double Comparison::change_at(double percent) const {
  const double at = percent / 100 * static_cast<double>(ratios.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, ratios.size() - 1);
  return std::lerp(ratios[below], ratios[above], at - static_cast<double>(below)) - 1;
}

Result<Comparison> compare_runs(
    const std::string& first, const std::string& second, double tolerance) {
  const auto a = read_run_of(first);
  if (!a) return tl::unexpected(a.error());
  const auto b = read_run_of(second);
  if (!b) return tl::unexpected(b.error());
  Comparison comparison;
  double sum_a = 0, sum_b = 0, slowed = 0;
  for (const auto& [key, took] : a->completions) {
    const auto other = b->completions.find(key);
    if (other == b->completions.end() || other->second <= 0) continue;
    sum_a += took;
    sum_b += other->second;
    const double ratio = took / other->second;
    comparison.ratios.push_back(ratio);
    if (ratio <= 1 + tolerance) continue;
    ++slowed;
    comparison.slowed_by += ratio - 1;
  }
  const std::size_t common = comparison.ratios.size();
  if (common == 0) {
    return failure(ErrorKind::usage, first + " and " + second + " have no job in common");
  }
  std::ranges::sort(comparison.ratios);
  comparison.alone = a->completions.size() + b->completions.size() - 2 * common;
  comparison.makespan_ratio = b->makespan > 0 ? a->makespan / b->makespan : 0;
  comparison.mean_ratio = sum_a / sum_b;
  comparison.slowed_share = slowed / static_cast<double>(common);
  if (slowed > 0) comparison.slowed_by /= slowed;
  return comparison;
}

std::string text_of(const Comparison& comparison) {
  std::ostringstream out;
  out << comparison.ratios.size() << " jobs of both";
  if (comparison.alone > 0) out << ", " << comparison.alone << " of one only";
  out << "\nmakespan " << signed_percent(comparison.makespan_ratio - 1) << ", mean completion "
      << signed_percent(comparison.mean_ratio - 1) << "\nchange of a job's completion:";
  for (const double percent : kPercentiles) {
    out << " p" << percent << ' ' << signed_percent(comparison.change_at(percent))
        << (percent == kPercentiles.back() ? "" : ",");
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
  const Json json = {{"jobs", comparison.ratios.size()}, {"jobs_of_one_only", comparison.alone},
      {"makespan_change", comparison.makespan_ratio - 1},
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
