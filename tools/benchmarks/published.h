// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace dunlin::bench {

/// Results of other systems' own simulators for Sparrow's workload: completion less the longest
/// task, ms. One run of each, 20,000 jobs on 1,000 machines of 4 slots.
struct PublishedDelay {
  std::string_view load;
  std::string_view system;
  double mean, p50, p95, p99;
};

// In the order of the printed tables, by load: quality_tables() looks rows up by the load as text,
// so "0.8" must be what "%g" prints.
inline constexpr PublishedDelay kPublishedDelays[] = {
    {"0.8", "Sparrow", 13.71, 5.74, 48.27, 72.92},
    {"0.8", "Sparrow, cancelling", 12.32, 3.96, 44.87, 67.86},
    {"0.8", "central", 1.99, 0.50, 10.44, 31.94},
    {"0.8", "batch sampling", 58.39, 48.92, 169.14, 225.98},
    {"0.8", "per-task sampling", 105.46, 101.24, 206.52, 264.64},
    {"0.8", "random", 584.33, 553.89, 950.81, 1153.09},
    {"0.9", "Sparrow", 41.95, 33.58, 112.93, 167.09},
    {"0.9", "Sparrow, cancelling", 36.43, 28.54, 100.51, 144.22},
    {"0.9", "central", 10.41, 0.50, 48.47, 71.10},
    {"0.9", "batch sampling", 116.21, 115.22, 244.99, 304.04},
    {"0.9", "per-task sampling", 156.35, 150.54, 276.25, 334.42},
};

/// The same for traces: completion of a job, s; a negative figure was not published.
struct PublishedTimes {
  std::string_view trace;
  std::string_view jobs;  ///< The class of jobs.
  std::string_view system;
  double mean, p50, p95, p99;
};

// `trace` is the name of the file without its folder, `jobs` the class as the simulator calls it:
// both are compared as they are.
inline constexpr PublishedTimes kPublishedTimes[] = {
    {"NGO_trace80", "short", "Sparrow", 88.2, 89.5, 200.7, 213.8},
    {"NGO_trace80", "short", "Hawk", 76.9, 60.6, 197.6, 212.5},
    {"NGO_trace80", "short", "Pigeon", 11.9, 1.21, 54.5, 59.4},
    {"NGO_trace80", "short", "Megha", 6.32, 0.833, 29.0, 87.2},
    {"NGO_trace80", "long", "Sparrow", 141.3, 140.8, 255.5, 264.2},
    {"NGO_trace80", "long", "Hawk", 146.2, 149.4, 257.5, 276.6},
    {"NGO_trace80", "long", "Pigeon", 173.0, 187.5, 271.8, 298.9},
    {"NGO_trace80", "long", "Megha", 79.8, 53.4, 234.1, 280.3},
    {"NGO_trace90", "short", "Pigeon", 14.1, 1.87, 58.2, 62.9},
    {"NYH_trace80", "short", "Sparrow", 15.3, 12.2, 39.0, 44.5},
    {"NYH_trace80", "short", "Hawk", 10.7, 3.76, 34.6, 40.2},
    {"NYH_trace80", "short", "Pigeon", 1.95, 1.02, 7.21, 9.86},
    {"NYH_trace80", "long", "Sparrow", 45.3, 42.7, 79.2, 95.3},
    {"NYH_trace80", "long", "Hawk", 39.2, 38.1, 76.3, 90.1},
    {"NYH_trace80", "long", "Pigeon", 40.7, 39.1, 77.3, 94.9},
    {"NYH_trace90", "short", "Sparrow", 24.7, 20.1, 55.7, 61.7},
    {"NYH_trace90", "short", "Hawk", 19.1, 13.5, 49.5, 54.4},
    {"NYH_trace90", "short", "Pigeon", 2.56, 1.86, 7.06, 10.19},
    {"NYH_trace90", "long", "Sparrow", 54.0, 51.1, 95.1, 109.6},
    {"NYH_trace90", "long", "Hawk", 47.3, 44.3, 90.1, 105.3},
    {"NYH_trace90", "long", "Pigeon", 51.0, 47.7, 94.4, 111.0},
    {"YH1_sub.tr", "short", "Sparrow", 2180.47, 1800.51, 5681.77, 7691.39},
    {"YH1_sub.tr", "short", "Hawk", 347.67, 195.01, 1066.81, 1452.77},
    {"YH1_sub.tr", "short", "Eagle", 62.66, 26.00, 297.73, 755.42},
    {"YH1_sub.tr", "short", "Pigeon", 30.59, 22.54, 82.13, 158.70},
    {"YH1_sub.tr", "short", "Megha", 120.02, 32.01, 660.42, 1536.83},
    {"YH1_sub.tr", "long", "Sparrow", 3236.82, 2713.01, 7220, 11321.5},
    {"YH1_sub.tr", "long", "Hawk", 1718.70, 1279.00, 4566.75, 6880.5},
    {"YH1_sub.tr", "long", "Eagle", 1710.53, 1279.50, 4566.5, 6880.5},
    {"YH1_sub.tr", "long", "Pigeon", 1732.73, 1292.22, 4694.78, 6873.74},
    {"YH1_sub.tr", "long", "Megha", 1516.54, 1001.00, 4347.25, 6927.27},
};

}  // namespace dunlin::bench
