// SPDX-License-Identifier: MIT
#include "tools/benchmarks/quality.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <stdlib.h>
#include <thread>

#include "config/percentile.h"
#include "sim/study/statistics.h"
#include "tools/benchmarks/process.h"
#include "tools/benchmarks/quality_tables.h"

// Is scheduling as good as it was? The figures that decide are run again on the simulator, by the
// experiment files of the repository, beside an omniscient scheduler with the same jobs. Several
// seeds run at once, each in a process of its own, because ns-3 has one simulator for a process.
namespace dunlin::bench {
namespace {

using nlohmann::json;

const std::string kSource = DUNLIN_SOURCE_DIR;
const std::string kExperiments = kSource + "/sim/experiments/";
constexpr const char* kLoads[] = {"0.5", "0.8", "0.9", "0.95"};
// The time until peers know each other as in a loaded cluster.
constexpr const char* kWarmUp = "16s";
constexpr unsigned kWarmUpSeconds = 16;

/// A run of the simulator, and its figures.
struct Trial {
  std::string name;
  std::string file;
  std::vector<std::string> settings;
  unsigned seed = 1;
  json figures;
};

/// A folder for as long as it is needed.
class Scratch {
 public:
  Scratch() {
    char name[] = "/tmp/dunlin-quality-XXXXXX";
    if (mkdtemp(name) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Runs all trials, some at the same time.
void run_all(std::vector<Trial>& trials, unsigned at_once) {
  const Scratch scratch;
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "dunlin-sim";
  std::map<std::size_t, pid_t> running;
  const auto output = [&](std::size_t i) { return scratch.path() + "/" + std::to_string(i); };
  // In order, so that figures come in the order of the table; the others run on meanwhile.
  const auto finish_oldest = [&] {
    const auto [i, child] = *running.begin();
    running.erase(running.begin());
    if (wait_for(child) != 0) {
      // They write into the folder that goes away with this.
      for (const auto& [other, pid] : running) wait_for(pid);
      throw std::runtime_error(trials[i].name + " failed:\n" + read_file(output(i)));
    }
    trials[i].figures = json::parse(read_file(output(i) + ".json"));
    std::fprintf(stderr, "%s, seed %u: %.1f s\n", trials[i].name.c_str(), trials[i].seed,
        trials[i].figures.at("cost").at("cpu_s").get<double>());
  };
  for (std::size_t i = 0; i < trials.size(); ++i) {
    // The oldest, not whichever ends first: figures come in the order of the table.
    if (running.size() == at_once) finish_oldest();
    Command command = {program, "run", trials[i].file, "--quiet", "--no-plots", "--RngRun",
        std::to_string(trials[i].seed), "--json", output(i) + ".json"};
    for (const auto& setting : trials[i].settings) {
      command.insert(command.end(), {"--set", setting});
    }
    // Its output, errors included, is read if it fails.
    command.insert(command.begin(), {"/bin/sh", "-c", "exec \"$@\" 2>&1", "sh"});
    running[i] = spawn(command, "/dev/null", output(i));
  }
  while (!running.empty()) finish_oldest();
}

/// The trials with one seed.
std::vector<Trial> trials_of(const QualityOptions& options, unsigned seed) {
  std::vector<Trial> trials;
  const auto add = [&](Trial trial) {
    trial.seed = seed;
    // The settings tried are ours: the omniscient scheduler must stay what all are compared with.
    // The scheduler is the first setting of a trial, see below.
    if (trial.settings.empty() || trial.settings.front() != "scheduler=omniscient") {
      trial.settings.insert(trial.settings.end(), options.settings.begin(), options.settings.end());
    }
    trials.push_back(std::move(trial));
  };
  for (const char* load : kLoads) {
    if (!options.synthetic) break;
    for (const char* scheduler : {"dunlin", "omniscient"}) {
      add({.name = std::string("load ") + load + " " + scheduler,
          .file = kExperiments + "peers-synthetic.toml",
          .settings = {std::string("scheduler=") + scheduler, std::string("load=") + load,
              std::string("warm_up=") + kWarmUp,
              "duration=" + std::to_string(options.seconds + kWarmUpSeconds) + "s"},
          .figures = {}});
    }
  }
  const std::string data = options.data.empty() ? kSource + "/../shared/data" : options.data;
  std::vector<std::string> known;
  if (options.traces) known = {"ngo80", "ngo90", "nyh80", "nyh90"};
  if (options.all) known.push_back("yh1");
  if (!known.empty() && !std::filesystem::is_directory(data + "/tr")) {
    std::fprintf(stderr, "%s: no traces there, so none is measured: see --data\n", data.c_str());
    known.clear();
  }
  for (const auto& name : known) {
    add({.name = name,
        .file = kExperiments + "peers-" + name + ".toml",
        .settings = {"trace.data=" + data},
        .figures = {}});
  }
  // Another trace with the scenario of one that is like it: what differs is set.
  for (const auto& trace : options.given) {
    add({.name = trace.file,
        .file = kExperiments + "peers-ngo80.toml",
        .settings = {"trace.data=" + std::filesystem::current_path().string(),
            "trace.file=" + trace.file, "peers=" + std::to_string(trace.slots),
            "cutoff=" + trace.cutoff, "express_limit=" + trace.cutoff, "simulation.duration=720h"},
        .figures = {}});
  }
  return trials;
}

json synthetic_row(const char* load, const Trial& ours, const Trial& bound) {
  const auto read = [](const Trial& trial, const char* measure, const char* figure) {
    return trial.figures.at("measures").at("all").at(measure).at(figure).get<double>();
  };
  const double mean = read(ours, "job_delay_ms", "mean");
  const double omniscient = read(bound, "job_delay_ms", "mean");
  const double queueing = read(ours, "queueing_delay_ms", "mean");
  const double omniscient_queueing = read(bound, "queueing_delay_ms", "mean");
  return {{"load", std::stod(load)}, {"mean_ms", mean},
      {"p99_ms", read(ours, "job_delay_ms", "p99")}, {"omniscient_mean_ms", omniscient},
      {"omniscient_p99_ms", read(bound, "job_delay_ms", "p99")}, {"ratio", mean / omniscient},
      {"task_queueing_mean_ms", queueing},
      {"omniscient_task_queueing_mean_ms", omniscient_queueing},
      {"task_queueing_ratio", queueing / omniscient_queueing}};
}

void add_trace_rows(const Trial& trial, json& rows) {
  const json& measures = trial.figures.at("measures");
  const auto file = trial.figures.at("parameters").at("trace").at("file").get<std::string>();
  for (const char* which : {"short", "long", "all"}) {
    if (!measures.contains(which)) continue;
    const json& times = measures.at(which).at("job_completion_ms");
    // A class of which no job ended has no percentiles.
    if (times.at("count") == 0) continue;
    const auto seconds = [&](const char* figure) { return times.at(figure).get<double>() / 1000; };
    rows.push_back({{"trace", std::filesystem::path(file).filename().string()}, {"class", which},
        {"jobs", times.at("count")}, {"unfinished", trial.figures.at("fates").at("unfinished")},
        {"mean_s", seconds("mean")}, {"p50_s", seconds("p50")}, {"p95_s", seconds("p95")},
        {"p99_s", seconds("p99")}});
  }
}

/// The rows of the tables, from the trials of one seed in the order of trials_of().
std::vector<json> rows_of(const QualityOptions& options, std::span<const Trial> trials) {
  json synthetic = json::array();
  json traces = json::array();
  std::size_t next = 0;
  for (const char* load : kLoads) {
    if (!options.synthetic) break;
    // The two that trials_of() puts one after the other.
    synthetic.push_back(synthetic_row(load, trials[next], trials[next + 1]));
    next += 2;
  }
  for (; next < trials.size(); ++next) add_trace_rows(trials[next], traces);
  return {std::move(synthetic), std::move(traces)};
}

/// Ratios of figures in a row, and the two of which they are.
struct RatioOf {
  const char* ratio;
  const char* figure;
  const char* bound;
};
constexpr RatioOf kRatios[] = {{"ratio", "mean_ms", "omniscient_mean_ms"},
    {"task_queueing_ratio", "task_queueing_mean_ms", "omniscient_task_queueing_mean_ms"}};

/// Over seeds a ratio is that of the means beside it, not the mean of the ratios.
sim::Estimate estimate_over(const std::vector<json>& rows, const std::string& key) {
  std::vector<double> values;
  for (const json& row : rows) values.push_back(row.at(key).get<double>());
  const auto* const ratio = std::ranges::find(kRatios, key, &RatioOf::ratio);
  if (ratio == std::end(kRatios)) return sim::estimate_of(values);
  std::vector<std::pair<double, double>> pairs;
  for (const json& row : rows) {
    pairs.emplace_back(row.at(ratio->figure).get<double>(), row.at(ratio->bound).get<double>());
  }
  return sim::ratio_of_means(pairs);
}

/// A row of several seeds: the mean of each figure, and in "ci95" half the width of its 95 %
/// confidence interval.
json mean_row(const std::vector<json>& rows) {
  json mean = rows.front();
  if (rows.size() == 1) return mean;
  json intervals = json::object();
  for (const auto& [key, figure] : rows.front().items()) {
    // The load of a row is its name, not a figure.
    if (!figure.is_number() || key == "load") continue;
    const sim::Estimate estimate = estimate_over(rows, key);
    mean[key] = estimate.mean;
    intervals[key] = estimate.half_width;
  }
  mean["ci95"] = std::move(intervals);
  return mean;
}

/// The means over all seeds, table by table and row by row.
json mean_rows(const std::vector<json>& tables) {
  json means = json::array();
  for (std::size_t i = 0; i < tables.front().size(); ++i) {
    std::vector<json> rows;
    for (const json& table : tables) rows.push_back(table.at(i));
    // Row by row: the same load, or trace and class, stands at the same place for each seed.
    means.push_back(mean_row(rows));
  }
  return means;
}

}  // namespace

void measure_quality(const QualityOptions& options) {
  std::vector<Trial> trials;
  for (unsigned seed = 1; seed <= options.seeds; ++seed) {
    std::ranges::move(trials_of(options, seed), std::back_inserter(trials));
  }
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  run_all(trials, options.at_once > 0 ? options.at_once : cores);
  // Each seed has the same trials, in the same order.
  const std::size_t of_one_seed = trials.size() / options.seeds;
  std::vector<json> synthetic;
  std::vector<json> traces;
  for (unsigned seed = 0; seed < options.seeds; ++seed) {
    const auto rows = rows_of(options, std::span(trials).subspan(seed * of_one_seed, of_one_seed));
    synthetic.push_back(rows[0]);
    traces.push_back(rows[1]);
  }
  const json figures = {{"schema", "dunlin.bench.quality/1"}, {"seeds", options.seeds},
      {"percentiles", config::kPercentileRule}, {"synthetic", mean_rows(synthetic)},
      {"traces", mean_rows(traces)}, {"settings", options.settings}};
  std::fputs(quality_tables(figures).c_str(), stdout);
  if (options.json.empty()) return;
  std::ofstream file(options.json);
  file << figures.dump(2) << '\n';
  if (!file.flush()) throw std::runtime_error("can't write " + options.json);
}

}  // namespace dunlin::bench
