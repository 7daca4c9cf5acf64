// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
/// Texts are spans: see parse_span(). CPUs, MiB, MiB/s and seconds, as the table in the source
/// says.
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
/// See overlay/params.h.
void append_entries(sim::MapReduceParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
