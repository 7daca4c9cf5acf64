// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "overlay/params.h"
#include "overlay/result.h"
#include "overlay/time.h"

namespace dunlin::sim {

/// A distribution of positive numbers: between two, evenly on a scale of powers; or always the one.
struct Span {
  double min = 0;
  double max = 0;
};

/// Jobs of two stages, of which the second waits for the first.
struct MapReduceParams {
  overlay::Duration arrivals = std::chrono::minutes(5);
  std::string maps = "8-400";
  std::string reduces = "0.1-0.5";
  std::string stage_time = "10-60";
  std::string map_cpu = "0.5-4";
  std::string map_memory = "512-8192";
  std::string map_read = "5-100";
  std::string map_write = "0";
  std::string reduce_cpu = "0.5-4";
  std::string reduce_memory = "512-8192";
  std::string reduce_in = "5-60";
  std::string reduce_out = "5-30";
  std::string reduce_write = "0";
  double selectivity = 0;
  double correlation = 0;
  double variation = 0;
  double estimate_error = 0;
  double usage_error = 0;
  std::uint8_t input_replicas = 0;
};

/// Reads "5-100" or "7". Fails unless 0 <= min <= max, and 0 < min if they differ.
Result<Span> parse_span(const std::string& key, const std::string& text);
/// Fails if a text is no span.
Result<void> validate(const MapReduceParams& params);

}  // namespace dunlin::sim

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kSection<sim::MapReduceParams> = "mapreduce";
template <>
inline constexpr auto kParams<sim::MapReduceParams> = std::tuple{
    Param<&sim::MapReduceParams::arrivals>{{std::chrono::seconds(0), std::chrono::hours(24)},
        "workload.jobs_max jobs (0: 100) arrive within this time from workload.first_job on, each "
        "at "
        "a moment by chance."},
    Param<&sim::MapReduceParams::maps>{{},
        "Tasks of the first stage of a job: \"8-400\" is drawn between the two, evenly on a scale "
        "of "
        "powers; a single number is all jobs'. So are all texts of this section."},
    Param<&sim::MapReduceParams::reduces>{
        {}, "Tasks of the second stage, as a multiple of those of the first; at least one."},
    Param<&sim::MapReduceParams::stage_time>{
        {}, "Seconds that a task takes; drawn for each stage, evenly between the two."},
    Param<&sim::MapReduceParams::map_cpu>{{}, "CPUs of a task of the first stage."},
    Param<&sim::MapReduceParams::map_memory>{{}, "MiB of memory of a task of the first stage."},
    Param<&sim::MapReduceParams::map_read>{{}, "MiB/s that it reads from the disk ..."},
    Param<&sim::MapReduceParams::map_write>{{}, "... and writes there."},
    Param<&sim::MapReduceParams::reduce_cpu>{{}, "CPUs of a task of the second stage."},
    Param<&sim::MapReduceParams::reduce_memory>{{}, "MiB of memory of a task of the second stage."},
    Param<&sim::MapReduceParams::reduce_in>{{}, "MiB/s that it fetches over the network ..."},
    Param<&sim::MapReduceParams::reduce_out>{{}, "... sends over it ..."},
    Param<&sim::MapReduceParams::reduce_write>{{}, "... and writes to the disk."},
    Param<&sim::MapReduceParams::selectivity>{{0.0, 100.0},
        "Bytes that the second stage fetches for each that the first reads, within the bounds of "
        "reduce_in. 0: it fetches what reduce_in says."},
    Param<&sim::MapReduceParams::correlation>{{0.0, 1.0},
        "Of the demands of a stage on different resources: a Gaussian copula, with this "
        "correlation "
        "between each two. 0: independent.",
        "weak: Grandl 2014; no figure is published"},
    Param<&sim::MapReduceParams::variation>{{0.0, 10.0},
        "The coefficient of variation of demands: they are log-normal about the geometric middle "
        "of "
        "their two bounds, and cut off there. 0: evenly between the bounds on a scale of powers."},
    Param<&sim::MapReduceParams::estimate_error>{{0.0, 0.95},
        "The demands of a stage on CPU and rates are stated wrong by a factor between 1 - this and "
        "1 + this. What its tasks take is the same."},
    Param<&sim::MapReduceParams::usage_error>{{0.0, 0.95},
        "Each task takes of CPU and rates what its stage does, times a factor between 1 - this and "
        "1 "
        "+ this."},
    Param<&sim::MapReduceParams::input_replicas>{{0, 4},
        "Machines that have the input of a task of the first stage, drawn by chance for each: it "
        "reads from the disk there, and over the network elsewhere. 0: each machine has it. "
        "Schedulers other than those of peers and tetris read all inputs where tasks run."},
};
}  // namespace dunlin::overlay
