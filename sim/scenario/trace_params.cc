// SPDX-License-Identifier: MIT
#include "sim/scenario/trace_params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sim::TraceParams> = "trace";
template <>
inline constexpr auto kParams<sim::TraceParams> = std::tuple{
    Param<&sim::TraceParams::data>{{}, "The folder of traces; relative to the working folder."},
    Param<&sim::TraceParams::file>{{}, "The trace, within that folder. It may be gzipped."},
    Param<&sim::TraceParams::target_load>{{0.0, 4.0},
        "Time is stretched so that the jobs would keep this share of the cluster busy, from the "
        "first to the last. 0: as recorded."},
    Param<&sim::TraceParams::time_scale>{{1e-6, 1e6, Scale::log},
        "Length of a second between two arrivals. Tasks are as long as ever: see run_scale."},
    Param<&sim::TraceParams::keep_jobs>{{1e-6, 1.0, Scale::log},
        "Share of the jobs that is kept, by chance; jobs that wait for each other together."},
    Param<&sim::TraceParams::keep_tasks>{
        {1e-6, 1.0, Scale::log}, "Share of each job's tasks that is kept, but at least one."},
    Param<&sim::TraceParams::jobs_max>{
        {0, std::numeric_limits<std::int64_t>::max()}, "Only so many jobs. 0: all."},
    Param<&sim::TraceParams::sample>{{1e-6, 1.0, Scale::log},
        "Share of the jobs that is taken: consecutive ones, from a start drawn by chance.",
        "Lin 2014, section 6.3.1"},
    Param<&sim::TraceParams::start>{{0, std::numeric_limits<std::int64_t>::max()},
        "The first job that is taken, counted from 1. 0: drawn by chance, if there is a sample."},
    Param<&sim::TraceParams::resample_block>{{0, std::numeric_limits<std::int64_t>::max()},
        "Each run gets as many jobs as the trace has, in blocks of so many consecutive ones, drawn "
        "by chance with replacement. All of it is in memory. 0: the trace as it is.",
        "circular block bootstrap, Politis and Romano 1992"},
    Param<&sim::TraceParams::run_scale>{
        {1e-6, 1e6, Scale::log}, "Length of a second that a task runs."},
    Param<&sim::TraceParams::batch>{{std::chrono::seconds(0), std::chrono::hours(24)},
        "Jobs that come within this time after another, once time is stretched, come with it. 0: "
        "each by itself."},
    Param<&sim::TraceParams::deadline_factor>{{0.0, 1000.0},
        "The deadline of a job: so many times its run time, times its tasks / deadline_slots if it "
        "has more of them. 0: none.",
        "2: Lin 2014, section 6.3.1"},
    Param<&sim::TraceParams::deadline_slots>{
        {1, 1000000}, "The slots that a deadline reckons with.", "Lin 2014, section 6.3.1"},
    Param<&sim::TraceParams::priority_by_user>{{},
        "Priorities from 1 to 99, evenly: the fewer jobs a user has, the higher. Users with "
        "equally many have the same. Else all have the default.",
        "after Lin 2014, section 6.3.1"},
    Param<&sim::TraceParams::strict>{{}, "A malformed line is an error, not a warning."},
    Param<&sim::TraceParams::whole>{{},
        "A job of the trace is one job of several groups, with the order that it gives them, not a "
        "job for each group. All of it is in memory."},
    Param<&sim::TraceParams::rates>{{},
        "Rates of disk and network that tasks demand and take: none; drawn for each group, reading "
        "if it waits for none and else fetching, between the bounds of [mapreduce] (whole jobs "
        "only); or those that bytes in the trace give (Cloudera's)."},
};

void append_entries(sim::TraceParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
