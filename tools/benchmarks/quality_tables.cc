// SPDX-License-Identifier: MIT
#include "tools/benchmarks/quality_tables.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "config/percentile.h"
#include "tools/benchmarks/published.h"

// The figures beside those that were published, row by row. Published ones are printed as they
// stand.
namespace dunlin::bench {
namespace {

using nlohmann::json;

// One line of at most 255 characters: patterns have fixed widths, so the longest is known.
template <typename... Values>
std::string line(const char* pattern, Values... values) {
  std::array<char, 256> text;
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

/// A load without the zeros at its end: "0.8".
std::string load_text(const json& row) {
  return line("%g", row.at("load").get<double>());
}

std::string synthetic_table(const json& rows) {
  std::string text =
      "Sparrow's workload: completion of a job less its longest task, ms\n"
      "  load      mean       p99   omniscient mean       p99   ratio   of task queueing\n";
  for (const json& row : rows) {
    const auto number = [&](const char* key) { return row.at(key).get<double>(); };
    text += line("%6.2f %9.2f %9.2f   %15.2f %9.2f   %5.2f   %5.2f\n", number("load"),
        number("mean_ms"), number("p99_ms"), number("omniscient_mean_ms"),
        number("omniscient_p99_ms"), number("ratio"), number("task_queueing_ratio"));
    if (row.contains("ci95")) {
      const auto half = [&](const char* key) { return row.at("ci95").at(key).get<double>(); };
      text += line("    +- %9.2f %9.2f   %15.2f %9.2f   %5.2f   %5.2f\n", half("mean_ms"),
          half("p99_ms"), half("omniscient_mean_ms"), half("omniscient_p99_ms"), half("ratio"),
          half("task_queueing_ratio"));
    }
    for (const auto& other : kPublishedDelays) {
      // Loads without published figures have no such lines.
      if (other.load != load_text(row)) continue;
      text += line("       %9.2f %9.2f   %.*s, published\n", other.mean, other.p99,
          static_cast<int>(other.system.size()), other.system.data());
    }
  }
  return text + "\n";
}

std::string trace_table(const json& rows) {
  std::string text = "Traces: completion of a job, s\n" +
      line("%-12s %-6s %-8s %10s %10s %10s %10s\n", "", "class", "", "mean", "p50", "p95", "p99");
  for (const json& row : rows) {
    const auto trace = row.at("trace").get<std::string>();
    const auto jobs = row.at("class").get<std::string>();
    const auto add = [&](const std::string& system, double mean, double p50, double p95,
                         double p99) {
      text += line("%-12s %-6s %-8s %10.3f %10.3f %10.3f %10.3f\n", trace.c_str(), jobs.c_str(),
          system.c_str(), mean, p50, p95, p99);
    };
    add("Dunlin", row.at("mean_s"), row.at("p50_s"), row.at("p95_s"), row.at("p99_s"));
    if (row.contains("ci95")) {
      const json& half = row.at("ci95");
      add("    +-", half.at("mean_s"), half.at("p50_s"), half.at("p95_s"), half.at("p99_s"));
    }
    for (const auto& other : kPublishedTimes) {
      if (other.trace != trace || other.jobs != jobs) continue;
      add(std::string(other.system), other.mean, other.p50, other.p95, other.p99);
    }
  }
  return text;
}

}  // namespace

std::string quality_tables(const json& figures) {
  const json& synthetic = figures.at("synthetic");
  const json& traces = figures.at("traces");
  const auto seeds = figures.at("seeds").get<unsigned>();
  const std::string what = seeds == 1
      ? ""
      : "\nMeans of " + std::to_string(seeds) + " seeds; +- is half a 95 % confidence interval.\n";
  return (synthetic.empty() ? "" : synthetic_table(synthetic)) +
      (traces.empty() ? "" : trace_table(traces)) + what +
      "\nPercentiles: " + config::kPercentileRule + ".\n";
}

}  // namespace dunlin::bench
