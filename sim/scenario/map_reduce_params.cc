// SPDX-License-Identifier: MIT
#include "sim/scenario/map_reduce_params.h"

#include <array>
#include <utility>

#include "overlay/params/param_table.h"
#include "sim/fields.h"

namespace dunlin::sim {

Result<Span> parse_span(const std::string& key, const std::string& text) {
  const std::string_view whole = text;
  const std::size_t dash = whole.find('-');
  const auto min = number_in(whole.substr(0, dash));
  const auto max = dash == std::string_view::npos ? min : number_in(whole.substr(dash + 1));
  // A scale of powers has no 0: it can only be a number by itself.
  const bool sound = min && max && *min >= 0 && *min <= *max && (*min > 0 || *max == *min);
  if (sound) return Span{*min, *max};
  return failure(ErrorKind::usage,
      "mapreduce." + key + ": '" + text +
          "' is no span; expected a number, or two as \"5-100\", of which the first is above 0 and "
          "not above the second");
}

Result<void> validate(const MapReduceParams& params) {
  const std::array<std::pair<const char*, const std::string&>, 12> texts = {{{"maps", params.maps},
      {"reduces", params.reduces}, {"stage_time", params.stage_time}, {"map_cpu", params.map_cpu},
      {"map_memory", params.map_memory}, {"map_read", params.map_read},
      {"map_write", params.map_write}, {"reduce_cpu", params.reduce_cpu},
      {"reduce_memory", params.reduce_memory}, {"reduce_in", params.reduce_in},
      {"reduce_out", params.reduce_out}, {"reduce_write", params.reduce_write}}};
  for (const auto& [key, text] : texts) {
    if (const auto span = parse_span(key, text); !span) return tl::unexpected(span.error());
  }
  return {};
}

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

void append_entries(sim::MapReduceParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
